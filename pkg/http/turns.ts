import { limits } from './limits.js';

/**
 * How large answers share the event loop with everything else. Whoever writes one asks before each piece whether this turn of the
 * loop has time left for such work, all large answers together; when it has none, he comes again in a later turn, in the order of
 * asking. So a request that needs three turns (read, ask the store, answer) waits a few milliseconds however many lists are under way.
 */
export class Turns {
  readonly #sliceTime: number;
  #since = 0;
  /** The present turn's end is awaited. */
  #counting = false;
  #waiting: (() => void)[] = [];

  constructor(sliceTime: number) {
    this.#sliceTime = sliceTime;
  }

  /** Whether the time for large work in this turn is used up. */
  spent(): boolean {
    if (!this.#counting) this.#begin();
    return performance.now() - this.#since > this.#sliceTime;
  }

  /** Calls `f` in a later turn; `f` asks `spent` again before it goes on after one piece. */
  later(f: () => void): void {
    this.#waiting.push(f);
    if (!this.#counting) this.#begin();
  }

  #begin(): void {
    this.#counting = true;
    this.#since = performance.now();
    setImmediate(this.#next);
  }

  /** A fresh slice goes to those who wait first: what comes by itself in this turn may find it used up, and waits behind them. */
  readonly #next = (): void => {
    this.#counting = false;
    if (this.#waiting.length === 0) return;
    this.#begin();
    const served = this.#waiting;
    this.#waiting = [];
    let i = 0;
    do served[i++]!();
    while (i < served.length && !this.spent());
    // Who comes again stands behind those who were not served.
    if (i < served.length) this.#waiting = served.slice(i).concat(this.#waiting);
  };
}

/** A thread has one event loop, and so one of these. */
export const turns = new Turns(limits.sliceTime);
