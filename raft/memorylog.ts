// A LogStorage in memory: the tail of a write-ahead log, and the whole log in tests.

import { invariant } from './invariant.js';
import type { Entry, LogIndex, LogStorage, SnapshotMeta, Term } from './types.js';
import { entryBytes } from './types.js';

export class MemoryLog implements LogStorage {
  #base: SnapshotMeta;
  /** The entries from `base.index + 1` on. */
  #entries: Entry[] = [];

  /** @param entries the entries of a write-ahead log after its base, contiguous */
  constructor(base: SnapshotMeta, entries: readonly Entry[] = []) {
    this.#base = base;
    this.append(entries);
  }

  base(): SnapshotMeta {
    return this.#base;
  }

  lastIndex(): LogIndex {
    return (this.#base.index + this.#entries.length) as LogIndex;
  }

  term(index: LogIndex): Term | undefined {
    if (index === this.#base.index) return this.#base.term;
    return index > this.#base.index ? this.#entries[this.#at(index)]?.term : undefined;
  }

  entries(lo: LogIndex, hi: LogIndex, maxBytes: number): readonly Entry[] {
    invariant(lo > this.#base.index && hi <= this.lastIndex() + 1, 4, `entries ${lo}..${hi} are not in the log`);
    const from = this.#at(lo);
    return limited(this.#entries, from, from + (hi - lo), maxBytes);
  }

  /** Appends entries. Existing entries at or after the first new index are removed first. */
  append(entries: readonly Entry[]): void {
    const first = entries[0];
    if (first === undefined) return;
    invariant(first.index > this.#base.index, 5, `entry ${first.index} is behind the base of the log`);
    invariant(first.index <= this.lastIndex() + 1, 4, `entry ${first.index} would leave a gap in the log`);
    this.#entries.length = this.#at(first.index);
    for (const entry of entries) this.#entries.push(entry);
  }

  /** Drops everything up to and including `base.index`, which must be in the log (or its base). */
  compact(base: SnapshotMeta): void {
    invariant(this.term(base.index) === base.term, 5, `compaction to ${base.index} does not match the log`);
    // A new array frees the memory of the dropped entries at once; compactions are rare.
    this.#entries = this.#entries.slice(base.index - this.#base.index);
    this.#base = base;
  }

  /** Drops everything: the log starts again after an installed snapshot. */
  reset(base: SnapshotMeta): void {
    this.#entries = [];
    this.#base = base;
  }

  #at(index: LogIndex): number {
    return index - this.#base.index - 1;
  }
}

/** Returns entries[from, to), truncated after the entry that reaches `maxBytes`; at least one if there is one. */
export function limited(entries: readonly Entry[], from: number, to: number, maxBytes: number): readonly Entry[] {
  let bytes = 0;
  let end = from;
  while (end < to && bytes < maxBytes) bytes += entryBytes(entries[end++]!);
  return entries.slice(from, end);
}
