import type { Timers } from '../../base/index.js';
import type { LogDisk } from './wal/disk.js';

export interface BallastPorts {
  readonly timers: Timers;
  readonly folder: LogDisk;
  /** Its name in the folder. */
  readonly file: string;
  readonly bytes: number;
  /** The content. Not zeros, which some file systems do not store. */
  readonly filling: Uint8Array;
}

/**
 * An emergency ballast file: it is removed when the disk is completely full, so that writes under way can finish and deletes are accepted. It
 * is created again when there is enough space.
 */
export class Ballast {
  readonly #ports: BallastPorts;
  #held: boolean;
  #making: Promise<void> | undefined;
  #wanted = false;
  #stopped = false;

  constructor(ports: BallastPorts) {
    this.#ports = ports;
    this.#held = sizeOf(ports.folder, ports.file) === ports.bytes;
    if (!this.#held) this.#remove();
  }

  /**
   * Starts to create the file unless it exists. If that fails, most likely for lack of space, the incomplete file is
   * removed.
   */
  keep(): void {
    // The report of free space that triggers this may arrive after `stop`.
    if (this.#held || this.#making !== undefined || this.#stopped) return;
    this.#wanted = true;
    this.#making = this.#make()
      .catch(() => this.#remove())
      .finally(() => {
        this.#making = undefined;
      });
  }

  /** Removes the file, at once or, while it is still being created, a moment later. */
  release(): void {
    this.#wanted = false;
    if (this.#held) this.#remove();
  }

  /** Stops creating the file. A complete one stays. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wanted = false;
    await this.#making;
  }

  async #make(): Promise<void> {
    const { folder, file, bytes, filling } = this.#ports;
    const handle = folder.create(file);
    try {
      for (let at = 0; at < bytes && this.#wanted; at += filling.length) {
        await handle.write(filling.subarray(0, Math.min(filling.length, bytes - at)), at);
        // Other work of this thread runs between two steps.
        await new Promise<void>((resolve) => this.#ports.timers.immediate(resolve));
      }
    } finally {
      handle.close();
    }
    if (this.#wanted) this.#held = true;
    else this.#remove();
  }

  #remove(): void {
    this.#held = false;
    const { folder, file } = this.#ports;
    if (folder.list().includes(file)) folder.remove(file);
  }
}

function sizeOf(folder: LogDisk, name: string): number | undefined {
  if (!folder.list().includes(name)) return undefined;
  const file = folder.open(name);
  try {
    return file.size;
  } finally {
    file.close();
  }
}
