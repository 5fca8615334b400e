import type { Revision } from '../base/index.js';

/**
 * The keyspace: the replicated store as the API machinery sees it. One interface, several
 * implementations (one process in memory, one process on RocksDB, a replicated peer, a peer behind a
 * thread boundary), one contract suite (`contract.ts`) that each of them passes.
 *
 * Keys are ASCII strings (`/registry/<resource>/<namespace>/<name>`), ordered by their bytes. Values are opaque bytes.
 */
export interface KeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  /** Revision of the put that created the key. */
  readonly createRevision: Revision;
  /** Revision of the last put. */
  readonly modRevision: Revision;
  /** How the value is encrypted in the store; absent where the keyspace does not encrypt. */
  readonly protection?: Protection;
}

/** The encryption of a stored value. Many values share one. */
export interface Protection {
  /** Whether a write would now encrypt the value differently, or with another key. Changes with the configuration. */
  readonly stale: boolean;
  /** Why the value cannot be decrypted; it is then empty. */
  readonly problem?: string;
}

/** True at apply if the last put of the key has exactly this revision. Revision 0 means that the key is absent. */
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

/** If all compares are true, all ops are applied at one revision. A key may occur in at most one op. */
export interface Txn {
  readonly compares: readonly Compare[];
  readonly ops: readonly Op[];
}

export type TxnResult =
  /** Applied here, durable on a quorum. Every change of the transaction carries `revision`. */
  | { readonly kind: 'committed'; readonly revision: Revision }
  /** A compare was false at `revision`; this peer has applied at least this revision. Nothing was changed. */
  | { readonly kind: 'conflict'; readonly revision: Revision; readonly key: string }
  /** It was not appended to any log: safe to retry. */
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly message: string }
  /** It may or may not have happened (the leader was lost, or a timeout after proposing). Never retry blindly. */
  | { readonly kind: 'unknown'; readonly message: string };

export type RefusalReason = 'overloaded' | 'noLeader' | 'noSpace' | 'tooLarge' | 'stopping';

export type ReadIndexResult =
  /** Every write acknowledged anywhere before the call has a revision <= `revision`. */
  | { readonly kind: 'ok'; readonly revision: Revision }
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly message: string };

export interface RangeRequest {
  /** First key, inclusive. */
  readonly start: string;
  /** End of the range, exclusive. For a prefix use `prefixEnd(prefix)`. */
  readonly end: string;
  /** Exact revision to read at; absent = the newest this peer has applied. Pinned for the whole read. */
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
      /** Whether the limit truncated the result. */
      readonly more: boolean;
    }
  | HistoryError;

/**
 * `compacted`: older than `oldest`, the oldest readable revision. `future`: newer than `newest`, the newest that this
 * peer has applied.
 */
export type HistoryError =
  | { readonly kind: 'compacted'; readonly oldest: Revision }
  | { readonly kind: 'future'; readonly newest: Revision };

export type Change =
  | { readonly kind: 'put'; readonly current: KeyValue; readonly previous?: KeyValue }
  | { readonly kind: 'delete'; readonly key: string; readonly previous?: KeyValue };

/** All changes of one revision, in the order of its ops. Revisions of consecutive events increase strictly; gaps are allowed. */
export interface AppliedEvent {
  readonly revision: Revision;
  readonly changes: readonly Change[];
}

/**
 * Receives events in revision order. Several events that were applied together come in one call. `progress` reports
 * that everything up to `revision` has been delivered, even if nothing changed (no-ops use revisions too). It is called
 * at least once when the history that a watch began with has been delivered, so that a reader knows where history
 * ended.
 */
export interface WatchSink {
  events(batch: readonly AppliedEvent[]): void;
  progress?(revision: Revision): void;
  /** The watch has ended: its next events were compacted before they could be delivered, or the keyspace stopped. */
  end(why: HistoryError | { readonly kind: 'stopped'; readonly message: string }): void;
}

export interface WatchRequest {
  readonly start: string;
  readonly end: string;
  /** Deliver changes with revision > `after`. */
  readonly after: Revision;
  /** Whether to fill `previous` of each change. */
  readonly previous: boolean;
}

export interface Watch {
  /** After this returns, the sink is not called any more. */
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
   * Atomic compare-then-write. Resolves after this peer has applied the entry. Before that, its events have been
   * delivered to all watches that are up to date (a watch that still reads history gets them later). A transaction may
   * compare and put the same key. Deleting an absent key changes nothing and creates no event.
   */
  txn(txn: Txn): Promise<TxnResult>;
  /** A revision for a linearizable read. Concurrent callers share one quorum round. */
  readIndex(): Promise<ReadIndexResult>;
  range(request: RangeRequest): Promise<RangeResult>;
  /** Delivers history, then live events, without gap or repetition. A watch that begins in compacted history ends at once with `compacted`. */
  watch(request: WatchRequest, sink: WatchSink): Watch;
  /**
   * Compacts history below `revision`. Replicated: it takes effect on every peer at the same point of the log. No effect if `revision` is not
   * above the compacted revision, or is above the applied one.
   */
  compact(revision: Revision): Promise<TxnResult>;
  status(): KeyspaceStatus;
  /** Resolves when everything acknowledged is durable and no operation is active. */
  close(): Promise<void>;
}

/** The first key after all keys with this prefix. Keys are ASCII, so the last byte can always be incremented. */
export function prefixEnd(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}
