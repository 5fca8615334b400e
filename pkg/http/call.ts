import type { RequestSelectors, Status, UserInfo, WebhookCalls } from '../api/index.js';
import type { AuditRecord } from '../audit/index.js';
import type { CredentialConnection, Credentials, Decision, Headers } from '../auth/index.js';
import { type Scheduler, Slice, type Timers, type World } from '../base/index.js';
import type { Classification } from '../fairness/index.js';
import type { RequestContext } from '../registry/index.js';
import type { RequestSeries } from '../telemetry/index.js';
import { Annotations } from './annotations.js';
import type { BodyBudget } from './bodybudget.js';
import type { Exchange } from './exchange.js';
import type { Ticket } from './gate.js';
import { textOfHeader } from './headertext.js';
import { limits } from './limits.js';
import type { HeldSelectors } from './longselectors.js';
import type { RequestInfo } from './requestinfo.js';
import { Warnings } from './warnings.js';

/** The state of one request in the pipeline: each stage reads what earlier stages set. */
export class Call implements RequestContext, Credentials {
  readonly exchange: Exchange;
  /** The `Audit-Id` of the response, the log and the audit events. */
  readonly id: string;
  readonly timers: Timers;
  readonly scheduler: Scheduler;
  readonly bodies: BodyBudget;
  /** Bytes of the body that count in `bodies`. */
  bodyBytesHeld = 0;
  /** The selectors of a long URL, until the registry has used them. */
  selectors: RequestSelectors | undefined;
  /** What counts in `LongSelectors`, if the URL is long. */
  heldSelectors: HeldSelectors | undefined;
  /** Milliseconds on the monotonic clock. */
  readonly started: number;
  /** When the current stage of the pipeline began, as far as stages are timed. */
  stageBegan = 0;
  userAgent: string;
  /** The response may be compressed if the client accepts that. */
  readonly compresses: boolean;
  deadline: number;
  /** The client limits the time of the request, so that it may be over before the handler begins. */
  timed = false;
  /** Set by the first stage. */
  info: RequestInfo = NO_INFO;
  user: UserInfo = NOBODY;
  /** The original user when the request impersonates another. */
  impersonator: UserInfo | undefined;
  /** Milliseconds spent in the queue of its priority level, and in other stages. */
  waited = 0;
  authenticationTime = 0;
  authorizationTime = 0;
  impersonationTime = 0;
  /** Milliseconds of calls to webhooks. */
  webhookTimes: Partial<Record<WebhookCalls, number>> | undefined;
  /** Milliseconds in which the response was encoded and written, if the request is audited. */
  encodingTime = 0;
  writingTime = 0;
  /** How priority and fairness classified the request; its names are in the headers of the response. */
  flow: Classification | undefined;
  ticket: Ticket | undefined;
  /** Status and body bytes of the response. */
  status = 0;
  bytes = 0;
  series: RequestSeries | undefined;
  /** The audit record of the request; undefined if the policy records nothing. */
  audit: AuditRecord | undefined;
  /** The decision of the authorizers, for the audit. */
  decision: Decision | undefined;
  /** Impersonation or authorization has not allowed the request. Their errors have a header of their own. */
  deciding = false;
  /** The error of a request without an audit record. */
  refusal: Status | undefined;
  /** The error that is a fault of the server. */
  panic: string | undefined;
  bodyRecord: RequestContext['bodyRecord'];
  /** Resolves when the audit has recorded the request, which is not answered before. Undefined: there is nothing to wait for. */
  recorded: Promise<unknown> | undefined;
  /** Records the response before it is sent. Undefined: it is recorded afterwards, or is recorded. */
  recorder: ResponseRecorder | undefined;
  /** The audit has the last event of the request. */
  complete = false;
  /** Called once when the response of a long-running request begins. */
  responseStarted: (() => void) | undefined;
  readonly #world: World;
  #slice: Slice | undefined;
  #gone: AbortController | undefined;
  #warnings: Warnings | undefined;
  #annotations: Annotations | undefined;

  constructor(exchange: Exchange, given: CallOptions) {
    this.exchange = exchange;
    this.started = given.started;
    this.deadline = given.started + given.requestTime;
    this.compresses = given.compresses;
    const id = exchange.headers['audit-id'];
    this.id = typeof id === 'string' && AUDIT_ID.test(id) ? id : given.world.random.uuid();
    this.#world = given.world;
    this.timers = given.world.timers;
    this.scheduler = given.scheduler;
    this.bodies = given.bodies;
    this.userAgent = textOfHeader(exchange.headers['user-agent'] ?? '');
  }

  /** One slice for all stages: reading the body, the write, and encoding the response. */
  get slice(): Slice {
    this.#slice ??= new Slice(this.#world, this.scheduler, limits.sliceTime);
    return this.#slice;
  }

  /** Made on first use: few requests call other servers. */
  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      const gone = new AbortController();
      this.#gone = gone;
      if (this.exchange.gone) gone.abort();
      else this.exchange.onClose(() => gone.abort());
    }
    return this.#gone.signal;
  }

  get verb(): string {
    return this.info.kind === 'resource' ? this.info.verb : '';
  }

  warn(text: string): void {
    this.#warnings ??= new Warnings();
    this.#warnings.add(text);
  }

  annotate(key: string, value: string | (() => string), level?: 'Request'): void {
    if (this.audit === undefined || (level === 'Request' && !this.audit.wantsRequest)) return;
    this.#annotations ??= new Annotations();
    this.#annotations.add(key, typeof value === 'string' ? value : value());
  }

  /** Mutating webhooks are called one after another, validating ones at the same time. */
  took(calls: WebhookCalls, milliseconds: number): void {
    this.webhookTimes ??= {};
    const before = this.webhookTimes[calls] ?? 0;
    this.webhookTimes[calls] = calls === 'mutating-webhook' ? before + milliseconds : Math.max(before, milliseconds);
  }

  /** Runs a step of the response of an audited request. */
  time<T>(step: 'encodingTime' | 'writingTime', work: () => T): T {
    const { clock } = this.#world;
    const began = clock.monotonic();
    const took = (): void => {
      this[step] += clock.monotonic() - began;
    };
    const result = work();
    if (result instanceof Promise) return result.finally(took) as T;
    took();
    return result;
  }

  /** Adds an annotation before it is known whether the request is audited, because that depends on its user. */
  annotateCredential(key: string, value: string): void {
    this.#annotations ??= new Annotations();
    this.#annotations.add(key, value);
  }

  get annotations(): ReadonlyMap<string, string> | undefined {
    return this.#annotations?.values;
  }

  /** The registry has selected: what was parsed of the URL is dropped, because a watch lasts long. */
  selected(): void {
    this.selectors = undefined;
    this.info.query.forget();
  }

  /** A long-running response has begun: it needs nothing more of the text of its request. */
  begun(): void {
    this.userAgent = '';
    this.info.query.drop();
    this.exchange.forget();
    // An audit record has the URL until the end.
    if (this.audit === undefined) this.heldSelectors?.releaseUrl();
  }

  /** A watch releases its seat after it has sent the initial objects: from then on it costs only its events. */
  initialized(): void {
    this.ticket?.leave();
  }

  get headers(): Headers {
    return this.exchange.headers as Headers;
  }

  lines(name: string): readonly string[] {
    return this.exchange.lines(name).map(textOfHeader);
  }

  get connection(): CredentialConnection {
    return this.exchange.connection;
  }

  get path(): string {
    return this.info.path;
  }

  get warnings(): string[] | undefined {
    return this.#warnings?.headers;
  }
}

/** Records a response whose status and body are known. Returns a promise if it must not be sent before that settles. */
export interface ResponseRecorder {
  beforeSend(call: Call): undefined | Promise<unknown>;
}

export interface CallOptions {
  readonly world: World;
  readonly scheduler: Scheduler;
  readonly bodies: BodyBudget;
  /** Monotonic, milliseconds. */
  readonly started: number;
  readonly requestTime: number;
  readonly compresses: boolean;
}

/** The client may provide the id. */
const AUDIT_ID = /^[\w.-]{1,64}$/;
const NOBODY: UserInfo = { name: '', groups: [] };
const NO_INFO = { kind: 'path', path: '', query: undefined } as unknown as RequestInfo;

/** Calls `send` once the request is recorded. */
export function whenRecorded(call: Call, send: () => void | Promise<void>): void | Promise<void> {
  const { recorded } = call;
  if (recorded === undefined) return send();
  call.recorded = undefined;
  return recorded.then(send);
}

/** Runs a step of a response. Its time is for the audit only. */
export function timed<T>(call: Call, step: 'encodingTime' | 'writingTime', work: () => T): T {
  return call.audit === undefined ? work() : call.time(step, work);
}
