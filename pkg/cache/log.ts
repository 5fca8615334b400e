import type { Revision } from '../base/index.js';
import { cacheLimits } from './limits.js';
import type { CachedObject } from './object.js';

/** One change of one object. */
export interface LogEntry {
  /** Counts the changes of this resource, without gaps. */
  readonly position: number;
  readonly revision: Revision;
  /** After the change; for a deletion the last state, at the deletion's revision. */
  readonly object: CachedObject;
  readonly deleted: boolean;
  readonly previous: CachedObject | undefined;
}

/**
 * The recent changes of one resource, the oldest forgotten first. Invariant: everything after `floor` is here; positions in it
 * are consecutive.
 */
export class EventLog {
  /** Ring: the entry of position p is at `p & (length - 1)`. */
  #ring: (LogEntry | undefined)[] = new Array<LogEntry | undefined>(64).fill(undefined);
  #first = 0;
  #next = 0;
  #bytes = 0;
  #floor: Revision;
  readonly #forget: (e: LogEntry) => void;

  /** Nothing up to `floor` is here. `forget` is told of each entry that goes. */
  constructor(floor: Revision, forget: (e: LogEntry) => void) {
    this.#floor = floor;
    this.#forget = forget;
  }

  /** Position of the oldest entry; equal to `next` when there is none. */
  get first(): number {
    return this.#first;
  }

  /** Position that the next entry will have. */
  get next(): number {
    return this.#next;
  }

  /** All changes with a revision above this are here. */
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

  /** Forgets what is over the bounds; always whole revisions, so that a revision is here entirely or not at all. */
  trim(): void {
    while (this.#next - this.#first > cacheLimits.logEventsMax || this.#bytes > cacheLimits.logBytesMax) {
      if (this.#first === this.#next) return;
      const revision = this.at(this.#first).revision;
      if (this.at(this.#next - 1).revision === revision) return;
      while (this.#first < this.#next && this.at(this.#first).revision === revision) this.#drop();
      this.#floor = revision;
    }
  }

  /** Position of the first entry with a revision above `revision`. Requires `revision` >= floor. */
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

/** What an entry keeps in memory that the tree may not: its object will be superseded, its previous state has been. */
const weight = (e: LogEntry): number => e.object.length;
