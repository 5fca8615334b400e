import type { Timers } from '../../../base/index.js';
import { WAL_LIMITS } from '../../common/index.js';
import type { LogDisk, LogFile } from './disk.js';

const ZEROS = Buffer.alloc(WAL_LIMITS.zeroStepBytes);

/** Errors that go away when somebody makes room. */
export function isOutOfSpace(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** How large a segment should be, and how small it may be where the disk is short of room. */
export interface SegmentWish {
  readonly bytes: number;
  readonly bytesMin: number;
}

export interface SpareWorld {
  readonly disk: LogDisk;
  readonly timers: Timers;
  /** Room that a segment made ahead of need leaves to others, given the size of the disk. */
  readonly keepFree?: (diskBytes: number) => number;
}

/**
 * The next segment, made before it is needed. All of it is written with zeros and synced, so that appending to it
 * later changes no metadata of the file system (twice the rate of a growing file), and can not run out of space.
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

  /** The last attempt to make a spare found no room; attempts go on. */
  get outOfSpace(): boolean {
    return this.#outOfSpace;
  }

  /** Begins to make a spare unless there is one already. */
  prepare(wish: SegmentWish): void {
    if (this.#making !== undefined || this.#closed) return;
    this.#making = this.#make(wish);
    // Whoever takes it sees the failure; until somebody does, it is not unhandled.
    this.#making.catch(() => {});
  }

  /**
   * The spare, at least `bytesMin` long, zeroed and durable except for its name. Waits until there is room for it. Rejects
   * on a faulty disk, or when closed.
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

  /** Takes over a segment that is no longer needed: as the next spare if there is none yet, which costs no space. */
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

  /** Resolves when no preparation is under way any more, and closes a spare that nobody took. */
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
          // What was written so far would only keep others from recovering.
          this.#world.disk.remove(Spare.NAME);
        }
      }
      this.#outOfSpace = true;
      await this.#roomOrRetry();
    }
  }

  /** The size to make, halved until it leaves room to others; undefined when not even the least does. */
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
    // What lies there may be a segment that was renamed. Wiped before its new name is durable, it could come back after a
    // power cut under its old one, as a segment that somebody destroyed.
    if (disk.list().includes(Spare.NAME)) await disk.syncDirectory();
    const file = disk.create(Spare.NAME);
    // A recycled segment may be larger than asked for; all of it must become zero (frame.ts, invariant 3).
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
