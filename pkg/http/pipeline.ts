import { durationProblem, errors, parseDuration } from '../api/index.js';
import {
  ANONYMOUS,
  type Authenticator,
  type Authorizer,
  type Decision,
  forbidden,
  type Impersonator,
  wantsImpersonation,
} from '../auth/index.js';
import { Scheduler, type World } from '../base/index.js';
import type { AuthorizationResult, Log } from '../telemetry/index.js';
import { attributesOf } from './attributes.js';
import { authenticate } from './authenticate.js';
import { BodyBudget } from './bodybudget.js';
import { Call } from './call.js';
import type { Exchange } from './exchange.js';
import type { Gate, Ticket } from './gate.js';
import { limits } from './limits.js';
import { LongSelectors } from './longselectors.js';
import type { RequestCounter } from './metrics.js';
import type { SupportedEncodings } from './negotiate.js';
import { requestInfo } from './requestinfo.js';
import { sendError } from './responses.js';
import { PlainServerError } from './servererror.js';

/** The parts of the pipeline. */
export interface Stages {
  readonly world: World;
  readonly log: Log;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly impersonator: Impersonator;
  /** Called for every request once its user is known, and for every request again when the response is complete. */
  readonly audit: Audit;
  /** Limits the requests that are served concurrently. */
  readonly gate: Gate;
  readonly bodies: BodyBudget;
  /** Reads the selectors of long URLs; and the same for clients that have not authenticated. */
  readonly selectors: LongSelectors;
  readonly anonymousSelectors: LongSelectors;
  readonly scheduler: Scheduler;
  /**
   * Limits the requests that begin in one turn of the event loop; and the same for clients that have not authenticated.
   */
  readonly starts: Scheduler;
  readonly anonymousStarts: Scheduler;
  readonly counter: RequestCounter;
  readonly supportedEncodings: SupportedEncodings;
  /** Whether large responses are compressed for clients that accept it. */
  readonly compresses: boolean;
  /** Milliseconds. */
  readonly requestTime: number;
}

/** The parts of `Stages` that all requests of one server share and that need no configuration. */
export function sharedStages(
  world: World,
  scheduler: Scheduler,
): Pick<Stages, 'bodies' | 'selectors' | 'anonymousSelectors' | 'scheduler' | 'starts' | 'anonymousStarts'> {
  return {
    bodies: new BodyBudget(),
    selectors: new LongSelectors(scheduler, limits.longSelectorsBytesMax, limits.longSelectorsOfUserBytesMax),
    anonymousSelectors: new LongSelectors(scheduler, limits.longSelectorsAnonymousBytesMax),
    scheduler,
    starts: new Scheduler(world, limits.startsTime, {
      flows: scheduler.flows,
      heavyMilliseconds: limits.startsHeavyTime,
    }),
    anonymousStarts: new Scheduler(world, limits.anonymousStartsTime),
  };
}

/** Records requests. Both functions return a promise only if the request must wait until it is recorded. */
export interface Audit {
  /** Whether nothing is ever recorded. */
  readonly idle?: boolean;
  /** Rejects if the request must not be served because it could not be recorded. */
  requestReceived(call: Call): undefined | Promise<void>;
  responseComplete(call: Call): undefined | Promise<unknown>;
}

/** Serves an authorized request. An error that it throws becomes the response. */
export type Handler = (call: Call) => void | Promise<void>;

/**
 * Runs every request through all stages, top to bottom. Each stage lets it pass or throws the response. A request that is
 * `exempt` is a health check: without priority and fairness it does not count as in flight.
 */
export async function serve(exchange: Exchange, stages: Stages, handler: Handler, exempt = false): Promise<void> {
  const call = new Call(exchange, {
    world: stages.world,
    scheduler: stages.scheduler,
    bodies: stages.bodies,
    started: stages.world.clock.monotonic(),
    requestTime: stages.requestTime,
    compresses: stages.compresses,
  });
  let ticket: Ticket | undefined;
  try {
    call.info = requestInfo(exchange.method, exchange.url);
    stages.counter.began(call);
    applyTimeout(call);
    const authenticating = authenticate(call, stages);
    if (authenticating !== undefined) await authenticating;
    const selectors = call.user.name === ANONYMOUS.name ? stages.anonymousSelectors : stages.selectors;
    const selecting = selectors.read(call);
    if (selecting !== undefined) {
      await selecting;
      call.stageBegan = stages.counter.now();
    }
    const recording = stages.audit.requestReceived(call);
    if (recording !== undefined) await recording;
    if (stages.audit.idle === true) stages.counter.passedIdle('audit');
    else stages.counter.passed(call, 'audit');
    if (wantsImpersonation(call)) {
      await impersonateUser(call, stages);
      stages.counter.passed(call, 'impersonation');
    } else stages.counter.passedIdle('impersonation');
    const entering = stages.gate.enter(call, exempt);
    ticket = entering instanceof Promise ? await entering : entering;
    call.ticket = ticket;
    const authorizing = authorize(call, stages, stages.counter.seated(call));
    if (authorizing !== undefined) await authorizing;
    if (call.timed && stages.world.clock.monotonic() >= call.deadline)
      throw errors.timeout('request did not complete within the allotted timeout');
    await handler(call);
  } catch (error) {
    await answerFailure(call, error, stages);
  } finally {
    const recording = stages.audit.responseComplete(call);
    call.heldSelectors?.release();
    if (call.bodyBytesHeld > 0) stages.bodies.release(call.bodyBytesHeld);
    stages.counter.ended(call);
    leaveAfter(recording, ticket);
  }
}

/**
 * A request keeps its seat until its last event is recorded, so that requests wait for a log that cannot keep up. It keeps nothing else: with
 * the objects of the requests that wait, the collection of young garbage takes twice as long.
 */
function leaveAfter(recording: undefined | Promise<unknown>, ticket: Ticket | undefined): void {
  if (ticket === undefined) return;
  const leave = (): void => ticket.leave();
  if (recording === undefined) leave();
  else void recording.then(leave, leave);
}

/** An error while writing an error response aborts the exchange. */
async function answerFailure(call: Call, error: unknown, stages: Stages): Promise<void> {
  try {
    await sendError(call, error, stages);
  } catch (second) {
    stages.log.error({ err: second, auditId: call.id }, 'could not write the error response');
    call.exchange.abort();
  }
}

async function impersonateUser(call: Call, stages: Stages): Promise<void> {
  call.impersonator = call.user;
  call.deciding = true;
  const { user, constraint } = await stages.impersonator.impersonate(call.user, call, attributesOf(call));
  call.user = user;
  call.deciding = false;
  if (call.audit === undefined) return;
  call.audit.impersonated = user;
  call.audit.impersonationConstraint = constraint;
}

/**
 * The parameter `timeout` is a duration on every path, except where the request runs until the client ends it. It may shorten the time
 * that a request has.
 */
function applyTimeout(call: Call): void {
  const { info } = call;
  const text = info.query.has('timeout') ? info.query.text('timeout') : '';
  if (text === '' || (info.kind === 'resource' && info.verb === 'watch')) return;
  const given = parseDuration(text);
  if (given === undefined)
    throw errors.badRequest(`invalid timeout specified in the request URL - ${durationProblem(text)}`);
  if (given <= 0n) return;
  call.deadline = Math.min(call.deadline, call.started + Number(given) / 1e6);
  call.timed = true;
}

function resultOf(found: Decision): AuthorizationResult {
  if (found.kind === 'allow') return 'allowed';
  if (found.error !== undefined) return 'error';
  return found.kind === 'deny' ? 'denied' : 'no-opinion';
}

function authorize(call: Call, stages: Stages, since: number): void | Promise<void> {
  const attributes = attributesOf(call);
  const decision = stages.authorizer.authorize(call.user, attributes);
  return decision instanceof Promise ? decision.then(judge) : judge(decision);

  function judge(found: Decision): void {
    stages.counter.authorized(call, resultOf(found), since);
    call.decision = found;
    if (found.kind === 'allow') return;
    if (found.error !== undefined) throw new PlainServerError(call.exchange.url, found.error);
    call.deciding = true;
    throw forbidden(call.user, attributes, found.reason);
  }
}
