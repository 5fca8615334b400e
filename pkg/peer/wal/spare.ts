import type { Timers } from '../../base/index.js';
import { WAL_LIMITS } from '../limits.js';
import type { LogDisk, LogFile } from './disk.js';

const ZEROS = Buffer.alloc(WAL_LIMITS.zeroStepBytes);

/** Errors that go away when somebody makes room. */
export function isOutOfSpace(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/**
 * The next segment, made before it is needed. All of it is written with zeros and synced, so that appending to it
 * later changes no metadata of the file system (twice the rate of a growing file), and can not run out of space.
 */
export class Spare {
  static readonly NAME = 'spare.tmp';

  readonly #disk: LogDisk;
  readonly #timers: Timers;
  #making: { readonly size: number; readonly file: Promise<LogFile> } | undefined;
  #cancelRetry: (() => void) | undefined;
  #retried: (() => void) | undefined;
  #outOfSpace = false;
  #closed = false;

  constructor(world: { readonly disk: LogDisk; readonly timers: Timers }) {
    this.#disk = world.disk;
    this.#timers = world.timers;
  }

  /** The last attempt to make a spare found no room; attempts go on. */
  get outOfSpace(): boolean {
    return this.#outOfSpace;
  }

  /** Begins to make a spare of at least `size` bytes unless there is one already. */
  prepare(size: number): void {
    if (this.#making !== undefined || this.#closed) return;
    const file = this.#make(size);
    this.#making = { size, file };
    // Whoever takes it sees the failure; until somebody does, it is not unhandled.
    file.catch(() => {});
  }

  /** The spare, zeroed and durable except for its name. Waits until there is room for it. Rejects on a faulty disk, or when closed. */
  async take(size: number): Promise<LogFile> {
    this.prepare(size);
    let making = this.#making;
    if (making === undefined) throw new Error('the log is closed');
    if (making.size < size) {
      (await making.file).close();
      this.#making = undefined;
      this.prepare(size);
      making = this.#making!;
    }
    const file = await making.file;
    this.#making = undefined;
    return file;
  }

  /** Takes over a segment that is no longer needed: as the next spare if there is none yet, which costs no space. */
  recycle(name: string): void {
    if (this.#making !== undefined || this.#closed || this.#disk.list().includes(Spare.NAME)) this.#disk.remove(name);
    else this.#disk.rename(name, Spare.NAME);
    this.#retried?.();
  }

  close(): void {
    this.#closed = true;
    this.#retried?.();
  }

  /** Resolves when no preparation is under way any more, and closes a spare that nobody took. */
  async settled(): Promise<void> {
    const file = await this.#making?.file.catch(() => undefined);
    this.#making = undefined;
    file?.close();
  }

  async #make(size: number): Promise<LogFile> {
    for (;;) {
      try {
        const file = await this.#zeroed(size);
        this.#outOfSpace = false;
        return file;
      } catch (error) {
        if (!isOutOfSpace(error)) throw error;
        this.#outOfSpace = true;
        // What was written so far would only keep others from recovering.
        this.#disk.remove(Spare.NAME);
      }
      await this.#roomOrRetry();
    }
  }

  async #zeroed(size: number): Promise<LogFile> {
    const file = this.#disk.create(Spare.NAME);
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
      this.#cancelRetry = this.#timers.after(WAL_LIMITS.prepareRetryMs, go);
    });
  }
}
