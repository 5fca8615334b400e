/**
 * Safety rules of a peer above the consensus core, as values. The simulation breaks one at a time to show that it
 * detects the error (`raft/rules.ts` does the same for the core). Production always uses `PEER_RULES`.
 */
export interface PeerRules {
  /** A forwarded proposal is validated before it enters the log, because every peer would have to apply it. */
  readonly checksProposals: boolean;
  /** The removal of a member is recorded only once it is committed, and only in the term in which the leader decided it. */
  readonly recordsCommittedRemovals: boolean;
}

export const PEER_RULES: PeerRules = { checksProposals: true, recordsCommittedRemovals: true };
