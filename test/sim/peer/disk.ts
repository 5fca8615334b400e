// The disk of one simulated machine: the directory of the write-ahead log, the small files beside it, and the state engines. It
// outlives the processes that use it. The power may fail after any operation.

import type { PeerDisk, Room, SmallFiles } from '../../../pkg/peer/durability/index.js';
import type { LogDisk, LogFile } from '../../../pkg/peer/durability/wal/disk.js';
import { type Engine, type EngineBatch, type EngineHome, memoryHome, StoreError } from '../../../pkg/storage/index.js';
import type { Random } from '../random.js';
import type { PeerFaults } from './faults.js';
import type { Process } from './process.js';

const SECTOR = 512;

/** Thrown by an operation during which the power failed. The process has no effect after it. */
export class PowerCut extends Error {
  override readonly name = 'PowerCut';
}

export interface DiskProfile {
  /** The longest time of a sync. */
  readonly syncMsMax: number;
}

export type DiskFaults = Pick<PeerFaults, 'ignoresRewrites'>;

interface Dirty {
  /** The durable content of the sector. Undefined when the file ended before it. */
  readonly old: Buffer | undefined;
  /** A sync failed for it: the kernel considers it clean, and no later sync writes it. */
  abandoned: boolean;
}

/** Files grow in steps, because most are filled by many small writes. */
const GROWTH = 8 * 1024;

class File {
  /** The content, and zeros after it. */
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;
  readonly dirty = new Map<number, Dirty>();

  get current(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  get size(): number {
    return this.#length;
  }

  holds(bytes: Uint8Array, position: number): boolean {
    return Buffer.compare(this.current.subarray(position, position + bytes.length), bytes) === 0;
  }

  write(bytes: Uint8Array, position: number): void {
    const end = position + bytes.length;
    const first = Math.floor(position / SECTOR);
    for (let sector = first; sector * SECTOR < end; sector++) {
      const known = this.dirty.get(sector);
      if (known !== undefined) {
        known.abandoned = false;
        continue;
      }
      const start = sector * SECTOR;
      const old = start < this.#length ? Buffer.from(this.current.subarray(start, start + SECTOR)) : undefined;
      this.dirty.set(sector, { old, abandoned: false });
    }
    if (end > this.#bytes.length) {
      const grown = Buffer.alloc(Math.ceil(end / GROWTH) * GROWTH);
      grown.set(this.current);
      this.#bytes = grown;
    }
    this.#length = Math.max(this.#length, end);
    this.#bytes.set(bytes, position);
  }

  synced(): void {
    for (const [sector, { abandoned }] of this.dirty) if (!abandoned) this.dirty.delete(sector);
  }

  syncFailed(): void {
    for (const dirty of this.dirty.values()) dirty.abandoned = true;
  }

  /** Restores the old content where `isLost`. */
  lose(isLost: (dirty: Dirty) => boolean): void {
    let length = this.#length;
    for (const [sector, dirty] of [...this.dirty].sort(([a], [b]) => b - a)) {
      const start = sector * SECTOR;
      if (isLost(dirty)) {
        if (dirty.old !== undefined) this.#bytes.set(dirty.old, start);
        else if (start + SECTOR >= length) length = Math.min(length, start);
        else this.#bytes.fill(0, start, start + SECTOR);
      }
      this.dirty.delete(sector);
    }
    this.#bytes.fill(0, length);
    this.#length = length;
  }
}

/** The names of the files in one directory. Changes of names become durable in order. */
class Folder<T> {
  readonly live = new Map<string, T>();
  #durable = new Map<string, T>();
  #pending: ((names: Map<string, T>) => void)[] = [];

  change(f: (names: Map<string, T>) => void): void {
    f(this.live);
    this.#pending.push(f);
  }

  sync(): void {
    this.#durable = new Map(this.live);
    this.#pending = [];
  }

  /** After a power cut: the first changes since the last sync may have reached the disk. */
  crash(random: Random): void {
    const kept = random.int(0, this.#pending.length);
    for (const f of this.#pending.slice(0, kept)) f(this.#durable);
    this.#pending = [];
    this.live.clear();
    for (const [name, file] of this.#durable) this.live.set(name, file);
  }
}

/** Small segments, so that a run uses many. */
const SEGMENTS = { firstSegmentBytes: 8 * 1024, segmentBytesMax: 32 * 1024 };

export class MachineDisk {
  readonly #random: Random;
  readonly #profile: DiskProfile;
  readonly #faults: DiskFaults;
  readonly #log = new Folder<File>();
  readonly #notes = new Folder<string>();
  readonly #data = new Folder<File>();
  readonly #engines = memoryHome({ name: 'simulated', crashable: true });
  /** Operations until the power fails; undefined if it does not. */
  #cutIn: number | undefined;
  #onCut: () => void = () => {};
  #full = false;
  #slow = false;
  #calm = false;
  #syncFails = false;
  operations = 0;

  constructor(random: Random, profile: DiskProfile, faults: DiskFaults = {}) {
    this.#faults = faults;
    this.#random = random;
    this.#profile = profile;
  }

  /** The power fails at the `operations`-th operation from now. */
  cutAfter(operations: number, onCut: () => void): void {
    this.#cutIn = operations;
    this.#onCut = onCut;
  }

  set full(full: boolean) {
    this.#full = full;
    this.#engines.failWrites(
      full
        ? () => {
            throw new StoreError('noSpace', 'the simulated disk is full');
          }
        : undefined,
    );
  }

  set slow(slow: boolean) {
    this.#slow = slow;
  }

  /** The next sync of the log fails. */
  failSync(): void {
    this.#syncFails = true;
  }

  /** Stops all faults. */
  calm(): void {
    this.#calm = true;
    this.#cutIn = undefined;
    this.#syncFails = false;
    this.#slow = false;
    this.full = false;
  }

  get isEmpty(): boolean {
    return this.#log.live.size === 0;
  }

  /** Restores the power. Unsynced data is partly there. */
  powerCut(): void {
    this.#cutIn = undefined;
    for (const file of new Set(this.#log.live.values())) {
      const all = this.#random.chance(0.3);
      file.lose(({ abandoned }) => all || abandoned || this.#random.chance(0.5));
    }
    this.#log.crash(this.#random);
    for (const file of this.#log.live.values()) file.lose(() => true);
    this.#notes.crash(this.#random);
    this.#engines.crash(this.#random.chance(0.5) ? 0 : this.#random.int(0, this.#engines.unsynced));
  }

  /** A process has exited and another starts: the kernel may have dropped cached data of a failed sync. */
  processEnded(): void {
    if (!this.#random.chance(0.5)) return;
    for (const file of this.#log.live.values()) {
      if ([...file.dirty.values()].some(({ abandoned }) => abandoned)) file.lose(({ abandoned }) => abandoned);
    }
  }

  /** Simulates a misdirected write or a corrupted sector. Returns false when there is nothing to damage. */
  damage(): boolean {
    const files = [...this.#log.live.values()].filter((file) => file.size > 4 * SECTOR);
    if (files.length === 0) return false;
    const file = this.#random.pick(files);
    const used: number[] = [];
    for (let sector = 0; sector * SECTOR < file.size; sector++) {
      if (file.current.subarray(sector * SECTOR, (sector + 1) * SECTOR).some((byte) => byte !== 0)) used.push(sector);
    }
    // Not the last frame: a sector lost there is indistinguishable from an interrupted write.
    if (used.length < 6) return false;
    const at = used[this.#random.int(0, used.length - 4)]! * SECTOR;
    const from = used[this.#random.int(0, used.length - 1)]! * SECTOR;
    const misdirected = this.#random.chance(0.5) && from !== at;
    if (misdirected) file.current.copy(file.current, at, from, from + SECTOR);
    else file.current[at + this.#random.int(0, 16)]! ^= 1 << this.#random.int(0, 7);
    return true;
  }

  /** One operation of `process`. Throws when the power fails at it, or the process has ended. */
  #operation(process: Process): void {
    this.operations++;
    if (process.alive && this.#cutIn !== undefined && --this.#cutIn <= 0) {
      this.#cutIn = undefined;
      this.#onCut();
    }
    if (!process.alive) throw new PowerCut('the power has failed');
  }

  /** The same for an operation that takes time. It never completes when the power fails. */
  async #timed<T>(process: Process, milliseconds: number, effect: () => T): Promise<T> {
    if (!this.#survives(process)) return never();
    if (milliseconds > 0) await process.sleep(milliseconds);
    if (!this.#survives(process)) return never();
    return effect();
  }

  #survives(process: Process): boolean {
    try {
      this.#operation(process);
      return true;
    } catch (error) {
      if (error instanceof PowerCut) return false;
      throw error;
    }
  }

  #syncMs(): number {
    const { syncMsMax } = this.#profile;
    if (this.#calm) return 0.1;
    return this.#random.unit() * (this.#slow ? 50 * syncMsMax : syncMsMax);
  }

  #folder(process: Process, folder: Folder<File>): LogDisk {
    const { live } = folder;
    const find = (name: string): File => {
      const file = live.get(name);
      if (file === undefined) throw Object.assign(new Error(`ENOENT ${name}`), { code: 'ENOENT' });
      return file;
    };
    const fileOf = (file: File): LogFile => {
      const write = (bytes: Uint8Array, position: number) =>
        this.#timed(process, 0, () => {
          if (this.#full && position + bytes.length > file.size) throw noSpace();
          if (this.#faults.ignoresRewrites === true && file.holds(bytes, position)) return;
          file.write(bytes, position);
        });
      const sync = () =>
        this.#timed(process, this.#syncMs(), () => {
          if (this.#syncFails) {
            this.#syncFails = false;
            file.syncFailed();
            throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
          }
          file.synced();
        });
      return {
        get size() {
          return file.size;
        },
        read: (position, length) => Buffer.from(file.current.subarray(position, position + length)),
        write,
        sync,
        writeDurably: (bytes, position) => write(bytes, position).then(sync),
        close: () => {},
      };
    };
    return {
      list: () => [...live.keys()],
      open: (name) => fileOf(find(name)),
      create: (name) => {
        this.#operation(process);
        const there = live.get(name);
        if (there !== undefined) return fileOf(there);
        if (this.#full) throw noSpace();
        const made = new File();
        folder.change((names) => names.set(name, made));
        return fileOf(made);
      },
      rename: (from, to) => {
        this.#operation(process);
        const file = find(from);
        folder.change((names) => {
          names.delete(from);
          names.set(to, file);
        });
      },
      remove: (name) => {
        this.#operation(process);
        find(name);
        folder.change((names) => names.delete(name));
      },
      room: () => this.#room(),
      syncDirectory: () => this.#timed(process, this.#syncMs(), () => folder.sync()),
    };
  }

  #room(): Room {
    return { freeBytes: this.#full ? 0 : 2 ** 40, totalBytes: 2 ** 40 };
  }

  files(process: Process): SmallFiles {
    const { live } = this.#notes;
    return {
      read: (name) => live.get(name),
      write: (name, text) => {
        this.#operation(process);
        if (this.#full) throw noSpace();
        this.#operation(process);
        this.#notes.change((names) => names.set(name, text));
        this.#operation(process);
        this.#notes.sync();
      },
      remove: (name) => {
        if (!live.has(name)) return;
        this.#operation(process);
        this.#notes.change((names) => names.delete(name));
        this.#operation(process);
        this.#notes.sync();
      },
    };
  }

  /** The view of the disk that `process` uses. */
  of(process: Process): PeerDisk {
    return {
      home: this.#home(process),
      files: this.files(process),
      segments: SEGMENTS,
      wal: () => this.#folder(process, this.#log),
      folder: () => this.#folder(process, this.#data),
      room: async () => this.#room(),
    };
  }

  /** A copy of the state as of now, by a tool that reads the disk of a stopped peer. */
  openState(): Promise<Engine> {
    return this.#engines.open();
  }

  #home(process: Process): EngineHome {
    const inner = this.#engines;
    const timed = <T>(effect: () => Promise<T>): Promise<T> =>
      this.#timed(process, 0, () => undefined).then(() => effect());
    return {
      name: inner.name,
      open: () => timed(async () => this.#engine(process, await inner.open())),
      sweep: () => timed(() => inner.sweep()),
      fresh: () =>
        timed(async () => {
          const fresh = await inner.fresh();
          return {
            engine: this.#engine(process, fresh.engine),
            adopt: () => timed(() => fresh.adopt()),
            discard: () => fresh.discard(),
          };
        }),
    };
  }

  #engine(process: Process, inner: Engine): Engine {
    const batch = (): EngineBatch => {
      const made = inner.batch();
      return {
        put: (key, value) => made.put(key, value),
        delete: (key) => made.delete(key),
        get ops() {
          return made.ops;
        },
        get bytes() {
          return made.bytes;
        },
        write: (options) =>
          this.#timed(process, options.sync ? this.#syncMs() : 0, () => undefined).then(() => made.write(options)),
      };
    };
    return {
      get: (key) => inner.get(key),
      getMany: (keys) => inner.getMany(keys),
      batch,
      scan: (request) => inner.scan(request),
      clear: (range) => this.#timed(process, 0, () => undefined).then(() => inner.clear(range)),
      compactRange: (range) => inner.compactRange(range),
      sizeBytes: () => inner.sizeBytes(),
      close: () => inner.close(),
    };
  }
}

function noSpace(): Error {
  return Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
}

function never(): Promise<never> {
  return new Promise(() => {});
}
