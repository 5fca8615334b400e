import type { World } from '../base/index.js';
import { Batches, type BatchOptions } from './batches.js';
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

/** Batches that are sent concurrently. */
const SENDING_MAX = 16;

/** Mode `batch` of a sender. */
export class BatchBackend implements Backend {
  readonly overlaps = true;
  readonly #batches: Batches<AuditEvent>;

  constructor(send: Sender, options: BatchOptions, parts: { readonly world: World; readonly metrics: AuditMetrics }) {
    const charactersOf = (event: AuditEvent): number => event.json.length;
    this.#batches = new Batches({ send, charactersOf, sendingMax: SENDING_MAX }, options, parts);
  }

  process(event: AuditEvent): undefined {
    this.#batches.add(event);
  }

  close(): Promise<void> {
    return this.#batches.close();
  }
}

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
