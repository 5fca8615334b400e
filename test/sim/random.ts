// Seeded random numbers: all events of a run are drawn from one stream.

export class Random {
  #state: number;

  constructor(seed: number) {
    // Consecutive seeds must not produce similar streams. A seed beyond 32 bits folds its upper part in.
    this.#state = (Math.imul(seed >>> 0, 0x9e3779b1) ^ Math.imul(Math.floor(seed / 2 ** 32), 0x85ebca6b)) >>> 0;
    for (let i = 0; i < 4; i++) this.#next();
  }

  /** Uniform in [0, 1). */
  readonly unit = (): number => this.#next() / 2 ** 32;

  /** Uniform integer in [min, max]. */
  int(min: number, max: number): number {
    return min + Math.floor(this.unit() * (max - min + 1));
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /** One of the items; there must be one. */
  pick<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)]!;
  }

  /** A number in [min, max], skewed towards small ones. */
  skewed(min: number, max: number): number {
    const u = this.unit();
    return Math.floor(min + (max - min + 1) * u * u * u);
  }

  // Weyl sequence with the finalizer of murmur3: 2^32 values, more than any run draws.
  #next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let z = this.#state;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return (z ^ (z >>> 16)) >>> 0;
  }
}
