import type { World } from '../base/index.js';
import { limits } from './limits.js';

/**
 * Places for requests that are being served. Who finds none waits in the queue of his user; places that come free go round the
 * users, so that one client's flood does not stand before everybody else. The queue is bounded in length and time: beyond it
 * a request is shed, which costs next to nothing, and its client comes back later.
 */
export class Places {
  readonly #world: World;
  readonly #max: number;
  readonly #queues = new Map<string, Waiter[]>();
  #taken = 0;
  #waiting = 0;

  /** `max` 0: no limit. */
  constructor(world: World, max: number) {
    this.#world = world;
    this.#max = max;
  }

  get taken(): number {
    return this.#taken;
  }

  /** True: has a place, to be given back by `leave`. A promise: stands in the queue. False: shed, the queue is full. */
  enter(user: string): true | false | Promise<'entered' | 'timedOut'> {
    if (this.#max === 0 || this.#taken < this.#max) {
      this.#taken++;
      return true;
    }
    if (this.#waiting >= this.#max * limits.queuedPerPlace) return false;
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
      this.#taken--;
      return;
    }
    // The place passes on; the user goes to the end of the round.
    const [user, queue] = next.value;
    const waiter = queue.shift()!;
    this.#waiting--;
    this.#queues.delete(user);
    if (queue.length > 0) this.#queues.set(user, queue);
    waiter.enter();
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
