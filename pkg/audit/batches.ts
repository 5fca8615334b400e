import type { World } from '../base/index.js';
import type { AuditMetrics } from './metrics.js';

export interface BatchOptions {
  /** Maximum number of events that wait behind the batch that is being collected, or that waits for the throttle. */
  readonly bufferSize: number;
  readonly batchSize: number;
  /** Milliseconds after which a batch that is not full is sent. */
  readonly wait: number;
  /** Batches per second, and the burst; undefined: not limited. */
  readonly throttle: { readonly rate: number; readonly burst: number } | undefined;
  /** Maximum number of characters of events that wait. */
  readonly bufferCharacters: number;
}

/** What is sent, and how. */
export interface Batched<Item> {
  /** Never rejects. */
  readonly send: (items: readonly Item[]) => Promise<unknown>;
  readonly charactersOf: (item: Item) => number;
  /** Batches that are sent concurrently. */
  readonly sendingMax: number;
}

const BUFFERED = 'buffered';

/**
 * Mode `batch`: collects events into a bounded buffer and sends them in batches. Events beyond the bound are dropped and counted. As in
 * kube-apiserver one batch is outside the buffer: the one that is being collected, or that waits for the throttle.
 */
export class Batches<Item> {
  readonly #batched: Batched<Item>;
  readonly #options: BatchOptions;
  readonly #world: World;
  readonly #metrics: AuditMetrics;
  #waiting: Item[] = [];
  #characters = 0;
  #timer: (() => void) | undefined;
  readonly #sending = new Set<Promise<unknown>>();
  #tokens: number;
  #refilled: number;
  #closing = false;

  constructor(
    batched: Batched<Item>,
    options: BatchOptions,
    parts: { readonly world: World; readonly metrics: AuditMetrics },
  ) {
    this.#batched = batched;
    this.#options = options;
    this.#world = parts.world;
    this.#metrics = parts.metrics;
    this.#tokens = options.throttle?.burst ?? 0;
    this.#refilled = parts.world.clock.monotonic();
  }

  add(item: Item): void {
    const { bufferSize, bufferCharacters, batchSize, wait } = this.#options;
    const characters = this.#batched.charactersOf(item);
    if (
      this.#waiting.length >= bufferSize + batchSize ||
      this.#characters + characters > bufferCharacters ||
      this.#closing
    ) {
      this.#metrics.failed(BUFFERED, 1);
      return;
    }
    this.#waiting.push(item);
    this.#characters += characters;
    if (this.#waiting.length >= batchSize) this.#flush();
    else this.#timer ??= this.#world.timers.after(wait, () => this.#due());
  }

  /** Sends what waits, without the throttle. Resolves when everything is sent. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#timer?.();
    while (this.#waiting.length > 0 || this.#sending.size > 0) {
      while (this.#waiting.length > 0 && this.#hasRoom) this.#sendOne();
      await Promise.race(this.#sending);
    }
  }

  get #hasRoom(): boolean {
    return this.#sending.size < this.#batched.sendingMax;
  }

  #due(): void {
    this.#timer = undefined;
    if (this.#waiting.length > 0 && this.#trySend()) this.#flush();
  }

  #flush(): void {
    while (this.#waiting.length >= this.#options.batchSize && this.#trySend());
  }

  /** Sends a batch, or sets the time at which the throttle allows it. Without room the end of a batch in flight sends the next one. */
  #trySend(): boolean {
    if (this.#closing || !this.#hasRoom) return false;
    const pause = this.#takeToken();
    if (pause > 0) {
      this.#timer?.();
      this.#timer = this.#world.timers.after(pause, () => this.#due());
      return false;
    }
    this.#sendOne();
    return true;
  }

  /** Takes a token of the throttle, or returns the milliseconds until there is one. */
  #takeToken(): number {
    const { throttle } = this.#options;
    if (throttle === undefined) return 0;
    const now = this.#world.clock.monotonic();
    this.#tokens = Math.min(throttle.burst, this.#tokens + ((now - this.#refilled) / 1000) * throttle.rate);
    this.#refilled = now;
    if (this.#tokens < 1) return Math.max(1, ((1 - this.#tokens) / throttle.rate) * 1000);
    this.#tokens--;
    return 0;
  }

  #sendOne(): void {
    this.#timer?.();
    this.#timer = undefined;
    const batch = this.#waiting.splice(0, this.#options.batchSize);
    for (const item of batch) this.#characters -= this.#batched.charactersOf(item);
    const sending = this.#batched.send(batch).finally(() => {
      this.#sending.delete(sending);
      this.#ended();
    });
    this.#sending.add(sending);
    this.#collect();
  }

  /** A batch that was due while there was no room is sent now. */
  #ended(): void {
    this.#flush();
    if (this.#timer === undefined) this.#due();
  }

  /** Begins to wait for the rest of a batch. */
  #collect(): void {
    const { length } = this.#waiting;
    if (length === 0 || length >= this.#options.batchSize || this.#closing) return;
    this.#timer = this.#world.timers.after(this.#options.wait, () => this.#due());
  }
}
