/**
 * The interface to an ordered store of bytes. The state machine decides from memory, and uses the engine only to store its decisions and to
 * read values, so the interface is narrow.
 */
export interface EngineRange {
  /** First key, inclusive. */
  readonly gte: Buffer;
  /** End, exclusive. */
  readonly lt: Buffer;
}

export interface ScanRequest extends EngineRange {
  readonly reverse?: boolean;
  /** Rows in all; absent = no limit. */
  readonly limit?: number;
}

export interface EnginePage {
  readonly keys: readonly Buffer[];
  /** `values[i]` belongs to `keys[i]`. */
  readonly values: readonly Buffer[];
}

/** An iteration over the rows as they were when `scan` was called. One call of `next` at a time. */
export interface EngineScan {
  /** The next rows, at least one, within `pageRowsMax` and about `pageBytesMax`; undefined at the end. Rejects when it is closed. */
  next(): Promise<EnginePage | undefined>;
  /** Releases the pinned state, after a `next` under way has ended. May be called twice. */
  close(): Promise<void>;
}

/** Puts and deletes that take effect atomically. Later ones override earlier ones of the same key. */
export interface EngineBatch {
  /** Copies both, so the caller may reuse its buffers at once. */
  put(key: Buffer, value: Buffer): void;
  delete(key: Buffer): void;
  readonly ops: number;
  /** Bytes of keys and values put so far. */
  readonly bytes: number;
  /**
   * Writes the batch, which cannot be used afterwards. After `noSpace`, it may be written again, and must be written
   * before any other batch unless the engine is opened again: until then later writes follow a torn record. With
   * `sync`, the batch and everything written before it are on stable storage. Without, a crash of the machine may lose
   * it, but never a part of it, and never an earlier batch while keeping it. Concurrent batches may be applied in any
   * order, so the caller writes one at a time.
   */
  write(options: { readonly sync: boolean }): Promise<void>;
}

/** Every rejected promise is a `StoreError`. */
export interface Engine {
  get(key: Buffer): Promise<Buffer | undefined>;
  /** Reads all from one state; undefined for an absent key. */
  getMany(keys: readonly Buffer[]): Promise<readonly (Buffer | undefined)[]>;
  batch(): EngineBatch;
  scan(request: ScanRequest): EngineScan;
  /** Deletes a range, not atomically. */
  clear(range: EngineRange): Promise<void>;
  /** Rewrites a range without its deleted rows. May take long, but does not hold the thread. */
  compactRange(range: EngineRange): Promise<void>;
  /** The approximate bytes on disk and in write buffers. */
  sizeBytes(): number;
  /**
   * Ends open scans and releases the folder. After `noSpace` RocksDB may keep it until there is space. Then this
   * resolves without waiting, but the process exits only when there is space, unless it is killed.
   */
  close(): Promise<void>;
}

/**
 * A home of engines, one of which is current at any time. A second one may be filled beside it and replace it
 * atomically: this is how a snapshot is installed.
 */
export interface EngineHome {
  /** The name for messages: usually the folder. */
  readonly name: string;
  /** Opens the current engine, creates it if there is none, and removes the remains of an interrupted installation. */
  open(): Promise<Engine>;
  /** Creates an empty engine. */
  fresh(): Promise<FreshEngine>;
  /** Removes all engines except the current one and those that are still open here. */
  sweep(): Promise<void>;
}

export interface FreshEngine {
  readonly engine: Engine;
  /** Makes it the current one, durably: after this has resolved, `open` finds it, and before that the old one. */
  adopt(): Promise<void>;
  /** Closes and removes it. */
  discard(): Promise<void>;
}
