import { type Cell, CounterFamily, type HistogramCell, HistogramFamily } from './series.js';

/** Seconds, from 10 ns to 1,000 s. */
const BUCKETS = Array.from({ length: 12 }, (_, i) => Number(`1e${i - 8}`));

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
  readonly #seen = new Map<string, Cell>();

  get families(): readonly (CounterFamily | HistogramFamily)[] {
    return [this.#depth, this.#adds, this.#retries, this.#waited, this.#worked];
  }

  update(queues: Iterable<QueueView>): void {
    for (const depth of this.#seen.values()) depth.value = 0;
    for (const { name, counts } of queues) {
      const depth = this.#depth.at(name);
      this.#seen.set(name, depth);
      depth.value = counts.depth;
      this.#adds.at(name).value = counts.adds;
      this.#retries.at(name).value = counts.retries;
      show(this.#waited.at(name), counts.waited);
      show(this.#worked.at(name), counts.worked);
    }
  }
}

function show(cell: HistogramCell, { counts, sum }: Durations): void {
  cell.counts.set(counts);
  cell.sum = sum;
}
