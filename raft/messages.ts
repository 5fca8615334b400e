// The messages between peers. Every message carries the sender's term; a pre-vote carries the term that its sender would campaign
// in. Messages may be lost, duplicated, delayed and reordered.

import type { Entry, LogIndex, PeerId, SnapshotMeta, Term } from './types.js';

interface Envelope {
  readonly from: PeerId;
  readonly to: PeerId;
  readonly term: Term;
}

/** RequestVote (paper 5.2, 5.4.1); pre-vote (dissertation 9.6). */
export interface VoteRequest extends Envelope {
  readonly kind: 'voteRequest';
  /** A pre-vote: the receiver answers without changing its state. */
  readonly preVote: boolean;
  /** Part of a leadership transfer (TimeoutNow): not ignored although there is a leader. */
  readonly transfer: boolean;
  readonly lastIndex: LogIndex;
  readonly lastTerm: Term;
}

export interface VoteReply extends Envelope {
  readonly kind: 'voteReply';
  readonly preVote: boolean;
  readonly granted: boolean;
}

/** AppendEntries (paper 5.3). Without entries it only carries the commit index or probes. */
export interface AppendRequest extends Envelope {
  readonly kind: 'append';
  readonly prevIndex: LogIndex;
  readonly prevTerm: Term;
  readonly entries: readonly Entry[];
  readonly commit: LogIndex;
  /** The receiver replies only to reject: the message only carries the commit index. */
  readonly quiet: boolean;
}

/** The follower's log equals the leader's up to and including `index`, durably. */
export interface AppendAccepted extends Envelope {
  readonly kind: 'appendAccepted';
  readonly index: LogIndex;
}

/**
 * The follower has no entry of the given term at `rejected`. The hint is the last position of its log that the leader
 * may share, so one exchange skips a whole divergent term (paper 5.3, last page).
 */
export interface AppendRejected extends Envelope {
  readonly kind: 'appendRejected';
  readonly rejected: LogIndex;
  readonly hintIndex: LogIndex;
  readonly hintTerm: Term;
}

/** A heartbeat. `readRound` asks for confirmation that the sender still leads (dissertation 6.4). */
export interface Heartbeat extends Envelope {
  readonly kind: 'heartbeat';
  readonly commit: LogIndex;
  readonly readRound: number;
}

export interface HeartbeatReply extends Envelope {
  readonly kind: 'heartbeatReply';
  readonly readRound: number;
}

/** The receiver's term is old: a leader that was replaced steps down. */
export interface StaleTerm extends Envelope {
  readonly kind: 'staleTerm';
}

/**
 * InstallSnapshot (paper 7). When the core returns it, it asks the caller to stream a snapshot to `to`, taken at `snapshot.index`
 * or later. The caller streams the data. When the receiver has all of it, its caller steps this message, with the metadata of the
 * snapshot that was actually taken, into its own core. If the core accepts it (`RaftNode.installing`), a later Write asks to
 * install it.
 */
export interface SnapshotRequest extends Envelope {
  readonly kind: 'snapshot';
  readonly snapshot: SnapshotMeta;
}

/** The leader asks its chosen successor to campaign at once (dissertation 3.10). */
export interface TimeoutNow extends Envelope {
  readonly kind: 'timeoutNow';
}

/** The ReadIndex request of a follower, for all of its waiting reads. */
export interface ReadRequest extends Envelope {
  readonly kind: 'readRequest';
  /** Drawn at start, so that a reply to an earlier run of this peer is not accepted. */
  readonly incarnation: number;
  readonly sequence: number;
}

export interface ReadReply extends Envelope {
  readonly kind: 'readReply';
  readonly incarnation: number;
  readonly sequence: number;
  /** Undefined when the receiver could not answer; see `refused`. */
  readonly index: LogIndex | undefined;
  readonly refused: ReadRefusal | undefined;
}

/** Why a linearizable read got no index. All of these can be retried safely. */
export type ReadRefusal =
  /** No leader is known. */
  | 'noLeader'
  /** The leader has not committed an entry of its term yet. */
  | 'noCommitInTerm'
  /** Too many reads are waiting. */
  | 'tooManyReads'
  /** The leader stepped down or changed while the read waited. */
  | 'leaderChanged'
  /** No answer within an election timeout. */
  | 'timeout';

export type Message =
  | VoteRequest
  | VoteReply
  | AppendRequest
  | AppendAccepted
  | AppendRejected
  | Heartbeat
  | HeartbeatReply
  | StaleTerm
  | SnapshotRequest
  | TimeoutNow
  | ReadRequest
  | ReadReply;

export type MessageKind = Message['kind'];
