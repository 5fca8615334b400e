import type { PeerRules } from '../../../pkg/peer/common/index.js';

/** Faults of the peers, for mutations: each disables one protection. */
export interface PeerFaults {
  readonly rules?: Partial<PeerRules>;
  /** No peer reports that a member has taken part before. */
  readonly hidesStarted?: boolean;
  /** Peers list the members as they know them, without a linearizable read. */
  readonly listsLocally?: boolean;
  /** Rewriting a sector with its content has no effect, so a peer trusts its last frame after a failed sync. */
  readonly ignoresRewrites?: boolean;
}
