import { Bag, type Bagged, type Clock, type Timers } from '../base/index.js';
import { DemandIntegrator } from './demand.js';
import type { LevelUse } from './metrics.js';
import { deal, flowHash } from './shuffle.js';

/** Why a request is rejected, as the label of the metric. */
export type Rejection = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled';

/** The number of seats that a request takes, and for how long after its response. */
export interface Work {
  readonly initialSeats: number;
  /** Seats used for `additionalMilliseconds` after the response, for the events that a write causes. */
  readonly finalSeats: number;
  readonly additionalMilliseconds: number;
}

/** The treatment of requests beyond the seats of a level. */
export interface Queuing {
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthMax: number;
}

export interface LevelConfig {
  readonly exempt: boolean;
  /** Absent: requests beyond the seats are rejected. */
  readonly queuing: Queuing | undefined;
}

export interface LevelOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly timers: Timers;
  /** The time after which a queued request is rejected. */
  readonly queueMilliseconds: number;
  /** The seats of the whole server. */
  readonly serverSeats: number;
  /** The use of the level over time. */
  readonly use: LevelUse;
}

/** The properties of a request before it enters a level. */
export interface Arrival {
  readonly schema: string;
  readonly distinguisher: string;
  readonly work: Work;
  /** Called once when the response is complete, with the milliseconds since the request got its seats, and the time. */
  readonly ended?: ((milliseconds: number, now: number) => void) | undefined;
}

/** A request in a level, from its arrival until it releases its seats. Times are monotonic, in milliseconds. */
export class Occupant implements Bagged {
  readonly #level: Releases;
  readonly about: Arrival;
  readonly queue: Queue | undefined;
  readonly seats: number;
  readonly arrived: number;
  /** Undefined while it is queued. */
  started: number | undefined;
  place = -1;
  #isOver = false;

  constructor(level: Releases, about: Arrival, queue: Queue | undefined, arrived: number) {
    this.#level = level;
    this.about = about;
    this.queue = queue;
    this.seats = seatsOf(about.work);
    this.arrived = arrived;
  }

  /** Milliseconds in the queue. */
  get waited(): number {
    return (this.started ?? this.arrived) - this.arrived;
  }

  /** Releases the seats. Further calls have no effect. */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#level.release(this);
  }
}

interface Releases {
  release(occupant: Occupant): void;
}

/** An executing request: `leave` releases its seats. */
export type Seat = Pick<Occupant, 'waited' | 'started' | 'leave'>;

interface Waiter {
  readonly occupant: Occupant;
  readonly settle: (outcome: Seat | Rejection) => void;
  cancelTimer: () => void;
}

export interface Queue {
  readonly index: number;
  readonly waiting: Waiter[];
  executing: number;
  seatsInUse: number;
  /** Seat-milliseconds of the queued requests, by estimate. */
  waitingWork: number;
  /** The virtual time at which the next request of this queue may start. */
  nextDispatch: number;
}

/** The assumed execution time of a request that has not ended: milliseconds. */
const ESTIMATED_MILLISECONDS = 3;

/** A queued request. `cancel` removes it, for a client that has disconnected; it has no effect after an outcome. */
export interface Queued {
  readonly outcome: Promise<Seat | Rejection>;
  cancel(): void;
}

/** Flows of a schema whose hands a level caches. */
const HANDS_MAX = 4096;

/**
 * A priority level: its seats, and the queues of the requests that wait for them.
 *
 * Queues are served by fair queuing for requests that run side by side (KEP-1040). Virtual time advances at the number of used seats divided by
 * the number of active queues. Every queue has the virtual time at which its next request may start; dispatching a request moves it by the
 * estimated work of the request, and the end of the request corrects it by the actual work. The next request comes from the queue that would
 * finish it first. A request that needs more seats than are free blocks the level until enough are free, so that it is not starved.
 *
 * Invariants: the seats in use exceed the limit only by one request that is wider than the limit, or after the limit was lowered; a request is
 * queued only while its level has no room; a queue never holds more than `queueLengthMax` requests.
 */
export class PriorityLevel {
  readonly name: string;
  readonly #options: LevelOptions;
  #config: LevelConfig;
  #seats: number;
  #queues: Queue[] = [];
  /** The hand of each flow, by schema and distinguisher. */
  readonly #hands = new Map<string, Map<string, readonly number[]>>();
  /** The first queue to check, so that ties are served in turn. */
  #robin = 0;
  #virtual = 0;
  #virtualAt: number;
  #active = 0;
  #seatsInUse = 0;
  #executing = 0;
  #waiting = 0;
  #seatsWaiting = 0;
  readonly #occupants = new Bag<Occupant>();
  readonly demand: DemandIntegrator;
  /** Counts since the start. */
  readonly totals = { dispatched: 0, rejected: 0, timedOut: 0, cancelled: 0 };

  constructor(name: string, config: LevelConfig, seats: number, options: LevelOptions) {
    this.name = name;
    this.#options = options;
    this.#config = config;
    this.#seats = seats;
    const now = options.clock.monotonic();
    this.#virtualAt = now;
    this.demand = new DemandIntegrator(now);
    this.#growQueues();
    this.#limitUse(now);
  }

  get config(): LevelConfig {
    return this.#config;
  }

  get seats(): number {
    return this.#seats;
  }

  get seatsInUse(): number {
    return this.#seatsInUse;
  }

  get executing(): number {
    return this.#executing;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get virtualTime(): number {
    return this.#virtual;
  }

  get queues(): readonly Queue[] {
    return this.#queues;
  }

  get occupants(): Iterable<Occupant> {
    return this.#occupants;
  }

  /** Applies a changed configuration. Queued or executing requests are not affected. */
  configure(config: LevelConfig): void {
    this.#config = config;
    this.#hands.clear();
    this.#growQueues();
    this.#limitUse(this.#options.clock.monotonic());
  }

  /** Sets the number of seats. More seats start queued requests at once. */
  resize(seats: number): void {
    this.#seats = seats;
    const now = this.#options.clock.monotonic();
    this.#limitUse(now);
    if (this.#waiting > 0) this.#dispatch(now);
  }

  /** Sets what the use of the level is relative to. A level without seats gets a tenth of those of the server for that. */
  #limitUse(now: number): void {
    const { use, serverSeats } = this.#options;
    const seats = this.#seats > 0 ? this.#seats : Math.max(1, Math.round(serverSeats / 10));
    const { queues = 0, queueLengthMax = 0 } = this.#config.queuing ?? {};
    use.waiting.limit(Math.max(1, queueLengthMax) * Math.max(1, queues), now);
    use.executing.limit(seats, now);
    use.seats.limit(seats, now);
    use.demand.limit(seats, now);
  }

  /** Queues beyond the configured number receive no further requests and stay until they are empty. */
  #growQueues(): void {
    const wanted = this.#config.queuing?.queues ?? 0;
    while (this.#queues.length > wanted && isIdle(this.#queues.at(-1)!)) this.#queues.pop();
    for (let index = this.#queues.length; index < wanted; index++)
      this.#queues.push({ index, waiting: [], executing: 0, seatsInUse: 0, waitingWork: 0, nextDispatch: 0 });
  }

  /** Admits a request: at once, after a time in a queue, or not at all. */
  enter(about: Arrival): Seat | Rejection | Queued {
    const { exempt, queuing } = this.#config;
    const now = this.#options.clock.monotonic();
    if (exempt || queuing === undefined) {
      if (!exempt && !this.#fits(seatsOf(about.work))) {
        this.totals.rejected++;
        return 'concurrency-limit';
      }
      return this.#start(new Occupant(this, about, undefined, now), now);
    }
    const queue = this.#shortest(this.#handOf(about, queuing));
    if (this.#waiting === 0 && this.#fits(seatsOf(about.work))) {
      this.#tick(now);
      this.#activate(queue);
      queue.nextDispatch += estimated(about.work);
      return this.#start(new Occupant(this, about, queue, now), now);
    }
    if (queue.waiting.length >= queuing.queueLengthMax) {
      this.totals.rejected++;
      return 'queue-full';
    }
    return this.#wait(new Occupant(this, about, queue, now), queue);
  }

  #handOf({ schema, distinguisher }: Arrival, { queues, handSize }: Queuing): readonly number[] {
    let ofSchema = this.#hands.get(schema);
    if (ofSchema === undefined) {
      ofSchema = new Map();
      this.#hands.set(schema, ofSchema);
    }
    let hand = ofSchema.get(distinguisher);
    if (hand === undefined) {
      hand = deal(flowHash(schema, distinguisher), queues, handSize);
      if (ofSchema.size >= HANDS_MAX) ofSchema.clear();
      ofSchema.set(distinguisher, hand);
    }
    return hand;
  }

  #wait(occupant: Occupant, queue: Queue): Queued {
    const { timers, queueMilliseconds } = this.#options;
    let settle!: (outcome: Seat | Rejection) => void;
    const outcome = new Promise<Seat | Rejection>((resolve) => {
      settle = resolve;
    });
    const waiter: Waiter = { occupant, settle, cancelTimer: () => {} };
    const giveUp = (why: 'time-out' | 'cancelled'): void => {
      const at = queue.waiting.indexOf(waiter);
      if (at < 0) return;
      const now = this.#options.clock.monotonic();
      this.#tick(now);
      queue.waiting.splice(at, 1);
      this.#left(waiter, queue, now);
      this.#occupants.delete(occupant);
      if (why === 'time-out') this.totals.timedOut++;
      else this.totals.cancelled++;
      settle(why);
      this.#dispatch(now);
    };
    waiter.cancelTimer = timers.after(queueMilliseconds, () => giveUp('time-out'));
    const now = occupant.arrived;
    this.#tick(now);
    this.#activate(queue);
    queue.waiting.push(waiter);
    queue.waitingWork += estimated(occupant.about.work);
    this.#waiting++;
    this.#options.use.waiting.add(1, now);
    this.#seatsWaiting += occupant.seats;
    this.#occupants.add(occupant);
    this.#observe(now);
    this.#dispatch(now);
    return { outcome, cancel: () => giveUp('cancelled') };
  }

  /** A queued request has left its queue, with any outcome. */
  #left({ occupant, cancelTimer }: Waiter, queue: Queue, now: number): void {
    cancelTimer();
    queue.waitingWork -= estimated(occupant.about.work);
    this.#waiting--;
    this.#options.use.waiting.add(-1, now);
    this.#seatsWaiting -= occupant.seats;
    this.#deactivate(queue);
    this.#observe(now);
  }

  #start(occupant: Occupant, now: number): Occupant {
    const { queue, seats } = occupant;
    occupant.started = now;
    this.#seatsInUse += seats;
    this.#executing++;
    this.#options.use.executing.add(1, now);
    this.#options.use.seats.add(seats, now);
    this.totals.dispatched++;
    this.#occupants.add(occupant);
    if (queue !== undefined) {
      queue.executing++;
      queue.seatsInUse += seats;
    }
    this.#observe(now);
    return occupant;
  }

  /** For `Occupant.leave`. A write keeps its seats until its events are delivered. */
  release(occupant: Occupant): void {
    const { finalSeats, additionalMilliseconds } = occupant.about.work;
    const now = this.#options.clock.monotonic();
    this.#options.use.executing.add(-1, now);
    occupant.about.ended?.(now - occupant.started!, now);
    if (finalSeats > 0 && additionalMilliseconds > 0)
      this.#options.timers.after(additionalMilliseconds, () => this.#finish(occupant, this.#options.clock.monotonic()));
    else this.#finish(occupant, now);
  }

  #finish(occupant: Occupant, now: number): void {
    const { queue, seats, about } = occupant;
    this.#tick(now);
    this.#seatsInUse -= seats;
    this.#executing--;
    this.#options.use.seats.add(-seats, now);
    this.#occupants.delete(occupant);
    if (queue !== undefined) {
      queue.executing--;
      queue.seatsInUse -= seats;
      queue.nextDispatch += seats * (now - occupant.started!) - estimated(about.work);
      this.#deactivate(queue);
    }
    this.#observe(now);
    if (this.#waiting > 0) this.#dispatch(now);
  }

  /** A request wider than the level runs alone. */
  #fits(seats: number): boolean {
    return this.#seatsInUse + seats <= this.#seats || (this.#seatsInUse === 0 && seats > this.#seats);
  }

  #dispatch(now: number): void {
    while (this.#waiting > 0) {
      const queue = this.#next();
      if (queue === undefined || !this.#fits(queue.waiting[0]!.occupant.seats)) return;
      this.#tick(now);
      const waiter = queue.waiting.shift()!;
      const { occupant, settle } = waiter;
      queue.nextDispatch += estimated(occupant.about.work);
      // It starts before it leaves the queue, so that the queue stays active.
      this.#start(occupant, now);
      this.#left(waiter, queue, now);
      settle(occupant);
    }
  }

  /** Returns the queue whose first request would finish earliest in virtual time. */
  #next(): Queue | undefined {
    const { length } = this.#queues;
    let best: Queue | undefined;
    let earliest = Number.POSITIVE_INFINITY;
    for (let i = 1; i <= length; i++) {
      const queue = this.#queues[(this.#robin + i) % length]!;
      const first = queue.waiting[0];
      if (first === undefined) continue;
      const finish = queue.nextDispatch + estimated(first.occupant.about.work);
      if (finish >= earliest) continue;
      earliest = finish;
      best = queue;
    }
    if (best !== undefined) this.#robin = best.index;
    return best;
  }

  /** Returns the queue of the hand with the least work. */
  #shortest(hand: readonly number[]): Queue {
    let best = this.#queues[hand[0]!]!;
    for (const index of hand) {
      const queue = this.#queues[index]!;
      if (loadOf(queue) < loadOf(best)) best = queue;
    }
    return best;
  }

  /** Advances virtual time to now. */
  #tick(now: number): void {
    const elapsed = now - this.#virtualAt;
    this.#virtualAt = now;
    if (this.#active === 0 || elapsed <= 0) return;
    const demanded = this.#seatsInUse + this.#seatsWaiting;
    this.#virtual += (elapsed * Math.min(demanded, this.#seats)) / this.#active;
  }

  /** Called before the queue gets a request. A queue that was empty gets no credit for its idle time. */
  #activate(queue: Queue): void {
    if (!isIdle(queue)) return;
    this.#active++;
    queue.nextDispatch = this.#virtual;
  }

  /** Called after the queue lost a request. */
  #deactivate(queue: Queue): void {
    if (isIdle(queue)) this.#active--;
  }

  #observe(now: number): void {
    const demand = this.#seatsInUse + this.#seatsWaiting;
    this.#options.use.demand.add(demand - this.demand.value, now);
    this.demand.set(demand, now);
  }
}

/** Both phases of a request reserve the larger number of seats. */
const seatsOf = (work: Work): number => Math.max(work.initialSeats, work.finalSeats);

/** Seat-milliseconds. */
const estimated = (work: Work): number => seatsOf(work) * (ESTIMATED_MILLISECONDS + work.additionalMilliseconds);

const isIdle = (queue: Queue): boolean => queue.executing === 0 && queue.waiting.length === 0;

const loadOf = (queue: Queue): number => queue.waitingWork + queue.seatsInUse * ESTIMATED_MILLISECONDS;
