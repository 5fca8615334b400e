import { invariant, OrderedMap, type OrderedView } from '../../base/index.js';
import { StoreError } from '../errors.js';
import { pageBytesMax, pageRowsMax } from '../limits.js';
import type { Engine, EngineBatch, EngineHome, EnginePage, EngineRange, EngineScan, ScanRequest } from './engine.js';

/** Keys are latin1 strings: one code unit per byte, so they sort like the bytes. */
type Rows = OrderedMap<Buffer>;

/** The changes of one batch, in order. Without a value the key is deleted. */
type Ops = readonly { readonly key: string; readonly value: Buffer | undefined }[];

const keyOf = (key: Buffer): string => key.toString('latin1');

class MemoryBatch implements EngineBatch {
  readonly #engine: MemoryEngine;
  readonly #ops: { readonly key: string; readonly value: Buffer | undefined }[] = [];
  #bytes = 0;
  #spent = false;

  constructor(engine: MemoryEngine) {
    this.#engine = engine;
  }

  get ops(): number {
    return this.#ops.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  put(key: Buffer, value: Buffer): void {
    this.#bytes += key.length + value.length;
    this.#ops.push({ key: keyOf(key), value: Buffer.from(value) });
  }

  delete(key: Buffer): void {
    this.#bytes += key.length;
    this.#ops.push({ key: keyOf(key), value: undefined });
  }

  async write({ sync }: { readonly sync: boolean }): Promise<void> {
    invariant(!this.#spent, 'an engine batch is written once');
    try {
      this.#engine.take(this.#ops, sync);
      this.#spent = true;
    } catch (error) {
      this.#spent = !(error instanceof StoreError) || error.kind !== 'noSpace';
      throw error;
    }
  }
}

class MemoryScan implements EngineScan {
  readonly #view: OrderedView<Buffer>;
  readonly #reverse: boolean;
  #start: string;
  #end: string;
  #left: number;
  readonly #live: () => void;
  #closed = false;

  /** @param live throws when the engine is closed. */
  constructor(view: OrderedView<Buffer>, { gte, lt, reverse, limit }: ScanRequest, live: () => void) {
    this.#view = view;
    this.#live = live;
    this.#start = keyOf(gte);
    this.#end = keyOf(lt);
    this.#reverse = reverse ?? false;
    this.#left = limit ?? Number.POSITIVE_INFINITY;
  }

  async next(): Promise<EnginePage | undefined> {
    const keys: Buffer[] = [];
    const values: Buffer[] = [];
    this.#live();
    if (this.#closed) throw new StoreError('closed', 'the scan is closed');
    if (this.#left <= 0) return undefined;
    let bytes = 0;
    let last = '';
    const visit = (key: string, value: Buffer): boolean => {
      keys.push(Buffer.from(key, 'latin1'));
      values.push(value);
      bytes += value.length;
      last = key;
      return --this.#left > 0 && keys.length < pageRowsMax && bytes < pageBytesMax;
    };
    if (this.#reverse) this.#view.scanReverse(this.#start, this.#end, visit);
    else this.#view.scan(this.#start, this.#end, visit);
    if (keys.length === 0) return undefined;
    if (this.#reverse) this.#end = last;
    else this.#start = `${last}\0`;
    return { keys, values };
  }

  async close(): Promise<void> {
    this.#closed = true;
  }
}

export interface MemoryEngine extends Engine {
  /** For its batches only. */
  take(ops: Ops, sync: boolean): void;
}

/** Rows in an ordered map. A returned value is the stored one and must not be changed in place. */
class MapEngine implements MemoryEngine {
  readonly #disk: Disk;
  #closed = false;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  async get(key: Buffer): Promise<Buffer | undefined> {
    this.#live();
    return this.#disk.rows.get(keyOf(key));
  }

  async getMany(keys: readonly Buffer[]): Promise<readonly (Buffer | undefined)[]> {
    this.#live();
    return keys.map((key) => this.#disk.rows.get(keyOf(key)));
  }

  batch(): EngineBatch {
    return new MemoryBatch(this);
  }

  take(ops: Ops, sync: boolean): void {
    this.#live();
    this.#disk.fail?.();
    for (const { key, value } of ops) this.#disk.set(key, value);
    this.#disk.written(ops, sync);
  }

  scan(request: ScanRequest): EngineScan {
    this.#live();
    return new MemoryScan(this.#disk.rows.snapshot(), request, () => this.#live());
  }

  async clear({ gte, lt }: EngineRange): Promise<void> {
    this.#live();
    const doomed: string[] = [];
    this.#disk.rows.scan(keyOf(gte), keyOf(lt), (key) => doomed.push(key) > 0);
    for (const key of doomed) this.#disk.set(key, undefined);
    this.#disk.written(
      doomed.map((key) => ({ key, value: undefined })),
      false,
    );
  }

  async compactRange(): Promise<void> {
    this.#live();
  }

  sizeBytes(): number {
    return this.#disk.bytes;
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #live(): void {
    if (this.#closed) throw new StoreError('closed', 'the engine is closed');
  }
}

/** The data that survives an engine: its rows and, for simulated crashes, the last synced state and each batch since. */
class Disk {
  readonly rows: Rows;
  bytes = 0;
  /** Called before each write; throws to make it fail. */
  fail: (() => void) | undefined;
  readonly #crash: { synced: OrderedView<Buffer>; batches: Ops[] } | undefined;

  constructor(crashable: boolean, from?: OrderedView<Buffer>, batches: readonly Ops[] = []) {
    this.rows = new OrderedMap();
    from?.scan('', undefined, (key, value) => {
      this.set(key, value);
      return true;
    });
    for (const { key, value } of batches.flat()) this.set(key, value);
    this.#crash = crashable ? { synced: this.rows.snapshot(), batches: [] } : undefined;
  }

  set(key: string, value: Buffer | undefined): void {
    const was = this.rows.get(key);
    if (was !== undefined) this.bytes -= key.length + was.length;
    if (value === undefined) {
      this.rows.delete(key);
    } else {
      this.rows.set(key, value);
      this.bytes += key.length + value.length;
    }
  }

  /** The changes of a batch are in the rows. */
  written(ops: Ops, sync: boolean): void {
    if (this.#crash === undefined) return;
    if (sync) {
      this.#crash.synced = this.rows.snapshot();
      this.#crash.batches = [];
    } else this.#crash.batches.push(ops);
  }

  /** Batches written since the last synced one. */
  get unsynced(): number {
    return this.#crashable.batches.length;
  }

  /** The disk after a crash: the last synced state, and the first `keep` batches written since. */
  crashed(keep: number): Disk {
    const { synced, batches } = this.#crashable;
    return new Disk(true, synced, batches.slice(0, keep));
  }

  get #crashable() {
    invariant(this.#crash !== undefined, 'only a crashable home can crash');
    return this.#crash;
  }
}

export interface MemoryHome extends EngineHome {
  /** Batches written since the last synced one (crashable homes only). */
  readonly unsynced: number;
  /**
   * A power cut: all engines of this home fail, and the next `open` finds the last synced state plus the
   * first `keep` batches written after it.
   */
  crash(keep: number): void;
  /** From now on each write first calls `fail`, which may throw a `StoreError`; undefined disables this. */
  failWrites(fail: (() => void) | undefined): void;
}

/**
 * A home whose engines are in the memory of this process. `crashable` keeps the states that `crash` needs, at some
 * cost.
 */
export function memoryHome(options: { readonly name?: string; readonly crashable?: boolean } = {}): MemoryHome {
  const crashable = options.crashable ?? false;
  let current = new Disk(crashable);
  let engines: Engine[] = [];
  const start = (disk: Disk): Engine => {
    const engine = new MapEngine(disk);
    engines.push(engine);
    return engine;
  };
  return {
    name: options.name ?? 'memory',
    open: async () => start(current),
    fresh: async () => {
      const disk = new Disk(crashable);
      disk.fail = current.fail;
      const engine = start(disk);
      return {
        engine,
        adopt: async () => {
          current = disk;
        },
        discard: () => engine.close(),
      };
    },
    sweep: async () => {},
    get unsynced() {
      return current.unsynced;
    },
    crash: (keep) => {
      for (const engine of engines) void engine.close();
      engines = [];
      current = current.crashed(keep);
    },
    failWrites: (fail) => {
      current.fail = fail;
    },
  };
}
