import { Flows } from './flows.js';
import type { World } from './world.js';

export interface FlowSettings {
  /** The use by flows. Schedulers of one server share it. */
  readonly flows: Flows;
  /** The least time of each turn for a flow that uses more than all others together: milliseconds. */
  readonly heavyMilliseconds: number;
}

/**
 * Shares the turns of an event loop among long-running work: writing lists, delivering events, scans. All of it together takes
 * no more than a slice of each turn, so that new input waits only a few milliseconds, however much work there is. Work that
 * finds the slice used up continues in a later turn, in the order of requests. Each server has one scheduler.
 *
 *     do piece(); while (more && !scheduler.spent());
 *     if (more) scheduler.later(go);
 *
 * Work may name the flow to which it belongs (the user of a request). Then it is fair between flows: waiting flows continue in the order of
 * their recent use, least first, and each in the order of its requests. A flow that uses more than all others together gets a smaller slice
 * of each turn, so that turns are short for the others: the more it exceeds them, the smaller. A flow that is alone has the whole slice. `settle` ends the time that counts for
 * the flow of the last `spent`:
 *
 *     if (!scheduler.spent(flow)) { begin(); scheduler.settle(); }
 *     else scheduler.later(begin, flow);
 */
export class Scheduler {
  readonly #world: World;
  readonly #sliceMilliseconds: number;
  readonly #heavyMilliseconds: number;
  readonly flows: Flows;
  #since = 0;
  /** A callback at the end of the current turn is scheduled. */
  #counting = false;
  #turns = 0;
  /** Waiting work by flow, each first come, first served. Work without a flow is work of the server itself, ''. */
  #waiting = new Map<string, Waiting[]>();
  /** The flow whose time is being measured, and since when. */
  #running: string | undefined;
  #runningSince = 0;
  /** What flows have used of this turn. */
  #turn = new Map<string, number>();
  /** A promise was resolved in this turn. */
  #resumed = false;
  /** The time of the last check of a slice. */
  #lapped = 0;

  constructor(world: World, sliceMilliseconds: number, settings?: FlowSettings) {
    this.#world = world;
    this.#sliceMilliseconds = sliceMilliseconds;
    this.#heavyMilliseconds = settings?.heavyMilliseconds ?? sliceMilliseconds;
    this.flows = settings?.flows ?? new Flows(world);
  }

  /** The number of the current turn: it differs between two calls if the event loop ran other work between them. */
  turn(): number {
    if (!this.#counting) this.#begin();
    return this.#turns;
  }

  /** The time since the current turn began. */
  turnTime(now: number): number {
    return now - this.#since;
  }

  /**
   * Returns the time since the last call, or since the current turn began. Slices divide a turn among themselves with it: the time between
   * two checks belongs to the slice that makes the second one.
   */
  lap(now: number): number {
    const elapsed = now - Math.max(this.#lapped, this.#since);
    this.#lapped = now;
    return elapsed;
  }

  /** Reports whether long-running work, or this flow, has used up its slice of this turn. If not, the time counts for the flow from now on. */
  readonly spent = (flow = ''): boolean => {
    if (!this.#counting) this.#begin();
    const now = this.#world.clock.monotonic();
    this.#charge(now);
    if (now - this.#since > this.#sliceMilliseconds) return true;
    if (this.#hasSpent(flow)) return true;
    this.#measure(flow, now);
    return false;
  };

  /** Ends the time that counts for the flow of the last `spent`. */
  settle(): void {
    if (this.#running !== undefined) this.#charge(this.#world.clock.monotonic());
  }

  /**
   * Calls `f` at the end of this turn, with all other work that begins in it. Beside a flow that uses more than all others together, the
   * others do not wait for that: their work is called at once while there is time.
   */
  soon(f: () => void, flow: string): void {
    if (this.flows.isLight(flow) && !this.spent(flow)) {
      f();
      this.settle();
    } else this.later(f, flow);
  }

  /** Calls `f` in a later turn; `f` checks `spent` again after each piece. */
  later(f: () => void, flow = ''): void {
    this.#wait({ go: f, resumes: false }, flow);
  }

  /**
   * Resolves in a later turn, when there is time for long-running work again. One such promise resolves in each turn:
   * its continuation runs only after the scheduler has returned, so the scheduler cannot measure it.
   */
  yield(): Promise<void> {
    return new Promise((resolve) => this.#wait({ go: resolve, resumes: true }, ''));
  }

  #wait(waiting: Waiting, flow: string): void {
    const others = this.#waiting.get(flow);
    if (others === undefined) this.#waiting.set(flow, [waiting]);
    else others.push(waiting);
    if (!this.#counting) this.#begin();
  }

  #begin(): void {
    this.#counting = true;
    this.#turns++;
    this.#since = this.#world.clock.monotonic();
    if (this.#turn.size > 0) this.#turn = new Map();
    this.#resumed = false;
    this.#world.timers.immediate(this.#next);
  }

  #measure(flow: string, now: number): void {
    this.#running = flow;
    this.#runningSince = now;
  }

  #charge(now: number): void {
    const flow = this.#running;
    if (flow === undefined) return;
    const milliseconds = now - this.#runningSince;
    this.#running = undefined;
    this.flows.charge(flow, milliseconds);
    this.#turn.set(flow, (this.#turn.get(flow) ?? 0) + milliseconds);
  }

  #hasSpent(flow: string): boolean {
    const used = this.#turn.get(flow);
    return used !== undefined && used > this.#heavyMilliseconds && used > this.#share(flow);
  }

  /**
   * The time of each turn for a flow, in milliseconds. It falls with the square of what the flow uses more than the others. Clients of
   * similar use, like the controllers of a cluster, so have nearly the whole slice: requests that begin together share a batch of the
   * log, and one request in each turn costs nearly twice as much.
   */
  #share(flow: string): number {
    return Math.max(this.#sliceMilliseconds * this.flows.othersBeside(flow) ** 2, this.#heavyMilliseconds);
  }

  /** Waiting work gets the new slice first; work that begins in this turn may find it used up, and waits behind. */
  readonly #next = (): void => {
    this.#counting = false;
    // What the turn did after its last `spent` was not work of that flow alone.
    this.#running = undefined;
    if (this.#waiting.size === 0) return;
    this.#begin();
    const served = [...this.#waiting];
    // Not `clear`: V8 links the old table, with the work that waited, to the new one (see `TurnoverMap`).
    this.#waiting = new Map();
    if (served.length > 1) served.sort(([a], [b]) => this.flows.used(a) - this.flows.used(b));
    let isFirst = true;
    for (const [flow, list] of served) isFirst = this.#serve(flow, list, isFirst);
  };

  /** Continues the waiting work of a flow while there is time. `isFirst`: nothing was served in this turn, so one piece is in any case. */
  #serve(flow: string, list: Waiting[], isFirst: boolean): boolean {
    let i = 0;
    if (isFirst) this.#measure(flow, this.#world.clock.monotonic());
    for (let goesOn = isFirst || !(this.#resumed || this.spent(flow)); goesOn && i < list.length; ) {
      const { go, resumes } = list[i++]!;
      go();
      isFirst = false;
      this.#resumed = resumes;
      // What continues cannot be measured: it counts as a whole slice.
      if (resumes) this.flows.charge(flow, Math.min(this.#sliceMilliseconds, RESUMED_MILLISECONDS_MAX));
      goesOn = !resumes && !this.spent(flow);
    }
    this.#running = undefined;
    if (i < list.length) {
      // What asks again stands behind what was not served.
      const again = this.#waiting.get(flow);
      list.copyWithin(0, i);
      list.length -= i;
      if (again !== undefined) for (const one of again) list.push(one);
      this.#waiting.set(flow, list);
    }
    return isFirst;
  }
}

const RESUMED_MILLISECONDS_MAX = 8;

interface Waiting {
  readonly go: () => void;
  /** `go` resolves a promise. */
  readonly resumes: boolean;
}

/**
 * The time that one request has taken of the current turn of the event loop. Between the stages of a write of a megabyte other work runs,
 * and of several such writes one continues in each turn:
 *
 *     const decoded = await slice.run(decodeSteps(bytes));
 *     change(decoded);
 *     if (slice.spent()) await slice.yield();
 *
 * All stages of a request share one slice, so that many short stages in one turn count together. The stages of other requests between them
 * do not count: requests that begin together stay together, and share a batch of the log. In a turn that is long already, a fraction of a
 * slice is the limit. A request that waited for something else (the log, a webhook) meanwhile has a new slice. A decision made before a yield
 * is valid afterwards only if the comparisons of the transaction hold.
 */
export class Slice {
  readonly #world: World;
  readonly #scheduler: Scheduler;
  readonly #milliseconds: number;
  #turn = 0;
  /** What the request has taken of that turn: milliseconds. */
  #used = 0;
  #checked = 0;

  constructor(world: World, scheduler: Scheduler, milliseconds: number) {
    this.#world = world;
    this.#scheduler = scheduler;
    this.#milliseconds = milliseconds;
    this.#restart(scheduler.turn(), world.clock.monotonic());
  }

  /** The time of the last check, on the monotonic clock: for measurements that need no reading of their own. */
  get checked(): number {
    return this.#checked;
  }

  spent(): boolean {
    const turn = this.#scheduler.turn();
    const now = this.#world.clock.monotonic();
    if (turn === this.#turn) {
      this.#checked = now;
      this.#used += this.#scheduler.lap(now);
    } else {
      this.#restart(turn, now);
    }
    return this.#used > this.#milliseconds || this.#isLate(now);
  }

  /** What the turn did before the first check in it was not work of this request alone. */
  #restart(turn: number, now: number): void {
    this.#turn = turn;
    this.#used = 0;
    this.#checked = now;
    this.#scheduler.lap(now);
  }

  /** Reports whether the turn is so long that only requests continue in it that have taken little of it. */
  #isLate(now: number): boolean {
    return (
      this.#used * LATE_PARTS > this.#milliseconds && this.#scheduler.turnTime(now) > this.#milliseconds * LATE_SLICES
    );
  }

  async yield(): Promise<void> {
    await this.#scheduler.yield();
    this.#restart(this.#scheduler.turn(), this.#world.clock.monotonic());
  }

  /** Runs a stage. Yields between its steps and after it whenever the time is used up; returns the result itself if it never yields. */
  run<T>(stage: Steps<T>): T | Promise<T> {
    const result = runSteps(stage, this);
    return result instanceof Promise || this.spent() ? this.#pauseAfter(result) : result;
  }

  async #pauseAfter<T>(result: T | Promise<T>): Promise<T> {
    const value = await result;
    if (this.spent()) await this.yield();
    return value;
  }
}

/** A turn of more than this many slices is late; in it, requests have this part of a slice. */
const LATE_SLICES = 4;
const LATE_PARTS = 8;

/** Decides when long-running work yields; a `Slice` is one. */
export interface Pace {
  /** Whether the time slice is used up. */
  spent(): boolean;
  /** Resolves when the work may continue. */
  yield(): Promise<void>;
}

/** Runs steps to their end. Yields between them when the time is used up; returns the result itself if it never yields. */
export function runSteps<T>(steps: Steps<T>, pace: Pace): T | Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (pace.spent()) return resume(steps, pace);
  }
}

async function resume<T>(steps: Steps<T>, pace: Pace): Promise<T> {
  for (;;) {
    await pace.yield();
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      if (pace.spent()) break;
    }
  }
}

/**
 * Synchronous work in pieces of a few milliseconds: it pauses (`yield`) where other requests may run. `Slice.run` runs it in a request,
 * `finish` at once.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs steps to their end without a pause. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
