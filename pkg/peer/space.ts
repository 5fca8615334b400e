import { statfs } from 'node:fs';
import type { World } from '../base/index.js';
import type { TxnResult } from '../storage/index.js';
import { SPACE_LIMITS } from './limits.js';

export interface SpacePorts {
  readonly world: World;
  /** Folder whose disk is watched; absent: none. */
  readonly directory: string | undefined;
  readonly quotaBytes: number;
  /** Room to keep free, but not more than a share of a small disk. */
  readonly reserveBytes: number;
  /** Bytes of the state that are in use, which the quota is about. */
  stateBytes(): number;
  /** Bytes of its files. Asked now and then only: it is a question to the engine. */
  stateBytesOnDisk(): number;
  logHasRoom(): boolean;
}

/**
 * Whether there is room for more. When there is not, whatever puts is refused before it is proposed; deletes and
 * compaction go on, so it recovers by itself. Refusing early keeps the reserve for them.
 */
export class Space {
  readonly #ports: SpacePorts;
  #freeBytes = Number.POSITIVE_INFINITY;
  #reserveBytes = 0;
  #stateBytesOnDisk = 0;
  readonly #stop: () => void;

  constructor(ports: SpacePorts) {
    this.#ports = ports;
    this.#look();
    this.#stop = ports.world.timers.every(SPACE_LIMITS.lookEveryMs, () => this.#look());
  }

  get stateBytesOnDisk(): number {
    return this.#stateBytesOnDisk;
  }

  #look(): void {
    this.#stateBytesOnDisk = this.#ports.stateBytesOnDisk();
    const { directory } = this.#ports;
    if (directory === undefined) return;
    statfs(directory, (error, stats) => {
      // A disk that can not say how much is free will say so when it is full.
      if (error !== null) return;
      this.#freeBytes = stats.bavail * stats.bsize;
      this.#reserveBytes = Math.min(
        this.#ports.reserveBytes,
        stats.blocks * stats.bsize * SPACE_LIMITS.reserveShareMax,
      );
    });
  }

  /** Undefined when puts may be proposed. */
  refusal(): TxnResult | undefined {
    const why = this.problem;
    return why === undefined ? undefined : { kind: 'refused', reason: 'noSpace', message: why };
  }

  get problem(): string | undefined {
    const { quotaBytes } = this.#ports;
    if (!this.#ports.logHasRoom()) return 'the disk has no room for another log segment; deletes are still taken';
    if (this.#freeBytes < this.#reserveBytes) {
      return `the disk has ${this.#freeBytes} bytes left, less than the reserve of ${this.#reserveBytes}; deletes are still taken`;
    }
    const bytes = this.#ports.stateBytes();
    if (bytes <= quotaBytes) return undefined;
    return `the state has ${bytes} bytes, more than its quota of ${quotaBytes}; deletes are still taken`;
  }

  stop(): void {
    this.#stop();
  }
}
