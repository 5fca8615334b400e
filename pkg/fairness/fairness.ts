import type { UserInfo } from '../api/index.js';
import type { Clock, World } from '../base/index.js';
import { allocate, type SeatLimits, seatLimits, smoothed } from './borrowing.js';
import { type FlowConfig, flowConfig, type LevelSpec } from './config.js';
import type { KindLimits } from './kinduse.js';
import { PriorityLevel, type Rejection, type Seat, type Work } from './level.js';
import { covers, distinguisherOf, type FlowRequest, type FlowSchema, rulesFor } from './matching.js';
import { FlowControlMetrics, type FlowSeries } from './metrics.js';

export interface FairnessOptions {
  readonly world: World;
  /** `--max-requests-inflight` and `--max-mutating-requests-inflight`: together the seats of the whole server. */
  readonly requestsMax: KindLimits;
  /** The time after which a queued request is rejected. */
  readonly queueMilliseconds: number;
}

/** The level of a request and the schema that chose it. */
export interface Classification {
  readonly schema: FlowSchema;
  readonly level: LevelSpec;
}

/** The outcome of a request. */
export interface Admission {
  readonly classification: Classification;
  readonly outcome: Seat | Rejection | Promise<Seat | Rejection>;
  /** Removes the request from its queue if its client has disconnected. */
  cancel(): void;
}

/**
 * The cost of a request, once its level is known. `seatsMax` is the largest number of seats that one request of the
 * level may take.
 */
export type Estimate = (seatsMax: number) => { readonly work: Work; readonly watchers: number | undefined };

interface ServedLevel {
  spec: LevelSpec;
  limits: SeatLimits;
  smoothedDemand: number;
  readonly level: PriorityLevel;
}

type Rules = ReturnType<typeof rulesFor>;

interface Candidate {
  readonly schema: FlowSchema;
  readonly rules: Rules;
}

/** Milliseconds between two adjustments of the seats. */
const ADJUST_MILLISECONDS = 10_000;
/** The largest part of a level's seats that one request may take. */
const REQUEST_SEATS_MAX = 0.15;

/**
 * Priority and fairness (KEP-1040): every request is matched with a flow schema, which assigns it to a priority level; each level has a number of
 * seats, lends those that it does not use, and queues the flows of its requests fairly.
 */
export class Fairness {
  readonly #options: FairnessOptions;
  readonly #serverSeats: number;
  readonly metrics: FlowControlMetrics;
  #config!: FlowConfig;
  readonly #levels = new Map<string, ServedLevel>();
  /**
   * The schemas that can match a user. Authenticators return the same user value, so most requests find theirs in the
   * cache.
   */
  #candidates = new WeakMap<UserInfo, readonly Candidate[]>();
  readonly #series = new Map<FlowSchema, FlowSeries>();
  readonly #stop: () => void;

  constructor(options: FairnessOptions) {
    this.#options = options;
    const { readOnly, mutating } = options.requestsMax;
    this.#serverSeats = readOnly + mutating;
    this.metrics = new FlowControlMetrics(options.world.clock, options.requestsMax);
    this.configure(flowConfig([], []));
    this.#stop = options.world.timers.every(ADJUST_MILLISECONDS, () => this.#adjust());
  }

  get clock(): Clock {
    return this.#options.world.clock;
  }

  close(): void {
    this.#stop();
  }

  /** Applies a configuration. Requests that were admitted before keep their seats. */
  configure(config: FlowConfig): void {
    const { world, queueMilliseconds } = this.#options;
    const serverSeats = this.#serverSeats;
    this.#config = config;
    this.#candidates = new WeakMap();
    this.#series.clear();
    const limits = seatLimits(config.levels, serverSeats);
    const names = new Set(config.levels.map(({ name }) => name));
    // Requests in the queues of a removed level are served by it until it is empty.
    for (const name of this.#levels.keys()) if (!names.has(name)) this.#levels.delete(name);
    for (const [i, spec] of config.levels.entries()) {
      const served = this.#levels.get(spec.name);
      const mine = limits[i]!;
      if (served === undefined) {
        const use = this.metrics.use(spec.name);
        const options = { clock: world.clock, timers: world.timers, queueMilliseconds, serverSeats, use };
        const level = new PriorityLevel(spec.name, spec, mine.nominal, options);
        this.#levels.set(spec.name, { spec, limits: mine, smoothedDemand: 0, level });
      } else {
        served.spec = spec;
        served.limits = mine;
        served.level.configure(spec);
        served.level.resize(Math.min(Math.max(served.level.seats, mine.lower), mine.upper));
      }
      this.metrics.limits(spec.name, mine, this.#levels.get(spec.name)!.level.seats);
    }
    for (const schema of config.schemas) this.#series.set(schema, this.metrics.series(schema.level, schema.name));
  }

  get levels(): readonly PriorityLevel[] {
    return [...this.#levels.values()].map(({ level }) => level).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Admits a request to its level. */
  enter(request: FlowRequest, estimate: Estimate): Admission {
    const { world } = this.#options;
    const schema = this.#schemaOf(request);
    const { level, spec, limits } = this.#levels.get(schema.level)!;
    const series = this.#series.get(schema)!;
    const { work, watchers } = estimate(seatsMaxOf(spec, limits));
    const seats = Math.max(work.initialSeats, work.finalSeats);
    this.metrics.estimated(series, seats);
    if (watchers !== undefined) this.metrics.woke(series, watchers);
    const classification = { schema, level: spec };
    const kind = READS.has(request.verb) ? this.metrics.readOnly : this.metrics.mutating;
    const ended = (milliseconds: number, now: number): void => {
      kind.executing.add(-1, now);
      series.executing.value--;
      series.executingSeats.value -= seats;
      this.metrics.executed(series, milliseconds);
    };
    const arrival = { schema: schema.name, distinguisher: distinguisherOf(schema, request), work, ended };
    const entered = level.enter(arrival);
    if (typeof entered === 'string') {
      this.metrics.rejected(series, entered);
      return { classification, outcome: entered, cancel: nothing };
    }
    if ('leave' in entered) {
      kind.executing.add(1, entered.started!);
      this.metrics.started(series, seats);
      return { classification, outcome: entered, cancel: nothing };
    }
    const since = world.clock.monotonic();
    kind.waiting.add(1, since);
    kind.queued.add(1, since);
    series.inQueue.value++;
    series.inQueueSeats.value += seats;
    this.metrics.queued(series, level.waiting);
    const outcome = entered.outcome.then((result) => {
      series.inQueue.value--;
      series.inQueueSeats.value -= seats;
      const now = world.clock.monotonic();
      kind.waiting.add(-1, now);
      kind.queued.add(-1, now);
      this.metrics.waited(series, now - since, typeof result !== 'string');
      if (typeof result === 'string') this.metrics.rejected(series, result);
      else {
        kind.executing.add(1, now);
        this.metrics.started(series, seats);
      }
      return result;
    });
    return { classification, outcome, cancel: entered.cancel };
  }

  #schemaOf(request: FlowRequest): FlowSchema {
    let candidates = this.#candidates.get(request.user);
    if (candidates === undefined) {
      candidates = this.#config.schemas
        .map((schema) => ({ schema, rules: rulesFor(schema, request.user) }))
        .filter(({ rules }) => rules.length > 0);
      this.#candidates.set(request.user, candidates);
    }
    for (const { schema, rules } of candidates) if (covers(rules, request)) return schema;
    // Only for a user without either system group: no request is served outside the levels.
    return this.#config.schemas.find(({ name }) => name === CATCH_ALL)!;
  }

  /** Lends unused seats of levels to those that need more. */
  #adjust(): void {
    const serverSeats = this.#serverSeats;
    const now = this.#options.world.clock.monotonic();
    const served = [...this.#levels.values()];
    const demands = served.map(({ level }) => level.demand.reset(now));
    for (const [i, one] of served.entries()) one.smoothedDemand = smoothed(one.smoothedDemand, demands[i]!);
    const allocation = allocate(
      served.map(({ spec, limits, smoothedDemand }, i) => ({
        ...limits,
        exempt: spec.exempt,
        smoothedDemand,
        highWatermark: demands[i]!.highWatermark,
      })),
      serverSeats,
    );
    for (const [i, { level }] of served.entries()) level.resize(allocation.seats[i]!);
    const adjusted = served.map(({ level, smoothedDemand }, i) => ({
      name: level.name,
      seats: level.seats,
      demand: demands[i]!,
      smoothedDemand,
      virtualTime: level.virtualTime,
    }));
    this.metrics.adjusted(adjusted, allocation);
  }
}

const CATCH_ALL = 'catch-all';
/** The verbs of read-only requests; all others, also those of paths, are mutating. */
const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const nothing = (): void => {};

/** The requests of one hand must fit into the level at the same time. */
function seatsMaxOf({ queuing }: LevelSpec, { nominal }: SeatLimits): number {
  if (queuing === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(1, Math.min(Math.ceil(nominal * REQUEST_SEATS_MAX), Math.floor(nominal / queuing.handSize)));
}
