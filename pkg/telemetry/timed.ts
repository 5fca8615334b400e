import { type HistogramCell, HistogramFamily, type ScrapedMetric } from './series.js';

const NANOSECONDS = 1e6;

/**
 * The share of a limit that is in use, as a series of a `TimedHistogramFamily`: a step function of time. A change costs one
 * addition for the time since the change before, and a search among the buckets. Times are monotonic, in milliseconds.
 */
export class TimedRatio {
  readonly #family: HistogramFamily;
  readonly #cell: HistogramCell;
  #numerator = 0;
  #denominator = 1;
  #ratio = 0;
  #at: number;

  constructor(family: HistogramFamily, cell: HistogramCell, now: number) {
    this.#family = family;
    this.#cell = cell;
    this.#at = now;
  }

  add(amount: number, now: number): void {
    if (amount === 0) return;
    this.advance(now);
    this.#numerator += amount;
    this.#ratio = this.#numerator / this.#denominator;
  }

  /** Sets what the ratio is relative to. */
  limit(denominator: number, now: number): void {
    if (denominator === this.#denominator) return;
    this.advance(now);
    this.#denominator = denominator;
    this.#ratio = this.#numerator / denominator;
  }

  /** Records the time until now. */
  advance(now: number): void {
    const elapsed = Math.round((now - this.#at) * NANOSECONDS);
    if (elapsed <= 0) return;
    this.#at = now;
    this.#family.observeMany(this.#cell, this.#ratio, elapsed);
  }
}

/**
 * A histogram of the value of a gauge at the end of every nanosecond. Like those of kube-apiserver it has classic buckets only. The
 * time since the last change is recorded when the metric is read.
 */
export class TimedHistogramFamily {
  readonly name: string;
  readonly help: string;
  readonly #now: () => number;
  readonly #histogram: HistogramFamily;
  readonly #ratios = new Map<HistogramCell, TimedRatio>();

  /** `now`: the monotonic time, in milliseconds. */
  constructor(
    about: { readonly name: string; readonly help: string },
    labelNames: readonly string[],
    bounds: readonly number[],
    now: () => number,
  ) {
    this.name = about.name;
    this.help = about.help;
    this.#now = now;
    this.#histogram = new HistogramFamily({ ...about, onlyClassic: true }, labelNames, bounds);
  }

  at(...values: readonly string[]): TimedRatio {
    const cell = this.#histogram.at(...values);
    let ratio = this.#ratios.get(cell);
    if (ratio === undefined) {
      ratio = new TimedRatio(this.#histogram, cell, this.#now());
      this.#ratios.set(cell, ratio);
    }
    return ratio;
  }

  get(): ScrapedMetric {
    const now = this.#now();
    for (const ratio of this.#ratios.values()) ratio.advance(now);
    return this.#histogram.get();
  }

  /** What the gauges measure continues. */
  reset(): void {
    const now = this.#now();
    for (const ratio of this.#ratios.values()) ratio.advance(now);
    this.#histogram.reset();
  }
}
