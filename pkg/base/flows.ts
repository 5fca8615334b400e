import type { World } from './world.js';

const HALF_LIFE_MILLISECONDS = 500;
/** Less than this much recent use counts as none, in milliseconds. */
const NEGLIGIBLE = 0.05;
/** Flows that are remembered. Beyond this all are forgotten: use is recent use, so they are soon known again. */
const FLOWS_MAX = 4096;

/**
 * The recent use of the event loop by each flow, which is a client: a user, usually. '' is the server itself. The schedulers of a
 * server share one, so that a flow that uses one of them heavily counts as heavy in all.
 */
export class Flows {
  readonly #world: World;
  /** Milliseconds by flow, halved every `HALF_LIFE_MILLISECONDS`. */
  readonly #used = new Map<string, number>();
  /** The sum of all clients. */
  #total = 0;
  /** The last client that has exceeded all others together. */
  #heaviest = '';
  #decayed: number;

  constructor(world: World) {
    this.#world = world;
    this.#decayed = world.clock.monotonic();
  }

  /** Milliseconds of recent use. */
  used(flow: string): number {
    return this.#used.get(flow) ?? 0;
  }

  charge(flow: string, milliseconds: number): void {
    const now = this.#world.clock.monotonic();
    if (now - this.#decayed > HALF_LIFE_MILLISECONDS) this.#decay(now);
    if (this.#used.size >= FLOWS_MAX && !this.#used.has(flow)) {
      this.#used.clear();
      this.#total = 0;
    }
    const used = this.used(flow) + milliseconds;
    this.#used.set(flow, used);
    if (flow === '') return;
    this.#total += milliseconds;
    if (this.#exceedsOthers(used)) this.#heaviest = flow;
  }

  /** Reports whether another client uses more than all others together, this one included. Work of the server itself is never light. */
  isLight(flow: string): boolean {
    const heaviest = this.#heaviest;
    if (flow === '' || heaviest === '' || heaviest === flow) return false;
    return this.#exceedsOthers(this.used(heaviest));
  }

  #exceedsOthers(used: number): boolean {
    return used > this.#total - used + NEGLIGIBLE;
  }

  /**
   * What all other clients use, as a fraction of what this flow uses: less than 1 for a flow that uses more than all others together. 1
   * for a flow that is alone.
   */
  othersBeside(flow: string): number {
    if (flow === '') return 1;
    const used = this.used(flow);
    const others = this.#total - used;
    return others > NEGLIGIBLE && used > others ? others / used : 1;
  }

  #decay(now: number): void {
    const factor = 0.5 ** ((now - this.#decayed) / HALF_LIFE_MILLISECONDS);
    this.#decayed = now;
    this.#total = 0;
    for (const [flow, before] of this.#used) {
      const used = before * factor;
      if (used < NEGLIGIBLE) this.#used.delete(flow);
      else {
        this.#used.set(flow, used);
        if (flow !== '') this.#total += used;
      }
    }
  }
}
