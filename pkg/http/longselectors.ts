import { errors, type RequestSelectors, requestSelectorSteps } from '../api/index.js';
import type { Scheduler } from '../base/index.js';
import type { Call } from './call.js';
import { limits } from './limits.js';
import type { ResourceInfo } from './requestinfo.js';

/** The verbs that have selectors. */
export const SELECTING: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

/**
 * Parses and compiles the selectors of long URLs: in steps, and one request after the other, because a parsed selector takes ten times the
 * memory of its text. Compiled selectors and their URLs count until their request ends, which for a watch may be hours; beyond the limit
 * requests are refused (429), and their clients retry later.
 */
export class LongSelectors {
  readonly #scheduler: Scheduler;
  readonly #bytesMax: number;
  #bytes = 0;
  /** Settles when the requests before have been read. */
  #before: Promise<unknown> = Promise.resolve();
  /** Those of the last request: many watches have the same. */
  #last: { readonly label: string; readonly field: string; readonly selectors: RequestSelectors } | undefined;

  constructor(scheduler: Scheduler, bytesMax: number) {
    this.#scheduler = scheduler;
    this.#bytesMax = bytesMax;
  }

  /** Bytes of the URLs and compiled selectors of all requests. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Sets the selectors of a request if its URL is long; undefined if it is not. Throws or rejects with 429. */
  read(call: Call): Promise<void> | undefined {
    const { info, exchange } = call;
    const { length } = exchange.url;
    if (length <= limits.longUrlCharacters || info.kind !== 'resource' || !SELECTING.has(info.verb)) return undefined;
    this.#take(call, length);
    const reading = this.#before.then(() => this.#readNext(call, info));
    this.#before = reading.catch(() => undefined);
    return reading;
  }

  /** Called when the request ends. */
  release(call: Call): void {
    this.#bytes -= call.selectorBytesHeld;
    call.selectorBytesHeld = 0;
  }

  async #readNext(call: Call, { query }: ResourceInfo): Promise<void> {
    // Each request has a turn of its own, in which it also is authorized and begins.
    await this.#scheduler.yield();
    if (call.exchange.gone) throw tooMany();
    const label = query.text('labelSelector');
    const field = query.text('fieldSelector');
    if (this.#last?.label !== label || this.#last.field !== field) {
      this.#last = undefined;
      this.#last = { label, field, selectors: await call.slice.run(requestSelectorSteps(label, field)) };
    }
    const { selectors } = this.#last;
    this.#take(call, selectors.bytes);
    call.selectors = selectors;
  }

  #take(call: Call, bytes: number): void {
    if (this.#bytes + bytes > this.#bytesMax) throw tooMany();
    this.#bytes += bytes;
    call.selectorBytesHeld += bytes;
  }
}

const tooMany = (): Error =>
  errors.tooManyRequests('too many long selectors, please try again later', limits.retryAfterSeconds);
