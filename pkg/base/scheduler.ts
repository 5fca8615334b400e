import type { World } from './world.js';

/**
 * Shares the turns of an event loop among long-running work: writing lists, delivering events, scans. All of it together takes
 * no more than a slice of each turn, so that new input waits only a few milliseconds, however much work there is. Work that
 * finds the slice used up continues in a later turn, in the order of requests. Each server has one scheduler.
 *
 *     do piece(); while (more && !scheduler.spent());
 *     if (more) scheduler.later(go);
 */
export class Scheduler {
  readonly #world: World;
  readonly #sliceMilliseconds: number;
  #since = 0;
  /** A callback at the end of the current turn is scheduled. */
  #counting = false;
  #waiting: Waiting[] = [];

  constructor(world: World, sliceMilliseconds: number) {
    this.#world = world;
    this.#sliceMilliseconds = sliceMilliseconds;
  }

  /** Reports whether long-running work has used up its slice of this turn. */
  readonly spent = (): boolean => {
    if (!this.#counting) this.#begin();
    return this.#world.clock.monotonic() - this.#since > this.#sliceMilliseconds;
  };

  /** Calls `f` in a later turn; `f` checks `spent` again after each piece. */
  later(f: () => void): void {
    this.#wait({ go: f, resumes: false });
  }

  /**
   * Resolves in a later turn, when there is time for long-running work again. One such promise resolves in each turn:
   * its continuation runs only after the scheduler has returned, so the scheduler cannot measure it.
   */
  yield(): Promise<void> {
    return new Promise((resolve) => this.#wait({ go: resolve, resumes: true }));
  }

  #wait(waiting: Waiting): void {
    this.#waiting.push(waiting);
    if (!this.#counting) this.#begin();
  }

  #begin(): void {
    this.#counting = true;
    this.#since = this.#world.clock.monotonic();
    this.#world.timers.immediate(this.#next);
  }

  /** Waiting work gets the new slice first; work that begins in this turn may find it used up, and waits behind. */
  readonly #next = (): void => {
    this.#counting = false;
    if (this.#waiting.length === 0) return;
    this.#begin();
    const served = this.#waiting;
    this.#waiting = [];
    let i = 0;
    for (let goesOn = true; goesOn && i < served.length; ) {
      const { go, resumes } = served[i++]!;
      go();
      goesOn = !resumes && !this.spent();
    }
    // What asks again stands behind what was not served.
    if (i < served.length) this.#waiting = served.slice(i).concat(this.#waiting);
  };
}

interface Waiting {
  readonly go: () => void;
  /** `go` resolves a promise. */
  readonly resumes: boolean;
}

/**
 * The time that one piece of work has taken since it last yielded. Between the stages of a write of a megabyte other work runs, and of
 * several such writes one continues in each turn:
 *
 *     if (slice.spent()) await slice.yield();
 *
 * A decision made before a yield is valid afterwards only if the comparisons of the transaction hold.
 */
export class Slice {
  readonly #world: World;
  readonly #scheduler: Scheduler;
  readonly #milliseconds: number;
  #since: number;

  constructor(world: World, scheduler: Scheduler, milliseconds: number) {
    this.#world = world;
    this.#scheduler = scheduler;
    this.#milliseconds = milliseconds;
    this.#since = world.clock.monotonic();
  }

  spent(): boolean {
    return this.#world.clock.monotonic() - this.#since > this.#milliseconds;
  }

  async yield(): Promise<void> {
    await this.#scheduler.yield();
    this.#since = this.#world.clock.monotonic();
  }
}
