// A peer's disk. Writes are queued, synced in groups, and lost in a crash when they were not synced, except for some
// of the first ones: the device may have got them out on its own.

import type { Entry, HardState, SnapshotMeta, Write } from '../../raft/index.js';
import { MemoryLog, NO_PEER } from '../../raft/index.js';
import type { Image } from './checker.js';
import { EMPTY_IMAGE } from './checker.js';

/** A write together with the state machine it installs, when it holds a snapshot. */
export interface QueuedWrite {
  readonly write: Write;
  readonly image: Image | undefined;
  /** The in-memory tail has its entries already. */
  readonly tailed: boolean;
}

/** How a broken disk is to behave: for mutations. */
export interface DiskFaults {
  /** Everything is reported durable at once; a crash takes it away all the same. */
  readonly syncsNothing?: boolean;
  /** Of the write that a crash interrupts the hard state is there, and not the entries. */
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

  /** The state machine as far as its own store has kept it: at most as far as the log. */
  get machine(): Image {
    return this.#machine;
  }

  get queue(): readonly QueuedWrite[] {
    return this.#queue;
  }

  enqueue(queued: QueuedWrite): void {
    this.#queue.push(queued);
  }

  /** The first `count` queued writes are on stable storage. Returns them. */
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

  /** Power is gone; of what was queued `survivors` writes happen to be out. */
  crash(survivors: number): void {
    this.sync(survivors);
    const torn = this.#queue[0];
    if (this.#faults.tearsWrites === true && torn !== undefined) this.#hardState = torn.write.hardState;
    this.#queue = [];
  }

  /** The entry at `index` in the log that the queued writes will leave behind. */
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
