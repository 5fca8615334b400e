// What the core hands out and what it answers: all outputs of a node in one place.

import type { Message, ReadRefusal } from './messages.js';
import type { Configuration, Entry, HardState, LogIndex, PeerId, SnapshotMeta, SoftState, Term } from './types.js';

/**
 * One write to stable storage, atomic and in order of `number`. The caller appends and syncs it, then calls
 * `persisted(number)`. Several may be waiting: write them in order with one sync and call `persisted` with the
 * last number (group commit). The core goes on working meanwhile.
 */
export interface Write {
  /** 1, 2, 3 ... without gaps. */
  readonly number: number;
  readonly hardState: HardState;
  /**
   * Replace the whole state machine and log by this snapshot first. The caller has its data, because it
   * stepped the snapshot message in. Every `committed` handed out before is to be done with (or given up)
   * before. `persisted` also says that it is applied.
   */
  readonly snapshot: SnapshotMeta | undefined;
  /** To be appended; whatever the log holds at or after entries[0].index is cut off first. May be empty. */
  readonly entries: readonly Entry[];
}

/** The answer to `readIndex(context)`. */
export type ReadOutcome =
  /** Serve the read once `index` is applied. */
  | { readonly kind: 'ready'; readonly context: number; readonly index: LogIndex }
  | { readonly kind: 'refused'; readonly context: number; readonly reason: ReadRefusal };

/**
 * Everything that came of the steps since the last Ready. The parts are independent of each other:
 * - `messages` may be sent at once, all of them. Promises (votes, acknowledgements of entries) are held back
 *   inside the core until what they promise is persisted, so no order is left for the caller to get wrong.
 * - `write` is to be persisted, then acknowledged by `persisted`.
 * - `committed` is to be applied in order, then acknowledged by `applied`. Only entries that are durable here are
 *   handed out, so the state machine never runs ahead of the local log.
 */
export interface Ready {
  readonly write: Write | undefined;
  readonly messages: readonly Message[];
  /** Contiguous, each entry exactly once in the life of a node. */
  readonly committed: readonly Entry[];
  readonly reads: readonly ReadOutcome[];
  /** Present when role, term or known leader changed. */
  readonly softState: SoftState | undefined;
  /** Present when the configuration in force changed (perhaps not yet committed): the peers to connect to. */
  readonly config: Configuration | undefined;
}

/** Why a proposal did not enter the log. Nothing has happened; the caller may try again elsewhere or later. */
export type ProposeRefusal =
  /** Ask `leader`, when it is known. */
  | 'notLeader'
  /** Leadership is being handed over. */
  | 'transferring'
  /** More than `uncommittedBytesMax` is waiting to be committed: overload. */
  | 'uncommittedLimit'
  /** Configuration: another change is not committed yet, or the joint phase not left. */
  | 'configPending'
  /** Configuration: the leader must commit an entry of its term first (erratum to dissertation 4.1). */
  | 'noCommitInTerm'
  /** Configuration: the change makes no sense (`detail` says why). */
  | 'invalidChange'
  /** Configuration: a learner to be promoted is too far behind. */
  | 'learnerBehind'
  /** Configuration: too few of the new voters are alive to form a majority. */
  | 'quorumAtRisk';

/**
 * `appended` is the leader's word that the entry is at (index, term). It is committed when an entry of that term
 * is handed out at that index; it is lost when another term's is.
 */
export type ProposeResult =
  | { readonly kind: 'appended'; readonly index: LogIndex; readonly term: Term }
  | {
      readonly kind: 'refused';
      readonly reason: ProposeRefusal;
      readonly leader: PeerId;
      readonly detail: string;
    };

/** `transferring`: another successor has been asked to campaign already. */
export type TransferRefusal = 'notLeader' | 'notVoter' | 'alreadyLeader' | 'transferring';

export type TransferResult =
  | { readonly kind: 'started' }
  | { readonly kind: 'refused'; readonly reason: TransferRefusal; readonly leader: PeerId };

/** How far a follower is, as its leader sees it. */
export interface PeerStatus {
  readonly id: PeerId;
  readonly match: LogIndex;
  readonly next: LogIndex;
  readonly state: 'probe' | 'replicate' | 'snapshot';
  /** Said something within an election timeout. */
  readonly recentlyActive: boolean;
  readonly learner: boolean;
  /** For learners: may be promoted now. */
  readonly caughtUp: boolean;
}

export interface NodeStatus extends SoftState {
  readonly id: PeerId;
  readonly vote: PeerId;
  readonly commit: LogIndex;
  readonly applied: LogIndex;
  readonly lastIndex: LogIndex;
  /** Durable here. */
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
  /** On a leader only. */
  readonly peers: readonly PeerStatus[];
}
