import type { World } from '../base/index.js';
import { limits } from './limits.js';

/**
 * Between the stages of a write that takes long (a megabyte of keyed items is decoded, tracked, checked and encoded in tens of
 * milliseconds each) others get their turn. Most writes are over long before:
 *
 *     if (breath.due()) await breath.taken();
 *
 * What was decided before still holds only if the transaction's compares say so.
 */
export class Breath {
  readonly #world: World;
  #since: number;

  constructor(world: World) {
    this.#world = world;
    this.#since = world.clock.monotonic();
  }

  due(): boolean {
    return this.#world.clock.monotonic() - this.#since > limits.writeStageTime;
  }

  async taken(): Promise<void> {
    await new Promise<void>((resolve) => void this.#world.timers.after(0, resolve));
    this.#since = this.#world.clock.monotonic();
  }
}
