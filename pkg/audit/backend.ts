import type { World } from '../base/index.js';
import type { AuditEvent } from './event.js';
import type { AuditMetrics } from './metrics.js';

/** Sends events. Resolves to false if they could not be recorded; never rejects. */
export type Sender = (events: readonly AuditEvent[]) => Promise<boolean>;

export interface Backend {
  /**
   * A request may be served while its event is being recorded, as long as it is not answered before. False where recording may take long, and
   * in the strict mode.
   */
  readonly overlaps: boolean;
  /**
   * Accepts one event. In the blocking modes it returns a promise that resolves when the event was recorded, or to
   * false if it could not be; otherwise it returns nothing and never blocks.
   */
  process(event: AuditEvent): undefined | Promise<boolean>;
  /** Resolves when all accepted events are recorded or dropped. */
  close(): Promise<void>;
}

export interface TruncateOptions {
  readonly enabled: boolean;
  /** Bytes. */
  readonly eventMax: number;
  readonly batchMax: number;
}

const PLUGIN = 'truncate';

/** Removes request and response from an event that is too large; returns undefined if it still is, and counts it. */
export function truncator(
  { enabled, eventMax }: TruncateOptions,
  metrics: AuditMetrics,
): (event: AuditEvent) => AuditEvent | undefined {
  if (!enabled) return (event) => event;
  const fits = ({ json }: AuditEvent): boolean =>
    json.length * UTF8_BYTES_MAX <= eventMax || Buffer.byteLength(json) <= eventMax;
  return (event) => {
    if (fits(event)) return event;
    const short = event.truncated();
    if (short !== undefined && fits(short)) return short;
    metrics.failed(PLUGIN, 1);
    return undefined;
  };
}

/** Bytes of one character of a string. */
const UTF8_BYTES_MAX = 3;

/** Applies `truncator` to batches, and splits large ones. */
export function truncating(send: Sender, options: TruncateOptions, metrics: AuditMetrics): Sender {
  if (!options.enabled) return send;
  const cut = truncator(options, metrics);
  return async (events) => {
    let ok = true;
    let batch: AuditEvent[] = [];
    let bytes = 0;
    const flush = async (): Promise<void> => {
      if (batch.length > 0) ok = (await send(batch)) && ok;
      batch = [];
      bytes = 0;
    };
    for (const given of events) {
      const event = cut(given);
      if (event === undefined) continue;
      const size = Buffer.byteLength(event.json);
      if (bytes + size > options.batchMax) await flush();
      batch.push(event);
      bytes += size;
    }
    await flush();
    return ok;
  };
}

export interface BatchOptions {
  /** Maximum number of buffered events. */
  readonly bufferSize: number;
  readonly batchSize: number;
  /** Milliseconds after which a batch that is not full is sent. */
  readonly wait: number;
  /** Batches per second, and the burst; undefined: not limited. */
  readonly throttle: { readonly rate: number; readonly burst: number } | undefined;
  /** Maximum number of characters of buffered events. */
  readonly bufferCharacters: number;
}

const BUFFERED = 'buffered';
/** Batches that are sent concurrently. */
const SENDING_MAX = 16;

/**
 * Mode `batch`: accepts events into a bounded buffer and sends them in batches. Events beyond the bound are dropped and
 * counted.
 */
export class BatchBackend implements Backend {
  readonly overlaps = true;
  readonly #send: Sender;
  readonly #options: BatchOptions;
  readonly #world: World;
  readonly #metrics: AuditMetrics;
  #waiting: AuditEvent[] = [];
  #characters = 0;
  #timer: (() => void) | undefined;
  readonly #sending = new Set<Promise<unknown>>();
  #tokens: number;
  #refilled: number;
  #closing = false;

  constructor(send: Sender, options: BatchOptions, parts: { readonly world: World; readonly metrics: AuditMetrics }) {
    this.#send = send;
    this.#options = options;
    this.#world = parts.world;
    this.#metrics = parts.metrics;
    this.#tokens = options.throttle?.burst ?? 0;
    this.#refilled = parts.world.clock.monotonic();
  }

  process(event: AuditEvent): undefined {
    const { bufferSize, bufferCharacters, batchSize, wait } = this.#options;
    if (
      this.#waiting.length >= bufferSize ||
      this.#characters + event.json.length > bufferCharacters ||
      this.#closing
    ) {
      this.#metrics.failed(BUFFERED, 1);
      return undefined;
    }
    this.#waiting.push(event);
    this.#characters += event.json.length;
    if (this.#waiting.length >= batchSize) this.#flush();
    else this.#timer ??= this.#world.timers.after(wait, () => this.#due());
    return undefined;
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#timer?.();
    while (this.#waiting.length > 0) this.#sendOne();
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  #due(): void {
    this.#timer = undefined;
    if (this.#waiting.length > 0 && !this.#trySend()) this.#later();
  }

  #flush(): void {
    while (this.#waiting.length >= this.#options.batchSize) {
      if (this.#trySend()) continue;
      this.#later();
      return;
    }
  }

  /** Retries when the throttle or the batches in flight allow it. */
  #later(): void {
    if (this.#closing) return;
    const rate = this.#options.throttle?.rate ?? RETRIES_A_SECOND;
    this.#timer ??= this.#world.timers.after(1000 / rate, () => this.#due());
  }

  #trySend(): boolean {
    if (this.#sending.size >= SENDING_MAX || !this.#takeToken()) return false;
    this.#sendOne();
    return true;
  }

  #takeToken(): boolean {
    const { throttle } = this.#options;
    if (throttle === undefined) return true;
    const now = this.#world.clock.monotonic();
    this.#tokens = Math.min(throttle.burst, this.#tokens + ((now - this.#refilled) / 1000) * throttle.rate);
    this.#refilled = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  #sendOne(): void {
    const batch = this.#waiting.splice(0, this.#options.batchSize);
    for (const { json } of batch) this.#characters -= json.length;
    const sending = this.#send(batch).finally(() => {
      this.#sending.delete(sending);
      this.#flush();
    });
    this.#sending.add(sending);
    if (this.#waiting.length >= this.#options.batchSize) this.#later();
    else if (this.#waiting.length > 0 && !this.#closing)
      this.#timer ??= this.#world.timers.after(this.#options.wait, () => this.#due());
  }
}

const RETRIES_A_SECOND = 50;

/** Modes `blocking` and `blocking-strict`: the request waits until its event was sent. Only the strict mode reports failures. */
export class BlockingBackend implements Backend {
  readonly overlaps = false;
  readonly #send: Sender;
  readonly #strict: boolean;
  readonly #sending = new Set<Promise<boolean>>();

  constructor(send: Sender, strict: boolean) {
    this.#send = send;
    this.#strict = strict;
  }

  process(event: AuditEvent): Promise<boolean> {
    const sending = this.#send([event]).then((ok) => ok || !this.#strict);
    this.#sending.add(sending);
    void sending.finally(() => this.#sending.delete(sending));
    return sending;
  }

  async close(): Promise<void> {
    await Promise.all(this.#sending);
  }
}
