import type { Revision } from '../base/index.js';

/**
 * The keyspace: what the API machinery sees of the replicated store. One interface, several
 * implementations (one process in memory, one process on RocksDB, a replicated peer, a peer behind a
 * thread boundary), one contract suite (`contract.ts`) that each of them passes.
 *
 * Keys are ASCII strings (`/registry/<resource>/<namespace>/<name>`), ordered by their bytes. Values are opaque bytes.
 */
export interface KeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  /** Revision of the put that brought the key into being (since it was last absent). */
  readonly createRevision: Revision;
  /** Revision of the last put. */
  readonly modRevision: Revision;
}

/** True at apply if the key's last put has exactly this revision; revision 0 means "the key is absent". */
export interface Compare {
  readonly key: string;
  readonly modRevision: Revision;
}

export type Op =
  | {
      readonly kind: 'put';
      readonly key: string;
      readonly value: Uint8Array;
      /** Milliseconds since the epoch after which the leader deletes the key through the log. Drawn before proposing. */
      readonly expiresAt?: number;
    }
  | { readonly kind: 'delete'; readonly key: string };

/** All compares true -> all ops, at one revision. A key may occur in at most one op. */
export interface Txn {
  readonly compares: readonly Compare[];
  readonly ops: readonly Op[];
}

export type TxnResult =
  /** Applied here, durable on a quorum. Every change of the transaction carries `revision`. */
  | { readonly kind: 'committed'; readonly revision: Revision }
  /** Some compare was false at `revision` (the state this peer has applied at least up to); nothing was changed. */
  | { readonly kind: 'conflict'; readonly revision: Revision; readonly key: string }
  /** Never appended anywhere: safe to try again. */
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly message: string }
  /** It may or may not have happened (leader lost, time-out after proposing). Never retry blindly. */
  | { readonly kind: 'unknown'; readonly message: string };

export type RefusalReason = 'overloaded' | 'noLeader' | 'noSpace' | 'tooLarge' | 'stopping';

export type ReadIndexResult =
  /** Every write acknowledged anywhere before the call has a revision <= `revision`. */
  | { readonly kind: 'ok'; readonly revision: Revision }
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly message: string };

export interface RangeRequest {
  /** First key, inclusive. */
  readonly start: string;
  /** First key beyond, exclusive. For a prefix use `prefixEnd(prefix)`. */
  readonly end: string;
  /** Exact revision to read at; absent = the newest this peer has applied. Pinned for the whole answer. */
  readonly revision?: Revision;
  /** At most this many key-values; absent = all. */
  readonly limit?: number;
}

export type RangeResult =
  | {
      readonly kind: 'ok';
      /** The state's revision: the requested one, or the newest applied when none was requested. */
      readonly revision: Revision;
      readonly items: readonly KeyValue[];
      /** Whether the limit cut the answer. */
      readonly more: boolean;
    }
  | HistoryError;

/** `compacted`: older than `oldest` that can still be read. `future`: newer than this peer has applied (`newest`). */
export type HistoryError =
  | { readonly kind: 'compacted'; readonly oldest: Revision }
  | { readonly kind: 'future'; readonly newest: Revision };

export type Change =
  | { readonly kind: 'put'; readonly current: KeyValue; readonly previous?: KeyValue }
  | { readonly kind: 'delete'; readonly key: string; readonly previous?: KeyValue };

/** Everything one revision changed, in the order of its ops. Revisions of consecutive events strictly rise; gaps are legal. */
export interface AppliedEvent {
  readonly revision: Revision;
  readonly changes: readonly Change[];
}

/**
 * Receives events in revision order. Several events that were applied together come in one call.
 * `progress` says that everything up to `revision` has been delivered, also when nothing changed (no-ops use revisions too).
 * It is called at least once when the history that a watch began with has been delivered: a reader of history must know that it
 * has seen the end of it.
 */
export interface WatchSink {
  events(batch: readonly AppliedEvent[]): void;
  progress?(revision: Revision): void;
  /** The watch has ended and nothing more follows: compacted before it could be delivered, or the keyspace stopped. */
  end(why: HistoryError | { readonly kind: 'stopped'; readonly message: string }): void;
}

export interface WatchRequest {
  readonly start: string;
  readonly end: string;
  /** Deliver changes with revision > `after`. */
  readonly after: Revision;
  /** Fill `previous` of every change that had one. */
  readonly previous: boolean;
}

export interface Watch {
  /** No call to the sink after this returns. */
  cancel(): void;
}

export interface KeyspaceStatus {
  /** Newest revision this peer has applied. */
  readonly applied: Revision;
  /** Oldest revision that `range` and `watch` can still serve. */
  readonly compacted: Revision;
  readonly isLeader: boolean;
  readonly hasLeader: boolean;
  /** Bytes of the state on disk, and of the part in use. */
  readonly sizeBytes: number;
  readonly sizeInUseBytes: number;
}

export interface Keyspace {
  /**
   * Atomic compare-then-write. Resolves after this peer has applied the entry; before that its events reached the sinks of
   * all watches that are level with the stream (one that still reads history gets them in its turn). Compares of a key and a put
   * of it may be in one transaction; deleting an absent key changes nothing and is no event.
   */
  txn(txn: Txn): Promise<TxnResult>;
  /** A linearizable point in time; callers waiting at the same time share one quorum round. */
  readIndex(): Promise<ReadIndexResult>;
  range(request: RangeRequest): Promise<RangeResult>;
  /** History first, then live, without gap or repetition. A request in the compacted past ends at once with `compacted`. */
  watch(request: WatchRequest, sink: WatchSink): Watch;
  /**
   * Gives up history below `revision` (replicated; takes effect on every peer at the same point of the log). Without effect
   * where that is not above what was given up before, or above what is applied.
   */
  compact(revision: Revision): Promise<TxnResult>;
  status(): KeyspaceStatus;
  /** Resolves when everything acknowledged is safe and nothing runs any more. */
  close(): Promise<void>;
}

/** First key after every key that begins with `prefix` (ASCII, so the last byte can always be raised). */
export function prefixEnd(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}
