// The outputs of the core and the results of its methods.

import type { Message, ReadRefusal } from './messages.js';
import type { Configuration, Entry, HardState, LogIndex, PeerId, SnapshotMeta, SoftState, Term } from './types.js';

/**
 * One atomic write to stable storage. Writes are ordered by `number`. The caller appends and syncs it, then calls
 * `persisted(number)`. Several may be pending: the caller writes them in order with one sync and calls `persisted` with the last
 * number (group commit). The core continues meanwhile.
 */
export interface Write {
  /** 1, 2, 3 ... without gaps. */
  readonly number: number;
  readonly hardState: HardState;
  /**
   * First replace the whole state machine and log by this snapshot. The caller has its data, because it stepped the snapshot
   * message. All earlier `committed` entries must be applied or dropped before. `persisted` also means that the snapshot is
   * installed.
   */
  readonly snapshot: SnapshotMeta | undefined;
  /** The entries to append. First truncate the log at entries[0].index. May be empty. */
  readonly entries: readonly Entry[];
}

/** The result of `readIndex(context)`. */
export type ReadOutcome =
  /** Serve the read once `index` is applied. */
  | { readonly kind: 'ready'; readonly context: number; readonly index: LogIndex }
  | { readonly kind: 'refused'; readonly context: number; readonly reason: ReadRefusal };

/**
 * The results of the steps since the last Ready. The parts are independent of each other:
 * - `messages` may be sent at once, all of them. Promises (votes, acknowledgements of entries) are held back
 *   inside the core until the promised state is persisted, so the caller cannot send them too early.
 * - `write` is to be persisted, then acknowledged by `persisted`.
 * - `committed` is to be applied in order, then acknowledged by `applied`. It has only entries that are durable on
 *   this peer, so the state machine never runs ahead of the local log.
 */
export interface Ready {
  readonly write: Write | undefined;
  readonly messages: readonly Message[];
  /** Contiguous. Each entry is returned exactly once in the life of a node. */
  readonly committed: readonly Entry[];
  readonly reads: readonly ReadOutcome[];
  /** Set when role, term or known leader changed. */
  readonly softState: SoftState | undefined;
  /** Set when the configuration in force changed, committed or not: the peers to connect to. */
  readonly config: Configuration | undefined;
}

/** Why a proposal did not enter the log. It had no effect, and the caller may retry elsewhere or later. */
export type ProposeRefusal =
  /** Retry at `leader`, if known. */
  | 'notLeader'
  /** A leadership transfer is in progress. */
  | 'transferring'
  /** More than `uncommittedBytesMax` is not committed yet: overload. */
  | 'uncommittedLimit'
  /** Configuration: another change is not committed, or the joint phase is not left. */
  | 'configPending'
  /** Configuration: the leader must first commit an entry of its term (erratum to dissertation 4.1). */
  | 'noCommitInTerm'
  /** Configuration: the change is invalid (`detail` says why). */
  | 'invalidChange'
  /** Configuration: a learner to be promoted is too far behind. */
  | 'learnerBehind'
  /** Configuration: too few of the new voters are alive to form a majority. */
  | 'quorumAtRisk';

/**
 * `appended`: the leader has the entry at (index, term). It is committed when an entry of that term is returned as committed at
 * that index, and lost when an entry of another term is.
 */
export type ProposeResult =
  | { readonly kind: 'appended'; readonly index: LogIndex; readonly term: Term }
  | {
      readonly kind: 'refused';
      readonly reason: ProposeRefusal;
      readonly leader: PeerId;
      readonly detail: string;
    };

/** `transferring`: another successor was already requested to campaign. */
export type TransferRefusal = 'notLeader' | 'notVoter' | 'alreadyLeader' | 'transferring';

export type TransferResult =
  | { readonly kind: 'started' }
  | { readonly kind: 'refused'; readonly reason: TransferRefusal; readonly leader: PeerId };

/** The progress of a follower, as its leader sees it. */
export interface PeerStatus {
  readonly id: PeerId;
  readonly match: LogIndex;
  readonly next: LogIndex;
  readonly state: 'probe' | 'replicate' | 'snapshot';
  /** Sent a message within an election timeout. */
  readonly recentlyActive: boolean;
  readonly learner: boolean;
  /** Learners: ready to be promoted. */
  readonly caughtUp: boolean;
}

export interface NodeStatus extends SoftState {
  readonly id: PeerId;
  readonly vote: PeerId;
  readonly commit: LogIndex;
  readonly applied: LogIndex;
  readonly lastIndex: LogIndex;
  /** Durable on this peer. */
  readonly stableIndex: LogIndex;
  readonly firstIndex: LogIndex;
  /** The configuration in force. */
  readonly config: Configuration;
  /**
   * On a leader that has committed an entry of its term: the configuration in force is committed, and nothing in the log replaces it.
   * False on any other peer, which cannot know.
   */
  readonly configIsCommitted: boolean;
  readonly uncommittedBytes: number;
  readonly transferringTo: PeerId;
  /** Leader only. */
  readonly peers: readonly PeerStatus[];
}
