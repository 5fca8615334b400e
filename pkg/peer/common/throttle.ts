import type { World } from '../../base/index.js';

export interface Rates {
  /** It need not be faster. */
  readonly bytesPerSecondMax: number;
  /** It is not held back below. */
  readonly bytesPerSecondMin: number;
}

/**
 * When the next piece of a stream may go. A snapshot has time and those who write have not, so it leaves at least as much time
 * free as it takes for itself: where disk, network or cores are busy each piece takes longer, and the next one waits longer.
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

  /** Resolves when the next piece may be read, after one of so many bytes was sent. */
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
