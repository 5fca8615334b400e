import type { Revision } from '../base/index.js';
import { cacheLimits } from './limits.js';
import type { CachedObject } from './object.js';

/** One change of one object. */
export interface LogEntry {
  /** The number of this change among the changes of the resource; without gaps. */
  readonly position: number;
  readonly revision: Revision;
  /** The object after the change; for a deletion its last state, with the revision of the deletion. */
  readonly object: CachedObject;
  readonly deleted: boolean;
  readonly previous: CachedObject | undefined;
}

/**
 * The recent changes of one resource. The oldest are dropped first. Invariant: the log has every change after `floor`, at consecutive
 * positions.
 */
export class EventLog {
  /** A ring buffer: the entry of position p is at `p & (length - 1)`. */
  #ring: (LogEntry | undefined)[] = new Array<LogEntry | undefined>(64).fill(undefined);
  #first = 0;
  #next = 0;
  #bytes = 0;
  #floor: Revision;
  readonly #forget: (e: LogEntry) => void;

  /** Creates a log that begins after the revision `floor`. `forget` is called for each entry that is dropped. */
  constructor(floor: Revision, forget: (e: LogEntry) => void) {
    this.#floor = floor;
    this.#forget = forget;
  }

  /** The position of the oldest entry; equal to `next` if the log is empty. */
  get first(): number {
    return this.#first;
  }

  /** The position of the next entry. */
  get next(): number {
    return this.#next;
  }

  /** The log has all changes with a higher revision. */
  get floor(): Revision {
    return this.#floor;
  }

  at(position: number): LogEntry {
    return this.#ring[position & (this.#ring.length - 1)]!;
  }

  append(entry: Omit<LogEntry, 'position'>): LogEntry {
    const whole: LogEntry = { position: this.#next, ...entry };
    if (this.#next - this.#first === this.#ring.length) this.#grow();
    this.#ring[this.#next & (this.#ring.length - 1)] = whole;
    this.#next++;
    this.#bytes += weight(whole);
    return whole;
  }

  /** Drops the entries beyond the bounds. It drops whole revisions: the log has all changes of a revision or none. */
  trim(): void {
    while (this.#next - this.#first > cacheLimits.logEventsMax || this.#bytes > cacheLimits.logBytesMax) {
      if (this.#first === this.#next) return;
      const revision = this.at(this.#first).revision;
      if (this.at(this.#next - 1).revision === revision) return;
      while (this.#first < this.#next && this.at(this.#first).revision === revision) this.#drop();
      this.#floor = revision;
    }
  }

  /** Drops all entries: the log begins anew after `revision`. Positions continue. */
  restart(revision: Revision): void {
    while (this.#first < this.#next) this.#drop();
    this.#floor = revision;
  }

  /** Returns the position of the first entry with a revision above `revision`. Requires `revision` >= floor. */
  positionAfter(revision: Revision): number {
    let lo = this.#first;
    let hi = this.#next;
    while (lo < hi) {
      const mid = (lo + hi) >>> 1;
      if (this.at(mid).revision <= revision) lo = mid + 1;
      else hi = mid;
    }
    return lo;
  }

  #drop(): void {
    const slot = this.#first & (this.#ring.length - 1);
    const entry = this.#ring[slot]!;
    this.#ring[slot] = undefined;
    this.#first++;
    this.#bytes -= weight(entry);
    this.#forget(entry);
  }

  #grow(): void {
    const wider = new Array<LogEntry | undefined>(this.#ring.length * 2).fill(undefined);
    for (let p = this.#first; p < this.#next; p++) wider[p & (wider.length - 1)] = this.at(p);
    this.#ring = wider;
  }
}

/** The bytes that an entry keeps in memory beside the tree: its previous state, and its object once it is superseded. */
const weight = (e: LogEntry): number => e.object.length;
