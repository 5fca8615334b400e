import { floatText } from './float.js';
import { NativeBuckets } from './native.js';

/**
 * Counters and histograms that cost an array write on the hot path. prom-client hashes the labels at every observation (about 2
 * us); here the caller looks up a series once and keeps it, and a scrape converts it to prom-client's form.
 */
export type Labels = Readonly<Record<string, string>>;

/** One labelled counter or gauge. */
export interface Cell {
  value: number;
  readonly labels: Labels;
}

/** One labelled histogram: counts per bucket (not cumulative); the last one is above every bound. */
export interface HistogramCell {
  readonly counts: Float64Array;
  readonly labels: Labels;
  /** Absent if the histogram has classic buckets only. */
  readonly native: NativeBuckets | undefined;
  sum: number;
}

/**
 * The form that prom-client's registry expects of a metric at a scrape. The values of each series of a histogram are in order: its
 * buckets from the lowest, the sum, the count; those of a summary its quantiles from the lowest, the sum, the count.
 */
export interface ScrapedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly aggregator: 'sum';
  readonly values: readonly ScrapedValue[];
  /** The native buckets of the series of a histogram, in the order of the series. They change with the next observation. */
  readonly native?: readonly (NativeBuckets | undefined)[];
}

/** One metric with all its series. */
export interface Family {
  readonly name: string;
  readonly help: string;
  get(): ScrapedMetric;
  reset(): void;
}

export interface ScrapedValue {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

interface Named {
  readonly name: string;
  readonly help: string;
}

/**
 * The series of one metric by label values. Their number is bounded: beyond `cellsMax` all observations count in one series whose
 * labels are all `other`, so that a client cannot increase memory by inventing names.
 */
class Cells<C> {
  readonly #cells = new Map<string, C>();
  readonly #names: readonly string[];
  readonly #make: (labels: Labels) => C;

  constructor(names: readonly string[], make: (labels: Labels) => C) {
    this.#names = names;
    this.#make = make;
  }

  at(values: readonly string[]): C {
    const key = values.join('\n');
    const found = this.#cells.get(key);
    if (found !== undefined) return found;
    if (this.#cells.size >= CELLS_MAX) {
      const other = this.#names.map(() => 'other');
      const otherKey = other.join('\n');
      return this.#cells.get(otherKey) ?? this.#add(otherKey, other);
    }
    return this.#add(key, values);
  }

  #add(key: string, values: readonly string[]): C {
    const cell = this.#make(Object.fromEntries(this.#names.map((name, i) => [name, values[i] ?? ''])));
    this.#cells.set(key, cell);
    return cell;
  }

  remove(values: readonly string[]): void {
    this.#cells.delete(values.join('\n'));
  }

  clear(): void {
    this.#cells.clear();
  }

  all(): Iterable<C> {
    return this.#cells.values();
  }
}

/** Label sets per metric. 80 resources x 8 verbs x a few status codes stay far below it. */
export const CELLS_MAX = 20_000;

export class CounterFamily {
  readonly name: string;
  readonly help: string;
  readonly #cells: Cells<Cell>;
  readonly #type: 'counter' | 'gauge';

  constructor(about: Named, labelNames: readonly string[], type: 'counter' | 'gauge' = 'counter') {
    this.name = about.name;
    this.help = about.help;
    this.#type = type;
    this.#cells = new Cells(labelNames, (labels) => ({ value: 0, labels }));
  }

  /** The series of these label values, in the order in which the names were declared. Keep it: the lookup costs a string join. */
  at(...values: readonly string[]): Cell {
    return this.#cells.at(values);
  }

  /** Removes a series. Its cell must not be used any more. */
  remove(...values: readonly string[]): void {
    this.#cells.remove(values);
  }

  get(): ScrapedMetric {
    const values = [...this.#cells.all()].map((c) => ({ value: c.value, labels: { ...c.labels } }));
    return { name: this.name, help: this.help, type: this.#type, aggregator: 'sum', values };
  }

  /** Removes all series. Their cells must not be used any more. */
  clear(): void {
    this.#cells.clear();
  }

  /** A gauge keeps its value, because what it measures continues. */
  reset(): void {
    if (this.#type === 'counter') for (const c of this.#cells.all()) c.value = 0;
  }
}

/** Bounds of a histogram, each a multiple of the one before. */
export function exponential(first: number, factor: number, count: number): readonly number[] {
  const bounds = [first];
  while (bounds.length < count) bounds.push(bounds.at(-1)! * factor);
  return bounds;
}

interface HistogramAbout extends Named {
  /** For a histogram that kube-apiserver exposes without native buckets in every format. */
  readonly onlyClassic?: true;
}

export class HistogramFamily {
  readonly name: string;
  readonly help: string;
  readonly #bounds: readonly number[];
  readonly #boundTexts: readonly string[];
  readonly #cells: Cells<HistogramCell>;

  constructor(about: HistogramAbout, labelNames: readonly string[], bounds: readonly number[]) {
    this.name = about.name;
    this.help = about.help;
    this.#bounds = bounds;
    this.#boundTexts = bounds.map(floatText);
    this.#cells = new Cells(labelNames, (labels) => ({
      counts: new Float64Array(bounds.length + 1),
      labels,
      native: about.onlyClassic ? undefined : new NativeBuckets(),
      sum: 0,
    }));
  }

  at(...values: readonly string[]): HistogramCell {
    return this.#cells.at(values);
  }

  observe(cell: HistogramCell, value: number): void {
    this.observeMany(cell, value, 1);
  }

  /** Records `n` observations of the same value. */
  observeMany(cell: HistogramCell, value: number, n: number): void {
    const bounds = this.#bounds;
    let i = 0;
    while (i < bounds.length && value > (bounds[i] as number)) i++;
    cell.counts[i] = (cell.counts[i] as number) + n;
    cell.sum += value * n;
    cell.native?.observe(value, n);
  }

  get(): ScrapedMetric {
    const values: ScrapedValue[] = [];
    const native: (NativeBuckets | undefined)[] = [];
    for (const cell of this.#cells.all()) {
      native.push(cell.native);
      let cumulated = 0;
      for (const [i, bound] of this.#boundTexts.entries()) {
        cumulated += cell.counts[i] as number;
        values.push({ value: cumulated, labels: { ...cell.labels, le: bound }, metricName: `${this.name}_bucket` });
      }
      cumulated += cell.counts[this.#bounds.length] as number;
      values.push({ value: cumulated, labels: { ...cell.labels, le: '+Inf' }, metricName: `${this.name}_bucket` });
      values.push({ value: cell.sum, labels: { ...cell.labels }, metricName: `${this.name}_sum` });
      values.push({ value: cumulated, labels: { ...cell.labels }, metricName: `${this.name}_count` });
    }
    return { name: this.name, help: this.help, type: 'histogram', aggregator: 'sum', values, native };
  }

  reset(): void {
    for (const c of this.#cells.all()) {
      c.counts.fill(0);
      c.sum = 0;
      c.native?.reset();
    }
  }
}
