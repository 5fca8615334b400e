import { entryBytes, type Write } from '../../../raft/index.js';
import { LOG_LIMITS } from '../common/index.js';
import type { Journal } from './journal.js';

/**
 * The journal of a peer whose state may have to wait for space. Entries that are in the log and not in the state are
 * kept in memory. So while the state waits, the log accepts entries only up to a number of bytes ahead of it. While the
 * state does not wait there is no limit: the entries ahead may be uncommitted, and only further entries can commit
 * them.
 *
 * No other part is aware of this. The consensus core sees a slow disk: waiting writes are not acknowledged, so the
 * leader's window to this peer fills up and it stops sending; and if this peer leads, it hands over to one that can
 * write.
 */
export class Backpressure implements Journal {
  readonly #journal: Journal;
  readonly #bytesMax: number;
  #stands = false;
  /** Writes with entries that are not all applied, oldest first, and their bytes together. */
  #ahead: { readonly last: number; readonly bytes: number }[] = [];
  #bytesAhead = 0;
  #held: { go(): void; reject(error: Error): void }[] = [];
  #givenUp: Error | undefined;
  /** A held write will never be made. Later ones build on it (for example by a commit index beyond the end of the log) and must not be either. */
  #dropped = false;

  constructor(journal: Journal, bytesMax: number = LOG_LIMITS.standstillBytesMax) {
    this.#journal = journal;
    this.#bytesMax = bytesMax;
  }

  /** The state waits for space. */
  blocked(): void {
    this.#stands = true;
  }

  /** The state continues: held writes are written to the log, in order. */
  unblocked(): void {
    this.#stands = false;
    const held = this.#held;
    this.#held = [];
    for (const { go } of held) go();
  }

  /** The peer stops: held writes are rejected. */
  giveUp(why: string): void {
    this.#givenUp = new Error(why);
    this.#dropped ||= this.#held.length > 0;
    for (const { reject } of this.#held.splice(0)) reject(this.#givenUp);
  }

  /** The state holds everything up to `index`. */
  applied(index: number): void {
    let count = 0;
    for (; count < this.#ahead.length && this.#ahead[count]!.last <= index; count++) {
      this.#bytesAhead -= this.#ahead[count]!.bytes;
    }
    if (count > 0) this.#ahead.splice(0, count);
  }

  append(write: Write): Promise<void> {
    // All writes take this path, held or not, so they complete in the order of the log.
    return new Promise((resolve, reject) => {
      const go = (): void => void this.#append(write).then(resolve, reject);
      if (!this.#holds(write)) go();
      else if (this.#givenUp !== undefined) this.#drop(reject, this.#givenUp);
      else this.#held.push({ go, reject });
    });
  }

  #drop(reject: (error: Error) => void, why: Error): void {
    this.#dropped = true;
    reject(why);
  }

  /**
   * A write without entries, such as a vote, does not count towards the limit. Behind a held write all writes wait,
   * because the log is written in order.
   */
  #holds({ entries }: Write): boolean {
    if (this.#held.length > 0 || this.#dropped) return true;
    return this.#stands && this.#bytesAhead >= this.#bytesMax && entries.length > 0;
  }

  #append(write: Write): Promise<void> {
    const last = write.entries.at(-1);
    if (last !== undefined) {
      const bytes = write.entries.reduce((sum, entry) => sum + entryBytes(entry), 0);
      this.#ahead.push({ last: last.index, bytes });
      this.#bytesAhead += bytes;
    }
    return this.#journal.append(write);
  }

  cut(base: Parameters<Journal['cut']>[0]): Promise<void> {
    return this.#journal.cut(base);
  }

  get hasRoom(): boolean {
    return this.#journal.hasRoom;
  }

  get sizeBytes(): number {
    return this.#journal.sizeBytes;
  }

  close(): Promise<void> {
    return this.#journal.close();
  }
}
