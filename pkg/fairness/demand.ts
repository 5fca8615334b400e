/** Seat demand of a level between two adjustments. */
export interface Demand {
  /** Time-weighted. */
  readonly average: number;
  readonly deviation: number;
  readonly highWatermark: number;
}

/** Integrates a step function over time. All times are in milliseconds. */
export class DemandIntegrator {
  #since: number;
  #at: number;
  #value = 0;
  #sum = 0;
  #squares = 0;
  #max = 0;

  constructor(now: number) {
    this.#since = now;
    this.#at = now;
  }

  get value(): number {
    return this.#value;
  }

  set(value: number, now: number): void {
    this.#advance(now);
    this.#value = value;
    if (value > this.#max) this.#max = value;
  }

  #advance(now: number): void {
    const elapsed = now - this.#at;
    if (elapsed <= 0) return;
    this.#sum += this.#value * elapsed;
    this.#squares += this.#value * this.#value * elapsed;
    this.#at = now;
  }

  /** Returns the statistics since the last reset, and begins anew with the current value. */
  reset(now: number): Demand {
    this.#advance(now);
    const elapsed = now - this.#since;
    const average = elapsed > 0 ? this.#sum / elapsed : this.#value;
    const variance = elapsed > 0 ? this.#squares / elapsed - average * average : 0;
    const demand = { average, deviation: Math.sqrt(Math.max(variance, 0)), highWatermark: this.#max };
    this.#since = now;
    this.#sum = 0;
    this.#squares = 0;
    this.#max = this.#value;
    return demand;
  }
}
