// The disk of a peer. Writes are queued and synced in groups. A crash loses unsynced writes, except that the device may have
// written some of the first ones.

import type { Entry, HardState, SnapshotMeta, Write } from '../../raft/index.js';
import { MemoryLog, NO_PEER } from '../../raft/index.js';
import type { Image } from './checker.js';
import { EMPTY_IMAGE } from './checker.js';

/** A write, with the state machine that it installs if it contains a snapshot. */
export interface QueuedWrite {
  readonly write: Write;
  readonly image: Image | undefined;
  /** The in-memory tail of the log already has its entries. */
  readonly tailed: boolean;
}

/** Faults of a broken disk, for mutations. */
export interface DiskFaults {
  /** Every write is reported durable at once, but a crash still loses it. */
  readonly syncsNothing?: boolean;
  /** A write that a crash interrupts leaves the hard state but not the entries. */
  readonly tearsWrites?: boolean;
  /** Votes are not written. */
  readonly forgetsVote?: boolean;
}

export class Disk {
  readonly log: MemoryLog;
  readonly #faults: DiskFaults;
  #hardState: HardState | undefined;
  #machine: Image = EMPTY_IMAGE;
  #queue: QueuedWrite[] = [];

  constructor(base: SnapshotMeta, faults: DiskFaults) {
    this.log = new MemoryLog(base);
    this.#faults = faults;
  }

  get hardState(): HardState | undefined {
    return this.#hardState;
  }

  /** The state machine as stored: at most as far as the log. */
  get machine(): Image {
    return this.#machine;
  }

  get queue(): readonly QueuedWrite[] {
    return this.#queue;
  }

  enqueue(queued: QueuedWrite): void {
    this.#queue.push(queued);
  }

  /** The first `count` queued writes become durable. Returns them. */
  sync(count: number): readonly QueuedWrite[] {
    const synced = this.#queue.splice(0, count);
    for (const { write, image } of synced) {
      this.#hardState = this.#faults.forgetsVote ? { ...write.hardState, vote: NO_PEER } : write.hardState;
      if (write.snapshot !== undefined && image !== undefined) {
        this.log.reset(write.snapshot);
        this.#machine = image;
      }
      this.log.append(write.entries);
    }
    return synced;
  }

  flushMachine(image: Image): void {
    this.#machine = image;
  }

  /** The power fails. `survivors` of the queued writes have reached the disk. */
  crash(survivors: number): void {
    this.sync(survivors);
    const torn = this.#queue[0];
    if (this.#faults.tearsWrites === true && torn !== undefined) this.#hardState = torn.write.hardState;
    this.#queue = [];
  }

  /**
   * A fault of memory: the last entry gets another term, if it is known to be committed and was applied. Returns whether it was altered.
   * The term is an older one, so that this peer loses elections against those that have the entry.
   */
  alterLast(): boolean {
    const last = this.entry(this.log.lastIndex());
    if (last === undefined || last.term === 1 || last.kind === 'config') return false;
    if (last.index > Math.min(this.#hardState?.commit ?? 0, this.#machine.index)) return false;
    this.log.append([{ ...last, term: (last.term - 1) as Entry['term'] }]);
    return true;
  }

  /** The entry at `index` after all queued writes. */
  entryAhead(index: number): Entry | undefined {
    for (let i = this.#queue.length - 1; i >= 0; i--) {
      const { write } = this.#queue[i]!;
      const first = write.entries[0]?.index;
      if (first !== undefined && index >= first) return write.entries[index - first];
      if (write.snapshot !== undefined) return undefined;
    }
    return this.entry(index);
  }

  entry(index: number): Entry | undefined {
    if (index <= this.log.base().index || index > this.log.lastIndex()) return undefined;
    return this.log.entries(index as Entry['index'], (index + 1) as Entry['index'], 1)[0];
  }
}
