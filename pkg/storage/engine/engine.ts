/**
 * The narrow door to an ordered store of bytes. The state machine above it decides everything from memory and
 * uses the engine only to keep what was decided and to bring values back; so this is all it asks for.
 */
export interface EngineRange {
  /** First key, inclusive. */
  readonly gte: Buffer;
  /** First key beyond. */
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

/** A walk over the rows as they were when `scan` was called. One call of `next` at a time. */
export interface EngineScan {
  /** The next rows, at least one, within `pageRowsMax` and about `pageBytesMax`; undefined at the end. Rejects when it is closed. */
  next(): Promise<EnginePage | undefined>;
  /** Releases the pinned state. Safe to call twice; a `next` under way ends first. */
  close(): Promise<void>;
}

/** Puts and deletes that take effect together or not at all. Later ones win over earlier ones of the same key. */
export interface EngineBatch {
  /** Copies both: the caller may reuse its buffers at once. */
  put(key: Buffer, value: Buffer): void;
  delete(key: Buffer): void;
  readonly ops: number;
  /** Bytes of keys and values put so far. */
  readonly bytes: number;
  /**
   * Writes; the batch is spent afterwards. Only after a `noSpace` it may be written again, and must be before any other, or
   * the engine must be opened anew: until then what was written since lies behind a torn record. With `sync` it is on stable storage, and so is everything
   * written before it. Without, a crash of the machine may lose it, but never a part of it, nor anything
   * before it while keeping it. Batches may be applied in any order while several are being written, so the
   * caller keeps one under way.
   */
  write(options: { readonly sync: boolean }): Promise<void>;
}

/** Every rejected promise is a `StoreError`. */
export interface Engine {
  get(key: Buffer): Promise<Buffer | undefined>;
  /** All from one state; undefined where a key is absent. */
  getMany(keys: readonly Buffer[]): Promise<readonly (Buffer | undefined)[]>;
  batch(): EngineBatch;
  scan(request: ScanRequest): EngineScan;
  /** Deletes a range, not atomically. */
  clear(range: EngineRange): Promise<void>;
  /** Rewrites a range without the dead rows in it. May take long; does not hold the thread. */
  compactRange(range: EngineRange): Promise<void>;
  /** Bytes held on disk and in write buffers, about. */
  sizeBytes(): number;
  /**
   * Ends scans still open, then lets go of the folder. After a `noSpace` RocksDB may hold on to it until there is
   * room; this then resolves without waiting, but the end of the process waits again, unless it is killed.
   */
  close(): Promise<void>;
}

/**
 * Where engines live: at any time one of them is current. A second one may be filled beside it and take its
 * place in one atomic step, which is how a snapshot is installed.
 */
export interface EngineHome {
  /** For messages: the folder, or what stands for one. */
  readonly name: string;
  /** Opens the current engine, making it if there is none yet, and removes what an interrupted install left. */
  open(): Promise<Engine>;
  /** A new empty engine. */
  fresh(): Promise<FreshEngine>;
  /** Removes every engine but the current one and those still open here. */
  sweep(): Promise<void>;
}

export interface FreshEngine {
  readonly engine: Engine;
  /** Makes it the current one, durably: after this resolved `open` finds it, before that the old one. */
  adopt(): Promise<void>;
  /** Closes and removes it. */
  discard(): Promise<void>;
}
