import type { Scheduler, Timers } from '../base/index.js';
import type { EventStream, Frames } from '../registry/index.js';
import type { AnswerStream, Exchange } from './exchange.js';
import { limits } from './limits.js';
import type { Watches } from './watches.js';

export interface DeliveryOptions {
  readonly exchange: Exchange;
  readonly stream: EventStream;
  readonly answer: AnswerStream;
  readonly timers: Timers;
  readonly scheduler: Scheduler;
  /** Milliseconds until the watch ends by itself. */
  readonly lasts: number;
  /** The negotiated representation has no objects: the watch ends with the first event that is not an error. */
  readonly unwritable: boolean;
  readonly watches: Watches;
  /** Called whenever no event is pending: first after the initial objects. */
  caughtUp(): void;
  /** Called for each write. */
  written(frames: Frames): void;
}

/**
 * Writes the events of one watch to its connection, as fast as the connection accepts them. It ends when the stream
 * ends, the duration is over, the client disconnects, the server drains, or the client reads nothing for too long while
 * events are pending.
 */
export class Delivery {
  /** Resolves when the watch has ended. */
  readonly done: Promise<void>;
  readonly #options: DeliveryOptions;
  #resolve: () => void = () => {};
  #cancelEnd: () => void;
  #cancelStalled: (() => void) | undefined;
  #room = true;
  #over = false;
  /** Whether a callback is queued for a turn of the event loop. */
  #waits = false;
  /** Counts how often the connection has drained. */
  #drains = 0;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    const { exchange, stream, answer, timers, watches, lasts } = options;
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#cancelEnd =
      lasts > limits.lastBookmarkTime
        ? timers.after(lasts - limits.lastBookmarkTime, this.#bookmark)
        : timers.after(lasts, this.#stop);
    watches.add(this.#stop);
    answer.onDrain(() => {
      this.#room = true;
      this.#drains++;
      this.#pump();
    });
    exchange.onClose(() => this.#finish('gone'));
    stream.onReady(() => this.#pump());
    if (lasts > 0) this.#pump();
    else this.#finish('end');
  }

  readonly #stop = (): void => this.#finish('end');

  /** The last bookmark, from which the client can continue without events that it has seen. */
  readonly #bookmark = (): void => {
    const { stream, timers } = this.#options;
    this.#cancelEnd = timers.after(limits.lastBookmarkTime, this.#stop);
    stream.bookmark();
  };

  readonly #inTurn = (): void => {
    this.#waits = false;
    if (this.#room && !this.#over && this.#one()) this.#pump();
  };

  #pump(): void {
    while (this.#room && !this.#over && !this.#waits) {
      if (this.#options.scheduler.spent()) {
        this.#waits = true;
        this.#options.scheduler.later(this.#inTurn);
      } else if (!this.#one()) return;
    }
  }

  /** Writes the pending events, or as many as fit in one write. Returns false if nothing more is pending. */
  #one(): boolean {
    const { stream, answer } = this.#options;
    const frames = stream.take(limits.watchTakeBytes, this.#options.scheduler.spent);
    if (frames === undefined) {
      this.#options.caughtUp();
      if (stream.ended) this.#finish('end');
      return false;
    }
    if (frames.events === 0) return true;
    if (this.#options.unwritable && frames.error !== true) {
      this.#finish('end');
      return false;
    }
    this.#room = answer.write(frames.payload, frames);
    this.#options.written(frames);
    if (!this.#room && this.#cancelStalled === undefined) this.#expectRoom();
    return true;
  }

  /** Only one timer runs at a time, however often the connection fills and drains. */
  #expectRoom(): void {
    const drains = this.#drains;
    this.#cancelStalled = this.#options.timers.after(limits.stalledTime, () => {
      this.#cancelStalled = undefined;
      if (this.#room) return;
      if (this.#drains === drains) this.#finish('stalled');
      else this.#expectRoom();
    });
  }

  #finish(why: 'end' | 'gone' | 'stalled'): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancelEnd();
    this.#cancelStalled?.();
    const { exchange, stream, answer, watches } = this.#options;
    watches.delete(this.#stop);
    stream.close();
    if (why === 'stalled') exchange.abort();
    else if (why === 'end' && !exchange.gone) answer.end();
    this.#resolve();
  }
}
