import { invariant } from '../../base/index.js';
import { corrupt, StoreError } from '../errors.js';
import { blockCacheBytes, memtableBytes, openFilesMax, pageBytesMax, pageRowsMax } from '../limits.js';
import { type Binding, type BindingBatch, type BindingIterator, bind } from './binding.js';
import type { Engine, EngineBatch, EnginePage, EngineRange, EngineScan, ScanRequest } from './engine.js';

/** One callback of the binding as a promise whose rejection is a `StoreError`. */
function call<T>(folder: string, run: (done: (error: Error | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    run((error, value) => {
      if (error === null || error === undefined) resolve(value);
      else reject(storeErrorOf(folder, error));
    });
  });
}

/**
 * RocksDB reports errors as text only: the texts of its `Status` codes, with errno messages inside. Disk errors are matched first: they name
 * files too, and a manifest that could not be written for lack of space is not damaged.
 */
export function storeErrorOf(folder: string, error: Error): StoreError {
  // The name of the folder is arbitrary and must not be matched.
  const text = error.message.replaceAll(folder, '.');
  const cause = { cause: error };
  if (/No space left|quota exceeded/i.test(text)) {
    return new StoreError('noSpace', `no space left for the store in ${folder}: free some and start again`, cause);
  }
  if (/Permission denied|Not a directory|Read-only file system|EACCES|ENOTDIR|EROFS|EEXIST/.test(text)) {
    return new StoreError(
      'unreadable',
      `the store in ${folder} cannot be opened (${text}): make it a folder that this user may read and write`,
      cause,
    );
  }
  if (/lock/i.test(text) && /LOCK/.test(text)) {
    return new StoreError(
      'locked',
      `the store in ${folder} is in use by another process: stop it, or choose another data folder`,
      cause,
    );
  }
  if (/Corruption|checksum|Invalid argument|MANIFEST|missing|NotFound/i.test(text)) {
    return corrupt(folder, text, error);
  }
  if (/not open/.test(text)) return new StoreError('closed', `the store in ${folder} is closed`, cause);
  return new StoreError('io', `the disk failed under the store in ${folder}: ${text}`, cause);
}

/** Called with the outcome of a batch before the outcome is reported. */
type Outcome = (failure: StoreError | undefined, key: Buffer | undefined) => Promise<void>;

class RocksBatch implements EngineBatch {
  readonly #folder: string;
  readonly #batch: BindingBatch;
  readonly #outcome: Outcome;
  /** The first key put. */
  #key: Buffer | undefined;
  ops = 0;
  bytes = 0;

  constructor(folder: string, batch: BindingBatch, outcome: Outcome) {
    this.#folder = folder;
    this.#batch = batch;
    this.#outcome = outcome;
  }

  put(key: Buffer, value: Buffer): void {
    this.#batch.put(key, value);
    this.#key ??= Buffer.from(key);
    this.ops++;
    this.bytes += key.length + value.length;
  }

  delete(key: Buffer): void {
    this.#batch.del(key);
    this.ops++;
    this.bytes += key.length;
  }

  async write(options: { readonly sync: boolean }): Promise<void> {
    try {
      await call<void>(this.#folder, (done) => this.#batch._write(options, done as (error: Error | null) => void));
    } catch (error) {
      await this.#outcome(error as StoreError, this.#key);
      throw error;
    }
    await this.#outcome(undefined, this.#key);
  }
}

class RocksScan implements EngineScan {
  readonly #folder: string;
  readonly #iterator: BindingIterator;
  readonly #ended: () => void;
  #done = false;
  #closing: Promise<void> | undefined;
  #reading: Promise<EnginePage | undefined> | undefined;

  constructor(folder: string, iterator: BindingIterator, ended: () => void) {
    this.#folder = folder;
    this.#iterator = iterator;
    this.#ended = ended;
  }

  next(): Promise<EnginePage | undefined> {
    // Otherwise a reader that did not close the scan would take it for the end of the rows.
    if (this.#closing !== undefined) {
      return Promise.reject(new StoreError('closed', `the store in ${this.#folder} was closed while it was read`));
    }
    this.#reading = this.#read();
    return this.#reading;
  }

  /** The binding reads a page at a time on its thread pool and returns its rows one by one without waiting. */
  async #read(): Promise<EnginePage | undefined> {
    const keys: Buffer[] = [];
    const values: Buffer[] = [];
    let bytes = 0;
    await call<void>(this.#folder, (done) => {
      const take = (error: Error | null, key: Buffer | undefined, value: Buffer): void => {
        if (error || key === undefined) {
          this.#done = true;
          done(error, undefined);
          return;
        }
        keys.push(key);
        values.push(value);
        bytes += key.length + value.length;
        if (this.#done || bytes >= pageBytesMax || keys.length >= pageRowsMax) done(null, undefined);
        else this.#iterator.next(take);
      };
      if (this.#done) done(null, undefined);
      else this.#iterator.next(take);
    });
    return keys.length === 0 ? undefined : { keys, values };
  }

  close(): Promise<void> {
    this.#done = true;
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await this.#reading?.catch(() => undefined);
    this.#ended();
    await call<void>(this.#folder, (done) => this.#iterator.end(done as (error: Error | null) => void));
  }
}

class RocksEngine implements Engine {
  readonly #folder: string;
  readonly #db: Binding;
  readonly #scans = new Set<RocksScan>();
  readonly #onClosed: () => void;
  #closed = false;
  #full = false;

  constructor(folder: string, db: Binding, onClosed: () => void) {
    this.#folder = folder;
    this.#db = db;
    this.#onClosed = onClosed;
  }

  async get(key: Buffer): Promise<Buffer | undefined> {
    // `get` is not used: its "not found" is an error that differs from others only in its text.
    return (await this.getMany([key]))[0];
  }

  async getMany(keys: readonly Buffer[]): Promise<readonly (Buffer | undefined)[]> {
    this.#live();
    return call(this.#folder, (done) => this.#db.getMany(keys, { fillCache: true }, done));
  }

  batch(): EngineBatch {
    this.#live();
    return new RocksBatch(this.#folder, this.#db.batch(), async (failure, key) => {
      if (failure?.kind === 'noSpace') this.#full = true;
      else if (failure === undefined && this.#full) await this.#leaveTornLog(key ?? Buffer.of(0));
    });
  }

  /**
   * A write that ran out of space leaves a torn record in RocksDB's own log, where recovery ends, but RocksDB continues
   * to write behind it. So the next batch counts only when everything in memory has been flushed to files, which makes
   * that log obsolete. The binding reports no result of a flush, so the entries left in memory are counted.
   */
  async #leaveTornLog(key: Buffer): Promise<void> {
    // Compacting a range flushes memory that contains keys of it. For a new key there is nothing else to compact.
    await this.compactRange({ gte: key, lt: Buffer.concat([key, Buffer.of(0)]) });
    const left = ['rocksdb.num-entries-active-mem-table', 'rocksdb.num-immutable-mem-table'].some(
      (property) => Number(this.#db.getProperty(property)) !== 0,
    );
    if (left) throw new StoreError('noSpace', `no space left for the store in ${this.#folder}: free some`);
    this.#full = false;
  }

  scan({ gte, lt, reverse, limit }: ScanRequest): EngineScan {
    this.#live();
    // The binding pins a RocksDB snapshot when it creates the iterator, synchronously.
    const iterator = this.#db.iterator({
      gte,
      lt,
      reverse: reverse ?? false,
      limit: limit ?? -1,
      highWaterMark: pageBytesMax,
      fillCache: false,
    });
    const scan: RocksScan = new RocksScan(this.#folder, iterator, () => this.#scans.delete(scan));
    this.#scans.add(scan);
    return scan;
  }

  async clear(range: EngineRange): Promise<void> {
    this.#live();
    await call<void>(this.#folder, (done) => this.#db.clear(range, done as (error: Error | null) => void));
  }

  async compactRange({ gte, lt }: EngineRange): Promise<void> {
    this.#live();
    await call<void>(this.#folder, (done) => this.#db.compactRange(gte, lt, done as (error: Error | null) => void));
  }

  sizeBytes(): number {
    if (this.#closed) return 0;
    return (
      Number(this.#db.getProperty('rocksdb.total-sst-files-size')) +
      Number(this.#db.getProperty('rocksdb.cur-size-all-mem-tables'))
    );
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all([...this.#scans].map((scan) => scan.close()));
    const closed = call<void>(this.#folder, (done) => this.#db.close(done as (error: Error | null) => void));
    // After a full disk RocksDB may wait inside `close` until there is space.
    if (this.#full) void closed.then(this.#onClosed, () => undefined);
    else await closed.then(this.#onClosed);
  }

  #live(): void {
    if (this.#closed) throw new StoreError('closed', `the store in ${this.#folder} is closed`);
  }
}

/** Opens or creates a RocksDB in `folder`, whose parent exists. Rejects with a `StoreError`. */
export async function openRocksEngine(
  folder: string,
  openFiles: number = openFilesMax,
  onClosed: () => void = () => {},
): Promise<Engine> {
  const db = bind(folder);
  await call<void>(folder, (done) =>
    db.open(
      {
        createIfMissing: true,
        writeBufferSize: memtableBytes,
        cacheSize: blockCacheBytes,
        maxOpenFiles: openFiles,
        compression: true,
      },
      done as (error: Error | null) => void,
    ),
  );
  const engine = new RocksEngine(folder, db, onClosed);
  invariant(Number.isFinite(engine.sizeBytes()), 'RocksDB reports no sizes');
  return engine;
}
