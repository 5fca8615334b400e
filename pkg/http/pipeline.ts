import { errors } from '../api/index.js';
import { type Attributes, type Authorizer, forbidden, impersonate, wantsImpersonation } from '../auth/index.js';
import type { World } from '../base/index.js';
import type { Log } from '../telemetry/index.js';
import type { Authenticator } from './authenticate.js';
import { Call } from './call.js';
import type { Exchange } from './exchange.js';
import type { Places } from './inflight.js';
import { limits } from './limits.js';
import type { RequestCounter } from './metrics.js';
import type { Spoken } from './negotiate.js';
import { requestInfo } from './requestinfo.js';
import { sendError } from './responses.js';

/** What the pipeline is made of. */
export interface Stages {
  readonly world: World;
  readonly log: Log;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** Told of every request once it is known who asks, and again when it is answered. */
  readonly audit: Audit;
  readonly readOnly: Places;
  readonly mutating: Places;
  readonly counter: RequestCounter;
  readonly spoken: Spoken;
  /** Whether large answers are compressed for clients that take it. */
  readonly compresses: boolean;
  /** Milliseconds. */
  readonly requestTime: number;
}

export interface Audit {
  requestReceived(call: Call): void;
  responseComplete(call: Call): void;
}

/** Answers a request that may be answered. What it throws becomes the answer. */
export type Handler = (call: Call) => void | Promise<void>;

/**
 * The way of every request, top to bottom. Each stage either lets it through or throws the answer; there is no other way in.
 */
export async function serve(exchange: Exchange, stages: Stages, handler: Handler): Promise<void> {
  const call = new Call(exchange, {
    started: stages.world.clock.monotonic(),
    requestTime: stages.requestTime,
    compresses: stages.compresses,
  });
  let places: Places | undefined;
  try {
    call.info = requestInfo(exchange.method, exchange.url);
    stages.counter.began(call);
    call.user = stages.authenticator.authenticate(call);
    if (wantsImpersonation(exchange.headers)) await actAsSomebodyElse(call, stages);
    stages.audit.requestReceived(call);
    places = await takePlace(call, stages);
    await authorize(call, stages);
    await handler(call);
  } catch (error) {
    await answerFailure(call, error, stages);
  } finally {
    places?.leave();
    stages.counter.ended(call);
    stages.audit.responseComplete(call);
  }
}

/** Whatever goes wrong while something went wrong ends this exchange and nothing else. */
async function answerFailure(call: Call, error: unknown, stages: Stages): Promise<void> {
  try {
    await sendError(call, error, stages);
  } catch (second) {
    stages.log.error({ err: second, auditId: call.id }, 'a failure could not be told');
    call.exchange.abort();
  }
}

async function actAsSomebodyElse(call: Call, stages: Stages): Promise<void> {
  call.impersonator = call.user;
  call.user = await impersonate(call.user, call.exchange, stages.authorizer);
}

/** Long-running requests (watches) hold no place, and neither does what tells whether the server lives. */
async function takePlace(call: Call, stages: Stages): Promise<Places | undefined> {
  const { info } = call;
  if (info.kind === 'path' ? EXEMPT.test(info.path) : info.verb === 'watch') return undefined;
  const places = READ_ONLY.has(call.exchange.method) ? stages.readOnly : stages.mutating;
  const entered = places.enter(call.user.name);
  if (entered === true) return places;
  if (entered === false) throw shed(call, stages, 'queue-full');
  const before = stages.world.clock.monotonic();
  const outcome = await entered;
  call.waited = stages.world.clock.monotonic() - before;
  if (outcome === 'timedOut') throw shed(call, stages, 'time-out');
  return places;
}

const EXEMPT = /^\/(?:livez|readyz|healthz|version)(?:\/|$)/;
const READ_ONLY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

function shed(call: Call, stages: Stages, reason: 'queue-full' | 'time-out'): Error {
  stages.counter.shed(call, reason);
  return errors.tooManyRequests('too many requests, please try again later', limits.retryAfterSeconds);
}

function authorize(call: Call, stages: Stages): void | Promise<void> {
  const attributes = attributesOf(call);
  const decision = stages.authorizer.authorize(call.user, attributes);
  if (decision instanceof Promise) return decision.then((d) => judge(d.kind === 'allow', d.reason));
  return judge(decision.kind === 'allow', decision.reason);

  function judge(allowed: boolean, reason: string): void {
    stages.counter.authorized(allowed);
    if (!allowed) throw forbidden(call.user, attributes, reason);
  }
}

export function attributesOf(call: Call): Attributes {
  const { info } = call;
  if (info.kind === 'path') return { kind: 'path', verb: call.exchange.method.toLowerCase(), path: info.path };
  return { ...info, verb: info.verb === '' ? call.exchange.method.toLowerCase() : info.verb };
}
