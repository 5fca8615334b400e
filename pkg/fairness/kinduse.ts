import { CounterFamily, type Family, RecentPeak, TimedHistogramFamily, type TimedRatio } from '../telemetry/index.js';

const KIND_USE_BUCKETS = [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];

/** The largest numbers of requests in flight, by their kind; 0 if there is no limit. */
export interface KindLimits {
  readonly readOnly: number;
  readonly mutating: number;
}

/** The executing requests of one kind over time, relative to the limit for their kind. */
export interface KindUse {
  readonly executing: TimedRatio;
}

/** Read-only and mutating requests over time. A server without priority and fairness has this metric too, without requests in queues. */
export class KindUses {
  readonly #family: TimedHistogramFamily;
  readonly #peaks = new CounterFamily(
    {
      name: 'apiserver_current_inqueue_requests',
      help: 'The most requests that were in queues at once in the last second, by kind.',
    },
    ['request_kind'],
    'gauge',
  );
  readonly #queued = { readOnly: new RecentPeak(), mutating: new RecentPeak() };
  readonly readOnly: KindUse;
  readonly mutating: KindUse;

  /** `monotonic`: the time, in milliseconds. */
  constructor(monotonic: () => number, limits: KindLimits) {
    this.#family = new TimedHistogramFamily(
      {
        name: 'apiserver_flowcontrol_read_vs_write_current_requests',
        help: 'Observations, at the end of every nanosecond, of the number of requests (as a fraction of the relevant limit) waiting or in regular stage of execution',
      },
      ['phase', 'request_kind'],
      KIND_USE_BUCKETS,
      monotonic,
    );
    const use = (name: keyof KindLimits): KindUse => {
      const executing = this.#family.at('executing', name);
      if (limits[name] > 0) executing.limit(limits[name], monotonic());
      return { executing };
    };
    this.readOnly = use('readOnly');
    this.mutating = use('mutating');
  }

  /** The requests of a kind in queues. */
  waiting(name: keyof KindLimits): TimedRatio {
    return this.#family.at('waiting', name);
  }

  /** The number of requests of a kind in queues, for its recent highest value. */
  queued(name: keyof KindLimits): RecentPeak {
    return this.#queued[name];
  }

  /** Called before a scrape. */
  update(now: number): void {
    for (const name of ['readOnly', 'mutating'] as const) this.#peaks.at(name).value = this.#queued[name].peak(now);
  }

  get family(): Family {
    return this.#family;
  }

  /** With the metric of queues. */
  get families(): readonly Family[] {
    return [this.#family, this.#peaks];
  }
}
