import type { World } from '../../base/index.js';

export interface Rates {
  /** The stream is never faster. */
  readonly bytesPerSecondMax: number;
  /** The stream is never throttled below this rate. */
  readonly bytesPerSecondMin: number;
}

/**
 * Limits the rate of a stream that competes with client requests. Between two pieces it waits at least as long as the
 * last piece took: if disk, network or cores are busy, a piece takes longer, and so does the wait.
 */
export class Throttle {
  readonly #world: World;
  readonly #rates: Rates;
  #began: number;

  constructor(world: World, rates: Rates) {
    this.#world = world;
    this.#rates = rates;
    this.#began = world.clock.monotonic();
  }

  /** Resolves when the next piece may be read, after a piece of `bytes` was sent. */
  async rest(bytes: number): Promise<void> {
    const { clock, timers } = this.#world;
    const worked = clock.monotonic() - this.#began;
    const { bytesPerSecondMax, bytesPerSecondMin } = this.#rates;
    const least = (bytes / bytesPerSecondMax) * 1000;
    const most = (bytes / bytesPerSecondMin) * 1000;
    const rest = Math.max(least, Math.min(2 * worked, most)) - worked;
    if (rest >= 1) await new Promise<void>((resolve) => timers.after(rest, resolve));
    this.#began = clock.monotonic();
  }
}
