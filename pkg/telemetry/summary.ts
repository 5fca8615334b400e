import type { Labels, ScrapedMetric, ScrapedValue } from './series.js';

/** The quantiles that client_golang exposes for a summary by default. */
const QUANTILES = [0.5, 0.9, 0.99] as const;

/** A summary describes the observations of the last five hours, in five parts: the oldest part is dropped every hour. */
const PARTS = 5;
const PART_MILLISECONDS = 3_600_000;

/** Values below `LEAST` share a bucket. Each bound is 2 % above the one before, so a quantile is at most 1 % wrong. */
const LEAST = 1e-7;
const LOG_GROWTH = Math.log(1.02);
/** Up to some 300 seconds. */
const BUCKETS = 1100;

/** One labelled summary: counts by bucket for each part of the window, and the totals since the start. */
export interface SummaryCell {
  readonly labels: Labels;
  readonly parts: Uint32Array[];
  sum: number;
  count: number;
}

/** Summaries with quantiles over a sliding window. An observation costs a logarithm and an array write. */
export class SummaryFamily {
  readonly name: string;
  readonly help: string;
  readonly #labelNames: readonly string[];
  readonly #now: () => number;
  readonly #cells: SummaryCell[] = [];
  #part = 0;
  #partEnds: number;

  /** `now`: the monotonic time, in milliseconds. */
  constructor(
    about: { readonly name: string; readonly help: string },
    labelNames: readonly string[],
    now: () => number,
  ) {
    this.name = about.name;
    this.help = about.help;
    this.#labelNames = labelNames;
    this.#now = now;
    this.#partEnds = now() + PART_MILLISECONDS;
  }

  /** A new series. The caller keeps it, and makes at most one of the same label values. */
  add(...values: readonly string[]): SummaryCell {
    const labels = Object.fromEntries(this.#labelNames.map((name, i) => [name, values[i] ?? '']));
    const parts = Array.from({ length: PARTS }, () => new Uint32Array(BUCKETS));
    const cell = { labels, parts, sum: 0, count: 0 };
    this.#cells.push(cell);
    return cell;
  }

  /** Records a value at a time, which the caller has read already. */
  observe(cell: SummaryCell, value: number, now: number): void {
    if (now >= this.#partEnds) this.#turn(now);
    const counts = cell.parts[this.#part]!;
    const bucket = bucketOf(value);
    counts[bucket] = counts[bucket]! + 1;
    cell.sum += value;
    cell.count++;
  }

  /** Begins new parts, as many as the time asks for. */
  #turn(now: number): void {
    const turns = Math.floor((now - this.#partEnds) / PART_MILLISECONDS) + 1;
    this.#partEnds += turns * PART_MILLISECONDS;
    for (let i = 0; i < Math.min(turns, PARTS); i++) {
      this.#part = (this.#part + 1) % PARTS;
      for (const cell of this.#cells) cell.parts[this.#part]!.fill(0);
    }
  }

  get(): ScrapedMetric {
    const now = this.#now();
    if (now >= this.#partEnds) this.#turn(now);
    const values: ScrapedValue[] = [];
    for (const { labels, parts, sum, count } of this.#cells) {
      for (const [i, value] of quantilesOf(parts).entries())
        values.push({ value, labels: { ...labels, quantile: QUANTILES[i]! } });
      values.push({ value: sum, labels: { ...labels }, metricName: `${this.name}_sum` });
      values.push({ value: count, labels: { ...labels }, metricName: `${this.name}_count` });
    }
    return { name: this.name, help: this.help, type: 'summary', aggregator: 'sum', values };
  }

  reset(): void {
    for (const cell of this.#cells) {
      for (const part of cell.parts) part.fill(0);
      cell.sum = 0;
      cell.count = 0;
    }
  }
}

function bucketOf(value: number): number {
  if (value <= LEAST) return 0;
  return Math.min(Math.ceil(Math.log(value / LEAST) / LOG_GROWTH), BUCKETS - 1);
}

/** The values of `QUANTILES`; NaN without observations in the window. */
function quantilesOf(parts: readonly Uint32Array[]): readonly number[] {
  const counts = new Float64Array(BUCKETS);
  let total = 0;
  for (const part of parts)
    for (let i = 0; i < BUCKETS; i++) {
      counts[i] = counts[i]! + part[i]!;
      total += part[i]!;
    }
  if (total === 0) return QUANTILES.map(() => Number.NaN);
  return QUANTILES.map((quantile) => {
    const rank = Math.ceil(quantile * total);
    let [bucket, seen] = [0, counts[0]!];
    while (seen < rank) seen += counts[++bucket]!;
    // The middle of the bucket, by ratio.
    return LEAST * Math.exp(Math.max(bucket - 0.5, 0) * LOG_GROWTH);
  });
}
