import type { PeerRules } from '../../../pkg/peer/common/index.js';

/** Faults of the peers themselves, for mutations: each takes one protection away. */
export interface PeerFaults {
  readonly rules?: Partial<PeerRules>;
  /** Nobody says that a member has taken part before. */
  readonly hidesStarted?: boolean;
  /** Writing a sector again with what it holds does nothing: a peer that believes its last frame after a failed sync. */
  readonly ignoresRewrites?: boolean;
}
