import { type Cell, CounterFamily, exponential, type HistogramCell, HistogramFamily } from './series.js';

/** Seconds, from 10 ns to 10 s. Each is ten times the one before, with the rounding that kube-apiserver has in the labels. */
const BUCKETS = exponential(1e-8, 10, 10);

/** Durations, counted by code that does not depend on metrics. */
export class Durations {
  readonly counts = new Float64Array(BUCKETS.length + 1);
  sum = 0;

  observe(seconds: number): void {
    let i = 0;
    while (i < BUCKETS.length && seconds > BUCKETS[i]!) i++;
    this.counts[i] = this.counts[i]! + 1;
    this.sum += seconds;
  }
}

/** The statistics of a controller's queue since it was created. */
export interface QueueCounts {
  /** Keys that wait for a free worker. */
  readonly depth: number;
  /** Keys that are waiting, being processed or delayed: with none of them the controller is idle. */
  readonly outstanding: number;
  readonly adds: number;
  readonly retries: number;
  /** Seconds for which the keys that are being processed have been processed: together, and the longest. */
  readonly unfinished: { readonly total: number; readonly longest: number };
  readonly waited: Durations;
  readonly worked: Durations;
}

export interface QueueView {
  readonly name: string;
  readonly counts: QueueCounts;
}

/**
 * The queues of the controllers, under the names of kube-controller-manager. A controller that does not run here reports an empty
 * queue.
 */
export class QueueMetrics {
  readonly #depth = new CounterFamily(
    { name: 'workqueue_depth', help: 'Keys waiting for a controller.' },
    ['name'],
    'gauge',
  );
  readonly #adds = new CounterFamily({ name: 'workqueue_adds_total', help: 'Keys given to a controller.' }, ['name']);
  readonly #retries = new CounterFamily({ name: 'workqueue_retries_total', help: 'Keys that failed and come back.' }, [
    'name',
  ]);
  readonly #unfinished = new CounterFamily(
    {
      name: 'workqueue_unfinished_work_seconds',
      help: 'Seconds for which a controller has worked on the keys that it is processing, together.',
    },
    ['name'],
    'gauge',
  );
  readonly #longest = new CounterFamily(
    {
      name: 'workqueue_longest_running_processor_seconds',
      help: 'Seconds for which a controller has worked on the key that it has processed longest.',
    },
    ['name'],
    'gauge',
  );
  readonly #waited = new HistogramFamily(
    {
      name: 'workqueue_queue_duration_seconds',
      help: 'Seconds that a key waited for its controller.',
      onlyClassic: true,
    },
    ['name'],
    BUCKETS,
  );
  readonly #worked = new HistogramFamily(
    {
      name: 'workqueue_work_duration_seconds',
      help: 'Seconds that a controller worked on a key.',
      onlyClassic: true,
    },
    ['name'],
    BUCKETS,
  );
  readonly #gauges = new Set<Cell>();

  get families(): readonly (CounterFamily | HistogramFamily)[] {
    return [this.#depth, this.#adds, this.#retries, this.#unfinished, this.#longest, this.#waited, this.#worked];
  }

  update(queues: Iterable<QueueView>): void {
    for (const gauge of this.#gauges) gauge.value = 0;
    for (const { name, counts } of queues) {
      this.#set(this.#depth.at(name), counts.depth);
      this.#set(this.#unfinished.at(name), counts.unfinished.total);
      this.#set(this.#longest.at(name), counts.unfinished.longest);
      this.#adds.at(name).value = counts.adds;
      this.#retries.at(name).value = counts.retries;
      show(this.#waited.at(name), counts.waited);
      show(this.#worked.at(name), counts.worked);
    }
  }

  #set(gauge: Cell, value: number): void {
    gauge.value = value;
    this.#gauges.add(gauge);
  }
}

function show(cell: HistogramCell, { counts, sum }: Durations): void {
  cell.counts.set(counts);
  cell.sum = sum;
}
