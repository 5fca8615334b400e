import { entryBytes, type Write } from '../../../raft/index.js';
import { LOG_LIMITS } from '../common/index.js';
import type { Journal } from './journal.js';

/**
 * The journal of a peer whose state may have to wait for room. Whatever is in the log and not in the state lies in memory, so
 * the log must not run away from a state that stands still: so many bytes ahead of it, it takes nothing more until the state goes on. (Not
 * otherwise: what is ahead may not be committed, and come to be so only by what is written next.)
 *
 * Nothing else has to know. To the consensus core it is a disk that hangs: what waits for it is not acknowledged, so a leader's
 * window to this peer fills and it sends no more; and this peer, should it lead, hands over to one who can write.
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
  /** Something that was held will never be written; what comes later stands on it, be it a commit index beyond the log's end. */
  #dropped = false;

  constructor(journal: Journal, bytesMax: number = LOG_LIMITS.standstillBytesMax) {
    this.#journal = journal;
    this.#bytesMax = bytesMax;
  }

  /** The state can not be written. */
  blocked(): void {
    this.#stands = true;
  }

  /** It goes on: what was held back goes to the log, in order. */
  unblocked(): void {
    this.#stands = false;
    const held = this.#held;
    this.#held = [];
    for (const { go } of held) go();
  }

  /** The peer stops: what is held is not written, and nobody waits for it. */
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
    // All the same way, held or not: so they are reported durable in the order in which the log made them so.
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

  /** What weighs nothing, a vote, need not wait; but behind what is held all do: the log is written in order. */
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
