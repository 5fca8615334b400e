import { randomUUID } from 'node:crypto';
import type { UserInfo } from '../auth/index.js';
import type { RequestContext } from '../registry/index.js';
import type { RequestSeries } from '../telemetry/index.js';
import type { Exchange } from './exchange.js';
import type { RequestInfo } from './requestinfo.js';
import { Warnings } from './warnings.js';

/** One request on its way through the pipeline: what each stage found out, for the next. */
export class Call implements RequestContext {
  readonly exchange: Exchange;
  /** Ties answer, log and audit together: the `Audit-Id` header. */
  readonly id: string;
  /** Monotonic, milliseconds. */
  readonly started: number;
  readonly userAgent: string;
  /** Whether the answer may be compressed, should the client take it. */
  readonly compresses: boolean;
  deadline: number;
  /** Set by the first stage. */
  info: RequestInfo = NO_INFO;
  user: UserInfo = NOBODY;
  /** Whom the caller acts as somebody else for, where he does. */
  impersonator: UserInfo | undefined;
  /** Milliseconds spent waiting for a place. */
  waited = 0;
  /** Status and body bytes of the answer. */
  status = 0;
  bytes = 0;
  series: RequestSeries | undefined;
  #warnings: Warnings | undefined;

  constructor(exchange: Exchange, given: CallOptions) {
    this.exchange = exchange;
    this.started = given.started;
    this.deadline = given.started + given.requestTime;
    this.compresses = given.compresses;
    const id = exchange.headers['audit-id'];
    this.id = typeof id === 'string' && AUDIT_ID.test(id) ? id : randomUUID();
    this.userAgent = exchange.headers['user-agent'] ?? '';
  }

  warn(text: string): void {
    this.#warnings ??= new Warnings();
    this.#warnings.add(text);
  }

  get warnings(): string[] | undefined {
    return this.#warnings?.headers;
  }
}

export interface CallOptions {
  /** Monotonic, milliseconds. */
  readonly started: number;
  readonly requestTime: number;
  readonly compresses: boolean;
}

/** A client may name the request itself. */
const AUDIT_ID = /^[\w.-]{1,64}$/;
const NOBODY: UserInfo = { name: '', groups: [] };
const NO_INFO = { kind: 'path', path: '', query: undefined } as unknown as RequestInfo;
