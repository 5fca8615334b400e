import type { Timers } from '../../../base/index.js';
import { WAL_LIMITS } from '../../common/index.js';
import type { LogDisk, LogFile } from './disk.js';

const ZEROS = Buffer.alloc(WAL_LIMITS.zeroStepBytes);

/** Reports whether an error disappears when there is space. */
export function isOutOfSpace(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** The desired size of a segment, and the minimum if the disk is nearly full. */
export interface SegmentWish {
  readonly bytes: number;
  readonly bytesMin: number;
}

export interface SpareWorld {
  readonly disk: LogDisk;
  readonly timers: Timers;
  /** The space that a segment made in advance leaves free, for a disk of this size. */
  readonly keepFree?: (diskBytes: number) => number;
}

/**
 * The next segment, made before it is needed. All of it is filled with zeros and synced, so that appending to it changes no metadata of the
 * file system (twice the rate of a growing file) and cannot run out of space.
 */
export class Spare {
  static readonly NAME = 'spare.tmp';

  readonly #world: SpareWorld;
  #making: Promise<LogFile> | undefined;
  #cancelRetry: (() => void) | undefined;
  #retried: (() => void) | undefined;
  #outOfSpace = false;
  #closed = false;

  constructor(world: SpareWorld) {
    this.#world = world;
  }

  /** The last attempt to make a spare found no space. Attempts continue. */
  get outOfSpace(): boolean {
    return this.#outOfSpace;
  }

  /** Begins to make a spare unless there is one already. */
  prepare(wish: SegmentWish): void {
    if (this.#making !== undefined || this.#closed) return;
    this.#making = this.#make(wish);
    // `take` reports the failure. Until then the rejection must not count as unhandled.
    this.#making.catch(() => {});
  }

  /**
   * Returns the spare, at least `bytesMin` long, zeroed and durable except for its name. Waits until there is space for it. Rejects on a
   * faulty disk, or when closed.
   */
  async take(wish: SegmentWish): Promise<LogFile> {
    for (;;) {
      this.prepare(wish);
      if (this.#making === undefined) throw new Error('the log is closed');
      const file = await this.#making;
      this.#making = undefined;
      if (file.size >= wish.bytesMin) return file;
      file.close();
    }
  }

  /** Reuses a segment that is no longer needed as the next spare, which costs no space, or removes it if there is one already. */
  recycle(name: string): void {
    const { disk } = this.#world;
    if (this.#making !== undefined || this.#closed || disk.list().includes(Spare.NAME)) disk.remove(name);
    else disk.rename(name, Spare.NAME);
    this.#retried?.();
  }

  close(): void {
    this.#closed = true;
    this.#retried?.();
  }

  /** Resolves when no preparation is under way, and closes a spare that was not taken. */
  async settled(): Promise<void> {
    const file = await this.#making?.catch(() => undefined);
    this.#making = undefined;
    file?.close();
  }

  async #make(wish: SegmentWish): Promise<LogFile> {
    for (;;) {
      if (this.#closed) throw new Error('the log is closed');
      const bytes = this.#affordable(wish);
      if (bytes !== undefined) {
        try {
          const file = await this.#zeroed(bytes);
          this.#outOfSpace = false;
          return file;
        } catch (error) {
          if (!isOutOfSpace(error)) throw error;
          // The incomplete file would only take space that others need to recover. There is none if it could not be created.
          const { disk } = this.#world;
          if (disk.list().includes(Spare.NAME)) disk.remove(Spare.NAME);
        }
      }
      this.#outOfSpace = true;
      await this.#roomOrRetry();
    }
  }

  /** Returns the size to make, halved until it leaves enough space free; undefined if even the minimum does not. */
  #affordable({ bytes, bytesMin }: SegmentWish): number | undefined {
    const { disk, keepFree } = this.#world;
    if (keepFree === undefined || disk.list().includes(Spare.NAME)) return bytes;
    const { freeBytes, totalBytes } = disk.room();
    const available = freeBytes - keepFree(totalBytes);
    let size = bytes;
    while (size > available && size / 2 >= bytesMin) size = Math.ceil(size / 2);
    return size <= available ? size : undefined;
  }

  async #zeroed(size: number): Promise<LogFile> {
    const { disk } = this.#world;
    // The file may be a renamed segment. If it were overwritten before its new name is durable, a power cut could
    // restore the old name with a destroyed segment.
    if (disk.list().includes(Spare.NAME)) await disk.syncDirectory();
    const file = disk.create(Spare.NAME);
    // A recycled segment may be larger than requested. All of it must become zero (frame.ts, invariant 3).
    const end = Math.max(size, file.size);
    try {
      for (let at = 0; at < end; at += ZEROS.length) {
        if (this.#closed) throw new Error('the log is closed');
        await file.write(ZEROS.subarray(0, Math.min(ZEROS.length, end - at)), at);
      }
      await file.sync();
      return file;
    } catch (error) {
      file.close();
      throw error;
    }
  }

  #roomOrRetry(): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        this.#cancelRetry?.();
        this.#cancelRetry = undefined;
        this.#retried = undefined;
        resolve();
      };
      this.#retried = go;
      this.#cancelRetry = this.#world.timers.after(WAL_LIMITS.prepareRetryMs, go);
    });
  }
}
