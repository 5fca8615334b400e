// The configurations in the log. A configuration is in force as soon as it is in the log (paper section 6), so
// truncating the log can restore an older one, and a snapshot needs the one at its own index.

import { invariant } from './invariant.js';
import { decodeConfigEntry, emptyConfiguration } from './membership.js';
import type { Configuration, Entry, LogIndex, LogStorage, SnapshotMeta } from './types.js';

interface Placed {
  readonly index: LogIndex;
  readonly config: Configuration;
}

/** Bytes per read when the log is searched for configurations at start. */
const SCAN_BYTES = 1024 * 1024;

export class ConfigHistory {
  /** Ascending; the first is in force at the base of the log. */
  #placed: Placed[] = [{ index: 0 as LogIndex, config: emptyConfiguration() }];

  /** Reads the configurations of a stored log. */
  constructor(storage: LogStorage) {
    this.reset(storage.base());
    const end = (storage.lastIndex() + 1) as LogIndex;
    let lo = (storage.base().index + 1) as LogIndex;
    while (lo < end) {
      const entries = storage.entries(lo, end, SCAN_BYTES);
      invariant(entries.length > 0, 4, `the storage has no entry ${lo}`);
      for (const entry of entries) this.append(entry);
      lo = (lo + entries.length) as LogIndex;
    }
  }

  /** The configuration in force, committed or not. */
  get current(): Configuration {
    return this.#placed.at(-1)!.config;
  }

  /** The index of its entry, or of the base of the log. */
  get currentIndex(): LogIndex {
    return this.#placed.at(-1)!.index;
  }

  /**
   * The previous configuration, which returns when the entry of the current one is truncated. The current one if there is no
   * previous one.
   */
  get previous(): Configuration {
    return (this.#placed.at(-2) ?? this.#placed.at(-1)!).config;
  }

  /** The configuration in force at `index`, which is not before the base. */
  at(index: LogIndex): Configuration {
    const placed = this.#placed.findLast((p) => p.index <= index);
    invariant(placed !== undefined, 10, `the configuration at ${index} is forgotten`);
    return placed.config;
  }

  /**
   * Whether `at(index)` is known to have been in force there. A joining peer starts with a log without members and learns
   * them from the first configuration entry. It cannot report a configuration for anything before that entry.
   */
  isKnownAt(index: LogIndex): boolean {
    const placed = this.#placed.findLast((p) => p.index <= index);
    return placed !== undefined && placed.config.voters.length > 0;
  }

  /** Records an entry added to the log. Returns true when it contains a configuration. */
  append(entry: Entry): boolean {
    if (entry.kind !== 'config') return false;
    this.#placed.push({ index: entry.index, config: decodeConfigEntry(entry).config });
    return true;
  }

  /** The log was truncated at `from`: the previous configuration is in force again. */
  truncate(from: LogIndex): void {
    while (this.#placed.length > 1 && this.currentIndex >= from) this.#placed.pop();
  }

  /** The log now begins after `index`. */
  compact(index: LogIndex): void {
    while (this.#placed.length > 1 && this.#placed[1]!.index <= index) this.#placed.shift();
  }

  /** The log was replaced by a snapshot. */
  reset(snapshot: SnapshotMeta): void {
    this.#placed = [{ index: snapshot.index, config: snapshot.config }];
  }
}
