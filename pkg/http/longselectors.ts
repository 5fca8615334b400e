import { errors, type RequestSelectors, requestSelectorSteps } from '../api/index.js';
import type { Scheduler } from '../base/index.js';
import type { Call } from './call.js';
import { limits } from './limits.js';
import type { ResourceInfo } from './requestinfo.js';

/** The verbs that have selectors. */
export const SELECTING: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

/**
 * Parses and compiles the selectors of long URLs: in steps, and one request after the other, because a parsed selector takes ten times the
 * memory of its text. Compiled selectors count until their request ends, which for a watch may be hours, and URLs until a watch has begun.
 * Beyond the limit, and beyond that of their user, requests are refused (429), and their clients retry later.
 */
export class LongSelectors {
  readonly #scheduler: Scheduler;
  readonly #held: Holdings;
  /** Settles when the requests before have been read. */
  #before: Promise<unknown> = Promise.resolve();
  /** Those of the last request: many watches have the same. */
  #last: { readonly label: string; readonly field: string; readonly selectors: RequestSelectors } | undefined;

  /** The limits are in bytes: of all requests, and of those of one user. */
  constructor(scheduler: Scheduler, bytesMax: number, ofUserMax = bytesMax) {
    this.#scheduler = scheduler;
    this.#held = new Holdings(bytesMax, ofUserMax);
  }

  /** Bytes of the URLs and compiled selectors of all requests. */
  get bytes(): number {
    return this.#held.bytes;
  }

  /** Sets the selectors of a request if its URL is long; undefined if it is not. Throws or rejects with 429. */
  read(call: Call): Promise<void> | undefined {
    const { info, exchange } = call;
    const { length } = exchange.url;
    if (length <= limits.longUrlCharacters || info.kind !== 'resource' || !SELECTING.has(info.verb)) return undefined;
    const held = new HeldSelectors(this.#held, call.user.name, length);
    call.heldSelectors = held;
    const reading = this.#before.then(() => this.#readNext(call, info, held));
    this.#before = reading.catch(() => undefined);
    return reading;
  }

  async #readNext(call: Call, { query }: ResourceInfo, held: HeldSelectors): Promise<void> {
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
    held.add(selectors.bytes);
    call.selectors = selectors;
  }
}

/** Bytes of all requests, and of each user. */
class Holdings {
  readonly #bytesMax: number;
  readonly #ofUserMax: number;
  readonly #ofUsers = new Map<string, number>();
  bytes = 0;

  constructor(bytesMax: number, ofUserMax: number) {
    this.#bytesMax = bytesMax;
    this.#ofUserMax = ofUserMax;
  }

  take(user: string, bytes: number): void {
    const ofUser = (this.#ofUsers.get(user) ?? 0) + bytes;
    if (this.bytes + bytes > this.#bytesMax || ofUser > this.#ofUserMax) throw tooMany();
    this.bytes += bytes;
    this.#ofUsers.set(user, ofUser);
  }

  give(user: string, bytes: number): void {
    this.bytes -= bytes;
    // A user who holds nothing has no entry.
    const left = (this.#ofUsers.get(user) ?? 0) - bytes;
    if (left === 0) this.#ofUsers.delete(user);
    else this.#ofUsers.set(user, left);
  }
}

/** What one request holds. */
export class HeldSelectors {
  readonly #all: Holdings;
  readonly #user: string;
  #urlBytes = 0;
  #bytes = 0;

  /** Throws 429 beyond the limits. */
  constructor(all: Holdings, user: string, urlBytes: number) {
    this.#all = all;
    this.#user = user;
    all.take(user, urlBytes);
    this.#urlBytes = urlBytes;
  }

  add(bytes: number): void {
    this.#all.take(this.#user, bytes);
    this.#bytes += bytes;
  }

  releaseUrl(): void {
    this.#all.give(this.#user, this.#urlBytes);
    this.#urlBytes = 0;
  }

  /** Called when the request ends. */
  release(): void {
    this.#all.give(this.#user, this.#urlBytes + this.#bytes);
    this.#urlBytes = 0;
    this.#bytes = 0;
  }
}

const tooMany = (): Error =>
  errors.tooManyRequests('too many long selectors, please try again later', limits.retryAfterSeconds);
