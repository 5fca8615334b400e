/**
 * Safety rules of a peer above the consensus core, as values. The simulation breaks one at a time to show that it
 * detects the error (`raft/rules.ts` does the same for the core). Production always uses `PEER_RULES`.
 */
export interface PeerRules {
  /** A forwarded proposal is validated before it enters the log, because every peer would have to apply it. */
  readonly checksProposals: boolean;
  /** A malformed entry of the log changes nothing, and the peer continues. */
  readonly ignoresMalformed: boolean;
  /** The record of a member is deleted only if the member was certainly not added. */
  readonly keepsUncertainMembers: boolean;
  /** The removal of a member is recorded only once it is committed, and only in the term in which the leader decided it. */
  readonly recordsCommittedRemovals: boolean;
  /** A joining peer is answered after a linearizable read, because the peer that it asks may be behind. */
  readonly confirmsJoins: boolean;
  /** A founder with an empty log does not take part before others have answered that it never did. */
  readonly admitsFounders: boolean;
  /** A peer keeps whose votes and acknowledgements it has received, and says so to a founder with an empty log. */
  readonly remembersPromises: boolean;
  /** The snapshot of a newer leader replaces one that is being received from an older one. */
  readonly replacesSnapshots: boolean;
  /** The index of a snapshot is compared with its content before the snapshot replaces the state. */
  readonly checksSnapshotIndex: boolean;
  /** A peer serves nothing while voters differ in their state and no majority agrees. */
  readonly suspendsUndecided: boolean;
  /** A member that no other has reached asks whether it was removed. */
  readonly asksWhetherRemoved: boolean;
  /** The form of log entries is raised only when every member reads the newer one. */
  readonly raisesReadForms: boolean;
  /** A peer writes the form of the cluster, not its own newest. */
  readonly writesFormOfCluster: boolean;
  /** Expired keys are deleted only if nothing was written since. */
  readonly comparesExpired: boolean;
  /** Revisions of a restored cluster are above all that the old one can have written after the snapshot. */
  readonly restoresAbove: boolean;
}

export const PEER_RULES: PeerRules = {
  checksProposals: true,
  ignoresMalformed: true,
  keepsUncertainMembers: true,
  recordsCommittedRemovals: true,
  confirmsJoins: true,
  admitsFounders: true,
  remembersPromises: true,
  replacesSnapshots: true,
  checksSnapshotIndex: true,
  suspendsUndecided: true,
  asksWhetherRemoved: true,
  raisesReadForms: true,
  writesFormOfCluster: true,
  comparesExpired: true,
  restoresAbove: true,
};
