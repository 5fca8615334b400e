// The log of the core: durable entries in the storage, followed by entries that are only in memory yet.
//
//     base        applied   applying    commit        stable    handed out       last
//  ----|-------------|---------|----------|-------------|-----------|-------------|
//      |<------------------ storage ------------------->|<----- unstable -------->|
//
// applied <= applying <= min(commit, stable); handed out counts entries given to a write that is not yet durable.
// Commit may be above stable: a quorum without this peer is enough.
//
// Worked example of a truncation. Entries 5..8 of term 2 were handed out with write 3 and are being synced when the
// leader of term 3 overwrites 7. In memory the log is now 5,6 (term 2), 7 (term 3). When write 3 is reported
// durable, only 5 and 6 may count as stable: the truncation has capped that write at 6. Entry 7 of term 3 becomes
// stable with the write that holds it, even if it has the same term and index as one of an older write.

import { invariant } from './invariant.js';
import { limited } from './memorylog.js';
import type { Write } from './ready.js';
import type { Entry, HardState, LogIndex, LogStorage, SnapshotMeta, Term } from './types.js';
import { entryBytes } from './types.js';

const NO_ENTRIES: readonly Entry[] = [];
const CUT_SLACK_ENTRIES = 1024;

interface InflightWrite {
  readonly number: number;
  readonly hardState: HardState;
  readonly snapshot: SnapshotMeta | undefined;
  /** The last entry that this write makes stable; later truncations lower it. */
  upTo: LogIndex;
}

interface ApplyingBatch {
  readonly last: LogIndex;
  readonly bytes: number;
}

export class RaftLog {
  readonly #storage: LogStorage;
  /** Entries after #stable, from #front on. */
  #unstable: Entry[] = [];
  #front = 0;
  #stable: LogIndex;
  #handedOut: LogIndex;
  /** Installed in memory but not yet durable. It replaces the storage, which is not read meanwhile. */
  #snapshot: SnapshotMeta | undefined;
  #snapshotHandedOut = false;
  #inflight: InflightWrite[] = [];
  #lastWrite = 0;
  #commit: LogIndex;
  #applying: LogIndex;
  #applied: LogIndex;
  #applyingBatches: ApplyingBatch[] = [];
  #applyingBytes = 0;

  constructor(storage: LogStorage, options: { readonly commit: LogIndex; readonly applied: LogIndex }) {
    const { index: base } = storage.base();
    this.#storage = storage;
    this.#stable = this.#handedOut = storage.lastIndex();
    this.#commit = Math.max(options.commit, options.applied, base) as LogIndex;
    this.#applying = this.#applied = options.applied;
    invariant(this.#stable >= base, 4, 'the storage ends before it begins');
    invariant(this.#applied >= base, 6, `applied ${this.#applied} lies before the base ${base} of the log`);
    invariant(this.#commit <= this.#stable, 5, `the log ends at ${this.#stable}, but ${this.#commit} was committed`);
  }

  /** The position before the first entry. */
  get base(): SnapshotMeta {
    return this.#snapshot ?? this.#storage.base();
  }

  get firstIndex(): LogIndex {
    return (this.base.index + 1) as LogIndex;
  }

  get lastIndex(): LogIndex {
    return (this.#stable + this.#unstable.length - this.#front) as LogIndex;
  }

  get lastTerm(): Term {
    return this.term(this.lastIndex)!;
  }

  get stable(): LogIndex {
    return this.#stable;
  }

  get commit(): LogIndex {
    return this.#commit;
  }

  get applied(): LogIndex {
    return this.#applied;
  }

  /** A snapshot was accepted and is not yet durable. */
  get installing(): boolean {
    return this.#snapshot !== undefined;
  }

  /** The term at `index`; undefined when the log ends before it or was compacted beyond it. */
  term(index: LogIndex): Term | undefined {
    if (index > this.#stable) return this.#unstable[this.#at(index)]?.term;
    if (this.#snapshot === undefined) return this.#storage.term(index);
    return index === this.#snapshot.index ? this.#snapshot.term : undefined;
  }

  /**
   * Returns entries from `lo` (>= firstIndex) on, about `maxBytes` of them. The result may end where durable and unstable entries
   * meet; the caller then asks again, and no array is copied.
   */
  slice(lo: LogIndex, maxBytes: number): readonly Entry[] {
    if (lo > this.#stable) return limited(this.#unstable, this.#at(lo), this.#unstable.length, maxBytes);
    return this.#storage.entries(lo, (this.#stable + 1) as LogIndex, maxBytes);
  }

  /** Appends one entry. */
  push(entry: Entry): void {
    invariant(entry.index === this.lastIndex + 1, 4, `entry ${entry.index} does not follow ${this.lastIndex}`);
    invariant(entry.term >= this.lastTerm, 4, `terms go back at entry ${entry.index}`);
    this.#unstable.push(entry);
  }

  /** Truncates the log: removes `from` and everything after it. */
  truncate(from: LogIndex): void {
    invariant(from > this.#commit, 5, `committed entry ${from} was to be cut off (commit ${this.#commit})`);
    const last = (from - 1) as LogIndex;
    if (last <= this.#stable) {
      this.#unstable = [];
      this.#front = 0;
      this.#stable = last;
    } else {
      this.#unstable.length = this.#at(from);
    }
    this.#handedOut = Math.min(this.#handedOut, last) as LogIndex;
    for (const write of this.#inflight) write.upTo = Math.min(write.upTo, last) as LogIndex;
  }

  /** Replaces the log by an empty one that starts after `snapshot`. */
  restore(snapshot: SnapshotMeta): void {
    invariant(snapshot.index > this.#commit, 5, `snapshot ${snapshot.index} is behind commit ${this.#commit}`);
    this.#unstable = [];
    this.#front = 0;
    this.#stable = this.#handedOut = this.#commit = snapshot.index;
    this.#snapshot = snapshot;
    this.#snapshotHandedOut = false;
    for (const write of this.#inflight) write.upTo = 0 as LogIndex;
  }

  /** Raises the commit index. It never goes back. */
  commitTo(index: LogIndex): void {
    if (index <= this.#commit) return;
    invariant(index <= this.lastIndex, 6, `commit ${index} is beyond the last entry ${this.lastIndex}`);
    this.#commit = index;
  }

  /** Returns all entries without a write as one write, or undefined when there are none and `hardState` is unchanged. */
  nextWrite(hardState: HardState, hardStateIsNew: boolean): Write | undefined {
    const snapshot = this.#snapshotHandedOut ? undefined : this.#snapshot;
    const last = this.lastIndex;
    if (!hardStateIsNew && snapshot === undefined && this.#handedOut === last) return undefined;
    const entries =
      this.#handedOut === last ? NO_ENTRIES : this.#unstable.slice(this.#at((this.#handedOut + 1) as LogIndex));
    this.#handedOut = last;
    this.#snapshotHandedOut = this.#snapshot !== undefined;
    this.#lastWrite++;
    this.#inflight.push({ number: this.#lastWrite, hardState, snapshot, upTo: last });
    return { number: this.#lastWrite, hardState, snapshot, entries };
  }

  /** The newest write that is not durable yet. */
  get newestInflightWrite(): { readonly number: number; readonly hardState: HardState } | undefined {
    return this.#inflight.at(-1);
  }

  get inflightWrites(): number {
    return this.#inflight.length;
  }

  /** True when entries or a snapshot wait for a write. */
  get hasUnwritten(): boolean {
    return this.#handedOut < this.lastIndex || (this.#snapshot !== undefined && !this.#snapshotHandedOut);
  }

  /** Writes up to `number` are durable. Returns the newest hard state among them. */
  persisted(number: number): HardState {
    const newest = this.#inflight.findLast((write) => write.number <= number);
    invariant(newest?.number === number, 12, `write ${number} is not waiting to be persisted`);
    for (let write = this.#inflight[0]; write !== undefined && write.number <= number; write = this.#inflight[0]) {
      this.#inflight.shift();
      if (write.snapshot !== undefined && write.snapshot === this.#snapshot) this.#installed(write.snapshot);
      if (write.upTo > this.#stable) this.#stabilize(write.upTo);
    }
    return newest.hardState;
  }

  /** Returns the next entries to apply, at most `maxBytes` or one entry. Empty while a snapshot is being installed. */
  nextCommitted(limits: { readonly batchBytes: number; readonly applyingBytes: number }): readonly Entry[] {
    if (!this.hasCommitted(limits.applyingBytes)) return NO_ENTRIES;
    const hi = (Math.min(this.#commit, this.#stable) + 1) as LogIndex;
    const entries = this.#storage.entries((this.#applying + 1) as LogIndex, hi, limits.batchBytes);
    let bytes = 0;
    for (const entry of entries) bytes += entryBytes(entry);
    this.#applying = entries.at(-1)!.index;
    this.#applyingBytes += bytes;
    this.#applyingBatches.push({ last: this.#applying, bytes });
    return entries;
  }

  hasCommitted(applyingBytesMax: number): boolean {
    return (
      this.#snapshot === undefined &&
      this.#applying < this.#commit &&
      this.#applying < this.#stable &&
      this.#applyingBytes < applyingBytesMax
    );
  }

  /** The state machine has applied `index`. An older index is ignored. */
  appliedTo(index: LogIndex): void {
    if (index <= this.#applied) return;
    invariant(index <= this.#applying, 6, `applied ${index} was never handed out (${this.#applying} was)`);
    this.#applied = index;
    for (let batch = this.#applyingBatches[0]; batch !== undefined && batch.last <= index; ) {
      this.#applyingBytes -= batch.bytes;
      this.#applyingBatches.shift();
      batch = this.#applyingBatches[0];
    }
  }

  #installed(snapshot: SnapshotMeta): void {
    this.#snapshot = undefined;
    this.#snapshotHandedOut = false;
    this.#applying = this.#applied = snapshot.index;
    this.#applyingBatches = [];
    this.#applyingBytes = 0;
  }

  #stabilize(upTo: LogIndex): void {
    this.#front += upTo - this.#stable;
    this.#stable = upTo;
    if (this.#front === this.#unstable.length) {
      this.#unstable = [];
      this.#front = 0;
    } else if (this.#front >= CUT_SLACK_ENTRIES && this.#front * 2 >= this.#unstable.length) {
      this.#unstable = this.#unstable.slice(this.#front);
      this.#front = 0;
    }
  }

  /** The position in #unstable of an index after #stable. */
  #at(index: LogIndex): number {
    return this.#front + index - this.#stable - 1;
  }
}
