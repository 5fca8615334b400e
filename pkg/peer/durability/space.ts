import type { World } from '../../base/index.js';
import type { TxnResult } from '../../storage/index.js';
import { SPACE_LIMITS } from '../common/index.js';
import { Ballast } from './ballast.js';
import type { PeerDisk } from './peerdisk.js';

export interface SpacePorts {
  readonly world: World;
  /** The disk that is watched; undefined: none. */
  readonly disk: PeerDisk | undefined;
  readonly quotaBytes: number;
  /** The space to keep free; see `reserveOn`. */
  readonly reserveBytes: number;
  /** The bytes of the state that are in use: the quota limits these. */
  stateBytes(): number;
  /** The bytes of its files. Called only periodically, because it queries the engine. */
  stateBytesOnDisk(): number;
  logHasRoom(): boolean;
  /** The data folder is gone. */
  lost(error: Error): void;
}

/** Returns the space to keep free on a disk of this size: the configured value, but not most of a small disk. */
export function reserveOn(diskBytes: number, askedBytes: number): number {
  const share = Math.max(diskBytes * SPACE_LIMITS.reserveShare, SPACE_LIMITS.reserveBytesMin);
  return Math.min(askedBytes, share);
}

/**
 * Decides whether there is space for more data. If not, puts are refused before they are proposed. Deletes and
 * compaction continue in the remaining reserve, so the peer recovers without help. If something else uses up the
 * reserve, the ballast is removed. If that space is used up as well, the state waits (`blocked`), and everything is
 * refused until there is space.
 */
export class Space {
  readonly #ports: SpacePorts;
  readonly #ballast: Ballast | undefined;
  #freeBytes = Number.POSITIVE_INFINITY;
  #reserveBytes = 0;
  /** Bytes of puts that were accepted since the free space was read. */
  #taken = 0;
  #stateBytesOnDisk = 0;
  /** When the state began to wait for space, by the monotonic clock. */
  #blockedSince: number | undefined;
  readonly #stop: () => void;

  constructor(ports: SpacePorts) {
    this.#ports = ports;
    const { world, disk, reserveBytes } = ports;
    if (disk !== undefined && reserveBytes > 0)
      this.#ballast = new Ballast({
        timers: world.timers,
        folder: disk.folder(),
        file: BALLAST_NAME,
        bytes: SPACE_LIMITS.ballastBytes,
        filling: world.random.bytes(SPACE_LIMITS.ballastStepBytes),
      });
    this.#look();
    this.#stop = world.timers.every(SPACE_LIMITS.lookEveryMs, () => this.#look());
  }

  /** Free bytes of the disk as last read; infinite without a disk. */
  get freeBytes(): number {
    return this.#freeBytes;
  }

  get stateBytesOnDisk(): number {
    return this.#stateBytesOnDisk;
  }

  #look(): void {
    this.#stateBytesOnDisk = this.#ports.stateBytesOnDisk();
    this.#ports.disk?.room().then(
      ({ freeBytes, totalBytes }) => {
        this.#freeBytes = freeBytes;
        this.#reserveBytes = reserveOn(totalBytes, this.#ports.reserveBytes);
        this.#taken = 0;
        if (freeBytes < SPACE_LIMITS.ballastReleaseBytes) this.#ballast?.release();
        else if (freeBytes > this.#reserveBytes + 2 * SPACE_LIMITS.ballastBytes) this.#ballast?.keep();
      },
      (error: NodeJS.ErrnoException) => {
        // If a disk cannot report its free space, writes fail when it is full.
        if (error.code === 'ENOENT') this.#ports.lost(new Error(`the data folder has been removed: ${error.message}`));
      },
    );
  }

  /** A write of the state failed for lack of space. It is retried. */
  blocked(): void {
    this.#blockedSince ??= this.#ports.world.clock.monotonic();
    this.#ballast?.release();
  }

  /** A write of the state succeeded again. */
  unblocked(): void {
    this.#blockedSince = undefined;
  }

  /** Undefined when a transaction of this size may be proposed. */
  refusal(bytes: number, puts: number): TxnResult | undefined {
    const why = puts > 0 ? this.problem : this.standstill;
    if (why !== undefined) return { kind: 'refused', reason: 'noSpace', message: why };
    this.#taken += bytes;
    return undefined;
  }

  get problem(): string | undefined {
    const { quotaBytes } = this.#ports;
    const blocked = this.standstill;
    if (blocked !== undefined) return blocked;
    if (!this.#ports.logHasRoom()) return 'the disk has no room for another log segment; deletes are still accepted';
    if (this.#freeBytes - this.#taken * SPACE_LIMITS.copiesOfPut < this.#reserveBytes) {
      return `the disk has ${this.#freeBytes} bytes left, less than the reserve of ${this.#reserveBytes}; deletes are still accepted`;
    }
    const bytes = this.#ports.stateBytes();
    if (bytes <= quotaBytes) return undefined;
    return `the state has ${bytes} bytes, more than its quota of ${quotaBytes}; deletes are still accepted`;
  }

  /** Why no snapshot may be received: the current state still needs the space. */
  get snapshotProblem(): string | undefined {
    const least = this.#reserveBytes * SPACE_LIMITS.snapshotLeavesShare;
    if (this.#freeBytes >= least) return undefined;
    return `the disk has ${this.#freeBytes} bytes left, and a snapshot leaves ${Math.ceil(least)}: it needs room for a second state`;
  }

  /** Why neither writes nor consistent reads can be answered. Set after a delay, because removing the ballast may help. */
  get standstill(): string | undefined {
    const since = this.#blockedSince;
    if (since === undefined || this.#ports.world.clock.monotonic() - since < SPACE_LIMITS.blockedMs) return undefined;
    return 'the disk is completely full: nothing can be written, not even deletes, until there is space';
  }

  async stop(): Promise<void> {
    this.#stop();
    await this.#ballast?.stop();
  }
}

/** Removes the ballast of a full disk. Called before the state is opened, which needs some space. */
export async function releaseBallastIfFull(disk: PeerDisk): Promise<void> {
  let freeBytes: number;
  try {
    freeBytes = (await disk.room()).freeBytes;
  } catch {
    // The folder does not exist yet, or the disk cannot report its free space. Opening the state reports what is wrong.
    return;
  }
  const folder = disk.folder();
  if (freeBytes < SPACE_LIMITS.ballastReleaseBytes && folder.list().includes(BALLAST_NAME)) folder.remove(BALLAST_NAME);
}

const BALLAST_NAME = 'ballast';
