import { statfs } from 'node:fs';
import type { World } from '../base/index.js';
import type { TxnResult } from '../storage/index.js';
import { SPACE_LIMITS } from './limits.js';

export interface SpacePorts {
  readonly world: World;
  /** Folder whose disk is watched; absent: none. */
  readonly directory: string | undefined;
  readonly quotaBytes: number;
  /** Room to keep free; see `reserveOn`. */
  readonly reserveBytes: number;
  /** Bytes of the state that are in use, which the quota is about. */
  stateBytes(): number;
  /** Bytes of its files. Asked now and then only: it is a question to the engine. */
  stateBytesOnDisk(): number;
  logHasRoom(): boolean;
}

/** Room to keep free on a disk of this size: what was asked for, but not most of a small one. */
export function reserveOn(diskBytes: number, askedBytes: number): number {
  const share = Math.max(diskBytes * SPACE_LIMITS.reserveShare, SPACE_LIMITS.reserveBytesMin);
  return Math.min(askedBytes, share);
}

/**
 * Whether there is room for more. When there is not, whatever puts is refused before it is proposed; deletes and
 * compaction go on, so it recovers by itself. Refusing early keeps the reserve for them.
 */
export class Space {
  readonly #ports: SpacePorts;
  #freeBytes = Number.POSITIVE_INFINITY;
  #reserveBytes = 0;
  /** Bytes of puts let through since the disk was last asked. */
  #taken = 0;
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
      this.#reserveBytes = reserveOn(stats.blocks * stats.bsize, this.#ports.reserveBytes);
      this.#taken = 0;
    });
  }

  /** Undefined when puts of so many bytes may be proposed. */
  refusal(bytes: number): TxnResult | undefined {
    const why = this.problem;
    if (why !== undefined) return { kind: 'refused', reason: 'noSpace', message: why };
    this.#taken += bytes;
    return undefined;
  }

  get problem(): string | undefined {
    const { quotaBytes } = this.#ports;
    if (!this.#ports.logHasRoom()) return 'the disk has no room for another log segment; deletes are still taken';
    if (this.#freeBytes - this.#taken * SPACE_LIMITS.copiesOfPut < this.#reserveBytes) {
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
