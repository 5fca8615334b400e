import type { Clock, Timers } from '../base/index.js';
import { DemandIntegrator } from './demand.js';
import { deal } from './shuffle.js';

/** Why a request is rejected, as the label of the metric. */
export type Rejection = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled';

/** How many seats a request takes, and for how long after its response. */
export interface Work {
  readonly initialSeats: number;
  /** Seats that are taken for `additionalMilliseconds` after the response, for the events that a write causes. */
  readonly finalSeats: number;
  readonly additionalMilliseconds: number;
}

/** What a level does with a request beyond its seats. */
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
  readonly clock: Clock;
  readonly timers: Timers;
  /** The time after which a queued request is rejected. */
  readonly queueMilliseconds: number;
}

/** A request in a level, from its arrival until it gives back its seats. */
export interface Occupant {
  readonly schema: string;
  readonly distinguisher: string;
  readonly work: Work;
  /** The number of its queue; -1 without queues. */
  readonly queue: number;
  /** Milliseconds since the epoch. */
  readonly arrived: number;
  /** Undefined while it is queued. */
  started: number | undefined;
}

interface Waiter extends Occupant {
  readonly run: () => void;
  readonly cancelTimer: () => void;
}

interface Queue {
  readonly index: number;
  readonly waiting: Waiter[];
  executing: number;
  seatsInUse: number;
  /** Seat-milliseconds of the queued requests, by estimate. */
  waitingWork: number;
  /** The virtual time at which the next request of this queue may start. */
  nextDispatch: number;
}

/** How long a request is assumed to run until it has ended: milliseconds. */
const ESTIMATED_MILLISECONDS = 3;

/** Seats of an executing request. `leave` gives them back; further calls do nothing. */
export interface Seat {
  /** Milliseconds in the queue. */
  readonly waited: number;
  leave(): void;
}

/** A request in a queue. `cancel` takes it out, for a client that has gone; it does nothing once there is an outcome. */
export interface Queued {
  readonly outcome: Promise<Seat | Rejection>;
  cancel(): void;
}

export type Arrival = Pick<Occupant, 'schema' | 'distinguisher' | 'work'>;

/** Hands that a level remembers. */
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
  readonly #hands = new Map<number, readonly number[]>();
  /** The first queue to look at, so that ties are served in turn. */
  #robin = 0;
  #virtual = 0;
  #virtualAt: number;
  #active = 0;
  #seatsInUse = 0;
  #executing = 0;
  #waiting = 0;
  #seatsWaiting = 0;
  readonly #occupants = new Set<Occupant>();
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

  /** Takes over a changed configuration. Requests that are queued or execute are not affected. */
  configure(config: LevelConfig): void {
    this.#config = config;
    this.#hands.clear();
    this.#growQueues();
  }

  /** Sets the number of seats. More seats start queued requests at once. */
  resize(seats: number): void {
    this.#seats = seats;
    this.#dispatch();
  }

  /** Queues beyond the configured number receive no further requests and stay until they are empty. */
  #growQueues(): void {
    const wanted = this.#config.queuing?.queues ?? 0;
    while (this.#queues.length > wanted && isIdle(this.#queues.at(-1)!)) this.#queues.pop();
    for (let index = this.#queues.length; index < wanted; index++)
      this.#queues.push({ index, waiting: [], executing: 0, seatsInUse: 0, waitingWork: 0, nextDispatch: 0 });
  }

  /** Admits a request: at once, after a time in a queue, or not. `hash` identifies its flow. */
  enter(about: Arrival, hash: number): Seat | Rejection | Queued {
    const { exempt, queuing } = this.#config;
    const arrived = this.#options.clock.now();
    if (exempt || queuing === undefined) {
      if (!exempt && !this.#fits(about.work)) {
        this.totals.rejected++;
        return 'concurrency-limit';
      }
      return this.#start({ ...about, queue: -1, arrived, started: arrived }, undefined, 0);
    }
    const queue = this.#shortest(this.#handOf(hash, queuing));
    if (this.#waiting === 0 && this.#fits(about.work)) {
      this.#tick();
      this.#activate(queue);
      queue.nextDispatch += estimated(about.work);
      return this.#start({ ...about, queue: queue.index, arrived, started: arrived }, queue, 0);
    }
    if (queue.waiting.length >= queuing.queueLengthMax) {
      this.totals.rejected++;
      return 'queue-full';
    }
    return this.#wait({ ...about, queue: queue.index, arrived, started: undefined }, queue);
  }

  #handOf(hash: number, { queues, handSize }: Queuing): readonly number[] {
    let hand = this.#hands.get(hash);
    if (hand === undefined) {
      hand = deal(hash, queues, handSize);
      if (this.#hands.size >= HANDS_MAX) this.#hands.clear();
      this.#hands.set(hash, hand);
    }
    return hand;
  }

  #wait(about: Occupant, queue: Queue): Queued {
    const { clock, timers, queueMilliseconds } = this.#options;
    const since = clock.monotonic();
    let settle!: (outcome: Seat | Rejection) => void;
    const outcome = new Promise<Seat | Rejection>((resolve) => {
      settle = resolve;
    });
    const giveUp = (why: 'time-out' | 'cancelled'): void => {
      const at = queue.waiting.indexOf(waiter);
      if (at < 0) return;
      this.#tick();
      queue.waiting.splice(at, 1);
      this.#left(waiter, queue);
      if (why === 'time-out') this.totals.timedOut++;
      else this.totals.cancelled++;
      settle(why);
      this.#dispatch();
    };
    const waiter: Waiter = {
      ...about,
      run: () => settle(this.#start({ ...about, started: clock.now() }, queue, clock.monotonic() - since)),
      cancelTimer: timers.after(queueMilliseconds, () => giveUp('time-out')),
    };
    this.#tick();
    this.#activate(queue);
    queue.waiting.push(waiter);
    queue.waitingWork += estimated(about.work);
    this.#waiting++;
    this.#seatsWaiting += seatsOf(about.work);
    this.#occupants.add(waiter);
    this.#observe();
    this.#dispatch();
    return { outcome, cancel: () => giveUp('cancelled') };
  }

  /** A queued request has left its queue, in either way. */
  #left(waiter: Waiter, queue: Queue): void {
    waiter.cancelTimer();
    this.#occupants.delete(waiter);
    queue.waitingWork -= estimated(waiter.work);
    this.#waiting--;
    this.#seatsWaiting -= seatsOf(waiter.work);
    this.#deactivate(queue);
    this.#observe();
  }

  #start(occupant: Occupant, queue: Queue | undefined, waited: number): Seat {
    const { clock, timers } = this.#options;
    const { work } = occupant;
    const seats = seatsOf(work);
    this.#seatsInUse += seats;
    this.#executing++;
    this.totals.dispatched++;
    this.#occupants.add(occupant);
    if (queue !== undefined) {
      queue.executing++;
      queue.seatsInUse += seats;
    }
    this.#observe();
    const began = clock.monotonic();
    const release = (): void => {
      this.#tick();
      this.#seatsInUse -= seats;
      this.#executing--;
      this.#occupants.delete(occupant);
      if (queue !== undefined) {
        queue.executing--;
        queue.seatsInUse -= seats;
        const actual = seats * (clock.monotonic() - began);
        queue.nextDispatch += actual - estimated(work);
        this.#deactivate(queue);
      }
      this.#observe();
      this.#dispatch();
    };
    let isOver = false;
    return {
      waited,
      leave: () => {
        if (isOver) return;
        isOver = true;
        if (work.finalSeats > 0 && work.additionalMilliseconds > 0) timers.after(work.additionalMilliseconds, release);
        else release();
      },
    };
  }

  /** A request that is wider than the level runs alone. */
  #fits(work: Work): boolean {
    const seats = seatsOf(work);
    return this.#seatsInUse + seats <= this.#seats || (this.#seatsInUse === 0 && seats > this.#seats);
  }

  #dispatch(): void {
    while (this.#waiting > 0) {
      const queue = this.#next();
      if (queue === undefined || !this.#fits(queue.waiting[0]!.work)) return;
      this.#tick();
      const waiter = queue.waiting.shift()!;
      queue.nextDispatch += estimated(waiter.work);
      // It counts as executing before it leaves the queue, so that the queue stays active.
      queue.executing++;
      this.#left(waiter, queue);
      waiter.run();
      queue.executing--;
    }
  }

  /** The queue whose first request would finish earliest in virtual time. */
  #next(): Queue | undefined {
    const { length } = this.#queues;
    let best: Queue | undefined;
    let earliest = Number.POSITIVE_INFINITY;
    for (let i = 1; i <= length; i++) {
      const queue = this.#queues[(this.#robin + i) % length]!;
      const first = queue.waiting[0];
      if (first === undefined) continue;
      const finish = queue.nextDispatch + estimated(first.work);
      if (finish >= earliest) continue;
      earliest = finish;
      best = queue;
    }
    if (best !== undefined) this.#robin = best.index;
    return best;
  }

  /** The queue of the hand with the least work. */
  #shortest(hand: readonly number[]): Queue {
    let best = this.#queues[hand[0]!]!;
    for (const index of hand) {
      const queue = this.#queues[index]!;
      if (loadOf(queue) < loadOf(best)) best = queue;
    }
    return best;
  }

  /** Advances virtual time to now. */
  #tick(): void {
    const now = this.#options.clock.monotonic();
    const elapsed = now - this.#virtualAt;
    this.#virtualAt = now;
    if (this.#active === 0 || elapsed <= 0) return;
    const demanded = this.#seatsInUse + this.#seatsWaiting;
    this.#virtual += (elapsed * Math.min(demanded, this.#seats)) / this.#active;
  }

  /** Call before the queue gets a request. A queue that was empty does not keep credit for the time in which it asked for nothing. */
  #activate(queue: Queue): void {
    if (!isIdle(queue)) return;
    this.#active++;
    queue.nextDispatch = this.#virtual;
  }

  /** Call after the queue lost a request. */
  #deactivate(queue: Queue): void {
    if (isIdle(queue)) this.#active--;
  }

  #observe(): void {
    this.demand.set(this.#seatsInUse + this.#seatsWaiting, this.#options.clock.monotonic());
  }
}

/** Both phases of a request reserve the larger number of seats. */
const seatsOf = (work: Work): number => Math.max(work.initialSeats, work.finalSeats);

/** Seat-milliseconds. */
const estimated = (work: Work): number => seatsOf(work) * (ESTIMATED_MILLISECONDS + work.additionalMilliseconds);

const isIdle = (queue: Queue): boolean => queue.executing === 0 && queue.waiting.length === 0;

const loadOf = (queue: Queue): number => queue.waitingWork + queue.seatsInUse * ESTIMATED_MILLISECONDS;
