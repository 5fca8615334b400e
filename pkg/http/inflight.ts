import type { World } from '../base/index.js';
import { limits } from './limits.js';

/** A number over time. */
export interface RunningUse {
  /** `now`: the monotonic time, in milliseconds. */
  add(change: number, now: number): void;
}

/**
 * Limits the requests in flight. Further requests wait in the queue of their user. Users are served in turn, so that a
 * flood of requests from one client does not delay the others. Queues are bounded in length and time. A request beyond
 * these limits is rejected with 429 at almost no cost, and its client retries later.
 */
export class InFlightLimiter {
  readonly #world: World;
  readonly #max: number;
  readonly #use: RunningUse | undefined;
  readonly #queues = new Map<string, Waiter[]>();
  #running = 0;
  #waiting = 0;

  /** A `max` of 0 means no limit. `use` measures the running requests over time. */
  constructor(world: World, max: number, use?: RunningUse) {
    this.#world = world;
    this.#max = max;
    this.#use = use;
  }

  get running(): number {
    return this.#running;
  }

  /**
   * Returns true when the request may run; it must call `leave` when it ends. Returns a promise when it must wait, and false when
   * the queue is full.
   */
  enter(user: string): true | false | Promise<'entered' | 'timedOut'> {
    if (this.#max === 0 || this.#running < this.#max) {
      this.#count(1);
      return true;
    }
    if (this.#waiting >= this.#max * limits.queuedPerPlace) return false;
    if ((this.#queues.get(user)?.length ?? 0) >= this.#max * limits.queuedPerPlaceOfUser) return false;
    return new Promise((resolve) => {
      const waiter: Waiter = {
        enter: () => {
          cancel();
          resolve('entered');
        },
      };
      const cancel = this.#world.timers.after(limits.queueTime, () => {
        this.#remove(user, waiter);
        resolve('timedOut');
      });
      const queue = this.#queues.get(user);
      if (queue === undefined) this.#queues.set(user, [waiter]);
      else queue.push(waiter);
      this.#waiting++;
    });
  }

  leave(): void {
    const next = this.#queues.entries().next();
    if (next.done === true) {
      this.#count(-1);
      return;
    }
    // A waiting request replaces the one that leaves; its user moves to the end of the round.
    const [user, queue] = next.value;
    const waiter = queue.shift()!;
    this.#waiting--;
    this.#queues.delete(user);
    if (queue.length > 0) this.#queues.set(user, queue);
    waiter.enter();
  }

  #count(change: 1 | -1): void {
    this.#running += change;
    this.#use?.add(change, this.#world.clock.monotonic());
  }

  #remove(user: string, waiter: Waiter): void {
    const queue = this.#queues.get(user);
    const at = queue?.indexOf(waiter) ?? -1;
    if (queue === undefined || at < 0) return;
    queue.splice(at, 1);
    this.#waiting--;
    if (queue.length === 0) this.#queues.delete(user);
  }
}

interface Waiter {
  readonly enter: () => void;
}
