import type { Timers } from '../../base/index.js';
import type { LogDisk } from './wal/disk.js';

export interface BallastPorts {
  readonly timers: Timers;
  readonly folder: LogDisk;
  /** Its name in the folder. */
  readonly file: string;
  readonly bytes: number;
  /** What it is filled with: not zeros, which some file systems do not store. */
  readonly filling: Uint8Array;
}

/**
 * Room that nobody else can take: a file of no use but to be removed when the disk is full to the last byte. What was under way
 * then can be finished, and deletes be taken. It is made again once there is much room.
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

  /** Begins to make it unless it is there. When that fails, for want of room most likely, it is as if it had not been asked. */
  keep(): void {
    // What asks for it, the disk's answer, may come after the end.
    if (this.#held || this.#making !== undefined || this.#stopped) return;
    this.#wanted = true;
    this.#making = this.#make()
      .catch(() => this.#remove())
      .finally(() => {
        this.#making = undefined;
      });
  }

  /** The room is free when this returns, or, while it is still being made, a moment later. */
  release(): void {
    this.#wanted = false;
    if (this.#held) this.#remove();
  }

  /** Ends making it, for good, and leaves what is whole. */
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
        // Removed meanwhile, or a step of many: other work gets in between.
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
