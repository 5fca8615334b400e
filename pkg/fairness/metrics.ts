import type { Clock } from '../base/index.js';
import {
  type Cell,
  CounterFamily,
  type Family,
  type HistogramCell,
  HistogramFamily,
  type RecentPeak,
  TimedHistogramFamily,
  type TimedRatio,
} from '../telemetry/index.js';
import type { Allocation, SeatLimits } from './borrowing.js';
import type { Demand } from './demand.js';
import { type KindLimits, type KindUse, KindUses } from './kinduse.js';
import type { Rejection } from './level.js';

const BY_FLOW = ['priority_level', 'flow_schema'];
const BY_LEVEL = ['priority_level'];
/** Seconds. */
const WAIT_BUCKETS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const EXECUTION_BUCKETS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const LENGTH_BUCKETS = [0, 10, 25, 50, 100, 250, 500, 1000];
const SEAT_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 100];
const WATCH_BUCKETS = [0, 1, 10, 100, 1000, 10_000];
/** Shares of a limit. */
const REQUEST_USE_BUCKETS = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1];
const SEAT_USE_BUCKETS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];
const DEMAND_BUCKETS = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6];

/** The use of one level over time. */
export interface LevelUse {
  /** Requests in queues, relative to the length of all queues. */
  readonly waiting: TimedRatio;
  /** Requests until their response, relative to the seats; watches until they are initialized. */
  readonly executing: TimedRatio;
  /** Seats in use, relative to those of the level. */
  readonly seats: TimedRatio;
  /** Seats in use or waited for, relative to those of the level. */
  readonly demand: TimedRatio;
}

/** Read-only or mutating requests over time: in queues, and executing relative to the limit for their kind. */
export interface QueuedKindUse extends KindUse {
  readonly waiting: TimedRatio;
  /** The requests in queues, for their recent highest number. */
  readonly queued: RecentPeak;
}

/** The metrics of one flow schema at its level, looked up once. */
export interface FlowSeries {
  readonly level: string;
  readonly schema: string;
  readonly dispatched: Cell;
  readonly executing: Cell;
  readonly executingSeats: Cell;
  readonly inQueue: Cell;
  readonly inQueueSeats: Cell;
  readonly queueLength: HistogramCell;
  readonly executed: HistogramCell;
  readonly waitedAndRun: HistogramCell;
  readonly waitedInVain: HistogramCell;
  readonly seats: HistogramCell;
  readonly watchers: HistogramCell;
}

/** The metrics of priority and fairness, with the names of kube-apiserver. */
export class FlowControlMetrics {
  readonly #dispatched = counter('dispatched_requests_total', 'Requests that were executed.', BY_FLOW);
  readonly #rejected = counter('rejected_requests_total', 'Requests answered 429.', [...BY_FLOW, 'reason']);
  readonly #executing = gauge(
    'current_executing_requests',
    'Executing requests; watches until they are initialized.',
    BY_FLOW,
  );
  readonly #executingSeats = gauge('current_executing_seats', 'Seats of executing requests.', BY_FLOW);
  readonly #inQueue = gauge('current_inqueue_requests', 'Requests in queues.', BY_FLOW);
  readonly #inQueueSeats = gauge('current_inqueue_seats', 'Seats that requests in queues need.', BY_FLOW);
  readonly #nominal = gauge('nominal_limit_seats', 'Configured seats of each level.', BY_LEVEL);
  readonly #lower = gauge('lower_limit_seats', 'Least seats of each level.', BY_LEVEL);
  readonly #upper = gauge('upper_limit_seats', 'Most seats of each level.', BY_LEVEL);
  readonly #current = gauge('current_limit_seats', 'Seats of each level until the next adjustment.', BY_LEVEL);
  readonly #target = gauge('target_seats', 'Seats that the last adjustment aimed at.', BY_LEVEL);
  readonly #demandAverage = gauge(
    'demand_seats_average',
    'Average seat demand in the last adjustment period.',
    BY_LEVEL,
  );
  readonly #demandDeviation = gauge('demand_seats_stdev', 'Standard deviation of the seat demand.', BY_LEVEL);
  readonly #demandHigh = gauge(
    'demand_seats_high_watermark',
    'Highest seat demand in the last adjustment period.',
    BY_LEVEL,
  );
  readonly #demandSmoothed = gauge('demand_seats_smoothed', 'Smoothed seat demand.', BY_LEVEL);
  readonly #virtualTime = gauge('current_r', 'Virtual time of each level.', BY_LEVEL);
  readonly #fraction = gauge('seat_fair_frac', 'Factor between targets and seats in the last adjustment.', []);
  readonly #waits = histogram(
    'request_wait_duration_seconds',
    'Time in queues.',
    [...BY_FLOW, 'execute'],
    WAIT_BUCKETS,
  );
  readonly #executions = histogram(
    'request_execution_seconds',
    'Duration of execution.',
    [...BY_FLOW, 'type'],
    EXECUTION_BUCKETS,
  );
  readonly #lengths = histogram(
    'request_queue_length_after_enqueue',
    'Length of a queue after a request joined it.',
    BY_FLOW,
    LENGTH_BUCKETS,
  );
  readonly #seats = histogram('work_estimated_seats', 'Estimated seats of requests.', BY_FLOW, SEAT_BUCKETS);
  readonly #watchers = histogram('watch_count_samples', 'Watchers that a write wakes.', BY_FLOW, WATCH_BUCKETS);
  readonly #requestUse: TimedHistogramFamily;
  readonly #seatUse: TimedHistogramFamily;
  readonly #demand: TimedHistogramFamily;
  readonly #kinds: KindUses;
  readonly readOnly: QueuedKindUse;
  readonly mutating: QueuedKindUse;

  constructor({ monotonic }: Pick<Clock, 'monotonic'>, limits: KindLimits) {
    const timed = (name: string, help: string, labels: readonly string[], bounds: readonly number[]) =>
      new TimedHistogramFamily(
        about(name, `Observations, at the end of every nanosecond, of ${help}`),
        labels,
        bounds,
        monotonic,
      );
    this.#requestUse = timed(
      'priority_level_request_utilization',
      'number of requests (as a fraction of the relevant limit) waiting or in any stage of execution (but only initial stage for WATCHes)',
      ['phase', 'priority_level'],
      REQUEST_USE_BUCKETS,
    );
    this.#seatUse = timed(
      'priority_level_seat_utilization',
      'utilization of seats for any stage of execution (but only initial stage for WATCHes)',
      ['phase', 'priority_level'],
      SEAT_USE_BUCKETS,
    );
    this.#demand = timed(
      'demand_seats',
      '(the number of seats each priority level could use) / (nominal number of seats for that level)',
      BY_LEVEL,
      DEMAND_BUCKETS,
    );
    this.#kinds = new KindUses(monotonic, limits);
    const use = (name: keyof KindLimits): QueuedKindUse => ({
      waiting: this.#kinds.waiting(name),
      queued: this.#kinds.queued(name),
      executing: this.#kinds[name].executing,
    });
    this.readOnly = use('readOnly');
    this.mutating = use('mutating');
  }

  /** Called before a scrape. */
  update(now: number): void {
    this.#kinds.update(now);
  }

  use(level: string): LevelUse {
    return {
      waiting: this.#requestUse.at('waiting', level),
      executing: this.#requestUse.at('executing', level),
      seats: this.#seatUse.at('executing', level),
      demand: this.#demand.at(level),
    };
  }

  get families(): readonly Family[] {
    return [
      this.#dispatched,
      this.#rejected,
      this.#executing,
      this.#executingSeats,
      this.#inQueue,
      this.#inQueueSeats,
      this.#nominal,
      this.#lower,
      this.#upper,
      this.#current,
      this.#target,
      this.#demandAverage,
      this.#demandDeviation,
      this.#demandHigh,
      this.#demandSmoothed,
      this.#virtualTime,
      this.#fraction,
      this.#waits,
      this.#executions,
      this.#lengths,
      this.#seats,
      this.#watchers,
      this.#requestUse,
      this.#seatUse,
      this.#demand,
      ...this.#kinds.families,
    ];
  }

  series(level: string, schema: string): FlowSeries {
    return {
      level,
      schema,
      dispatched: this.#dispatched.at(level, schema),
      executing: this.#executing.at(level, schema),
      executingSeats: this.#executingSeats.at(level, schema),
      inQueue: this.#inQueue.at(level, schema),
      inQueueSeats: this.#inQueueSeats.at(level, schema),
      queueLength: this.#lengths.at(level, schema),
      executed: this.#executions.at(level, schema, 'regular'),
      waitedAndRun: this.#waits.at(level, schema, 'true'),
      waitedInVain: this.#waits.at(level, schema, 'false'),
      seats: this.#seats.at(level, schema),
      watchers: this.#watchers.at(level, schema),
    };
  }

  started(series: FlowSeries, seats: number): void {
    series.dispatched.value++;
    series.executing.value++;
    series.executingSeats.value += seats;
  }

  estimated(series: FlowSeries, seats: number): void {
    this.#seats.observe(series.seats, seats);
  }

  woke(series: FlowSeries, watchers: number): void {
    this.#watchers.observe(series.watchers, watchers);
  }

  queued(series: FlowSeries, length: number): void {
    this.#lengths.observe(series.queueLength, length);
  }

  /** Milliseconds. */
  waited(series: FlowSeries, milliseconds: number, isExecuted: boolean): void {
    this.#waits.observe(isExecuted ? series.waitedAndRun : series.waitedInVain, milliseconds / 1000);
  }

  executed(series: FlowSeries, milliseconds: number): void {
    this.#executions.observe(series.executed, milliseconds / 1000);
  }

  rejected(series: FlowSeries, reason: Rejection): void {
    this.#rejected.at(series.level, series.schema, reason).value++;
  }

  limits(level: string, limits: SeatLimits, seats: number): void {
    this.#nominal.at(level).value = limits.nominal;
    this.#lower.at(level).value = limits.lower;
    this.#upper.at(level).value = limits.upper;
    this.#current.at(level).value = seats;
  }

  adjusted(levels: readonly AdjustedLevel[], { targets, fairFraction }: Allocation): void {
    this.#fraction.at().value = fairFraction;
    for (const [i, { name, seats, demand, smoothedDemand, virtualTime }] of levels.entries()) {
      this.#current.at(name).value = seats;
      this.#target.at(name).value = targets[i]!;
      this.#demandAverage.at(name).value = demand.average;
      this.#demandDeviation.at(name).value = demand.deviation;
      this.#demandHigh.at(name).value = demand.highWatermark;
      this.#demandSmoothed.at(name).value = smoothedDemand;
      this.#virtualTime.at(name).value = virtualTime / 1000;
    }
  }
}

export interface AdjustedLevel {
  readonly name: string;
  readonly seats: number;
  readonly demand: Demand;
  readonly smoothedDemand: number;
  /** Seat-milliseconds. */
  readonly virtualTime: number;
}

const about = (name: string, help: string) => ({ name: `apiserver_flowcontrol_${name}`, help });
const counter = (name: string, help: string, labels: readonly string[]) => new CounterFamily(about(name, help), labels);
const gauge = (name: string, help: string, labels: readonly string[]) =>
  new CounterFamily(about(name, help), labels, 'gauge');
const histogram = (name: string, help: string, labels: readonly string[], bounds: readonly number[]) =>
  new HistogramFamily(about(name, help), labels, bounds);
