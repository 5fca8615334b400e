import type { LogDisk, LogFile } from './disk.js';
import { SECTOR } from './frame.js';

/** The fate of a sector that was written but not synced at a power cut. */
export type SectorFate = (file: string, sector: number) => 'written' | 'lost';

/**
 * A disk for tests: it distinguishes synced from unsynced writes, loses the latter on `crash`, and fails on demand. Sectors are atomic, as on
 * real disks; between syncs they become durable in any order.
 */
export class SimulatedDisk implements LogDisk {
  #live = new Map<string, SimulatedFile>();
  #durableNames = new Map<string, SimulatedFile>();
  /** The total capacity of all files; writes beyond it fail with ENOSPC. */
  capacityBytes = Number.POSITIVE_INFINITY;
  /** Called at each sync. If it throws, the sync fails with its error. */
  onSync: (name: string) => void | Promise<void> = () => {};
  /** Called at each write. If it throws, the write fails with its error. */
  onWrite: (name: string, position: number, bytes: Uint8Array) => void = () => {};

  list(): readonly string[] {
    return [...this.#live.keys()];
  }

  open(name: string): LogFile {
    const file = this.#live.get(name);
    if (file === undefined) throw Object.assign(new Error(`ENOENT ${name}`), { code: 'ENOENT' });
    return file;
  }

  create(name: string): LogFile {
    let file = this.#live.get(name);
    if (file === undefined) {
      file = new SimulatedFile(this, name);
      this.#live.set(name, file);
    }
    return file;
  }

  rename(from: string, to: string): void {
    const file = this.open(from) as SimulatedFile;
    this.#live.delete(from);
    this.#live.set(to, file);
    file.name = to;
  }

  remove(name: string): void {
    this.#live.delete(name);
  }

  room(): { readonly freeBytes: number; readonly totalBytes: number } {
    return { freeBytes: this.capacityBytes - this.usedBytes(), totalBytes: this.capacityBytes };
  }

  async syncDirectory(): Promise<void> {
    this.#durableNames = new Map(this.#live);
  }

  usedBytes(): number {
    let sum = 0;
    for (const file of this.#live.values()) sum += file.size;
    return sum;
  }

  /** The bytes of a file as a running process sees them. */
  bytes(name: string): Buffer {
    return (this.open(name) as SimulatedFile).current;
  }

  /**
   * Returns the disk after a power cut: `fate` decides about each unsynced sector, and names are those of the last
   * `syncDirectory`.
   */
  crash(fate: SectorFate): SimulatedDisk {
    const after = new SimulatedDisk();
    for (const [name, file] of this.#durableNames) {
      const found = new SimulatedFile(after, name);
      found.current = file.after(fate);
      found.durable = Buffer.from(found.current);
      after.#live.set(name, found);
    }
    after.#durableNames = new Map(after.#live);
    return after;
  }
}

class SimulatedFile implements LogFile {
  name: string;
  current: Buffer = Buffer.alloc(0);
  durable: Buffer = Buffer.alloc(0);
  readonly #disk: SimulatedDisk;
  readonly #dirty = new Set<number>();
  /** Sectors whose sync failed and that were not written again. */
  readonly #lost = new Set<number>();

  constructor(disk: SimulatedDisk, name: string) {
    this.#disk = disk;
    this.name = name;
  }

  get size(): number {
    return this.current.length;
  }

  read(position: number, length: number): Uint8Array {
    return Buffer.from(this.current.subarray(position, position + length));
  }

  async write(bytes: Uint8Array, position: number): Promise<void> {
    this.#disk.onWrite(this.name, position, bytes);
    const end = position + bytes.length;
    if (end > this.current.length) {
      if (this.#disk.usedBytes() + end - this.current.length > this.#disk.capacityBytes) {
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      }
      this.current = Buffer.concat([this.current, Buffer.alloc(end - this.current.length)]);
    }
    this.current.set(bytes, position);
    for (let sector = Math.floor(position / SECTOR); sector * SECTOR < end; sector++) {
      this.#dirty.add(sector);
      this.#lost.delete(sector);
    }
  }

  async writeDurably(bytes: Uint8Array, position: number): Promise<void> {
    await this.write(bytes, position);
    await this.sync();
  }

  async sync(): Promise<void> {
    const syncing = [...this.#dirty];
    try {
      await this.#disk.onSync(this.name);
    } catch (error) {
      // As in Linux, the pages stay readable and count as clean, and no later sync writes them.
      for (const sector of syncing) {
        this.#dirty.delete(sector);
        this.#lost.add(sector);
      }
      throw error;
    }
    const durable = Buffer.alloc(this.current.length);
    durable.set(this.durable);
    for (const sector of syncing) {
      this.#copySector(sector, durable);
      this.#dirty.delete(sector);
    }
    this.durable = durable;
  }

  after(fate: SectorFate): Buffer {
    const found = Buffer.alloc(this.current.length);
    found.set(this.durable);
    for (const sector of this.#dirty) {
      if (fate(this.name, sector) !== 'lost') this.#copySector(sector, found);
    }
    return found;
  }

  #copySector(sector: number, to: Buffer): void {
    const [start, end] = [sector * SECTOR, Math.min((sector + 1) * SECTOR, this.current.length)];
    this.current.copy(to, start, start, end);
  }

  close(): void {}
}
