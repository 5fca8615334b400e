import { errors } from '../api/index.js';
import type { Admission, Estimate, Fairness, FlowRequest, Seat, StoredSize, WorkRequest } from '../fairness/index.js';
import { estimateWork } from '../fairness/index.js';
import type { Call } from './call.js';
import type { InFlightLimiter } from './inflight.js';
import { limits } from './limits.js';
import type { ResourceInfo } from './requestinfo.js';

/** Limits the requests that are served concurrently. */
export interface Gate {
  /**
   * Admits a request: at once, or after a time in a queue. The request releases its seat with `leave`. Returns undefined for
   * a request that needs no seat. Throws or rejects with 429 when the server has too many requests. `exempt`: the request is a
   * health check, which the plain limits do not count.
   */
  enter(call: Call, exempt: boolean): Ticket | undefined | Promise<Ticket>;
}

/** The seat of an admitted request. `leave` may be called more than once. */
export interface Ticket {
  leave(): void;
}

/** Reports a rejected request. */
export type Shed = (call: Call, reason: string) => void;

function tooMany(call: Call, reason: string, shed: Shed): Error {
  shed(call, reason);
  return errors.tooManyRequests('too many requests, please try again later', limits.retryAfterSeconds);
}

const READ_ONLY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Subresources whose connections stay open as long as both sides keep them open. */
const CONNECTIONS: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

export interface InFlightOptions {
  readonly readOnly: InFlightLimiter;
  readonly mutating: InFlightLimiter;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
  readonly shed: Shed;
}

/**
 * `--enable-priority-and-fairness=false`: one limit for read requests and one for mutating requests. Watches do not
 * count.
 */
export function inFlightGate({ readOnly, mutating, now, shed }: InFlightOptions): Gate {
  return {
    enter(call, exempt) {
      const { info } = call;
      if (exempt || (info.kind === 'resource' && info.verb === 'watch')) return undefined;
      const limiter = READ_ONLY.has(call.exchange.method) ? readOnly : mutating;
      const entered = limiter.enter(call.user.name);
      if (entered === true) return ticketOf(limiter);
      if (entered === false) throw tooMany(call, 'queue-full', shed);
      const before = now();
      return entered.then((outcome) => {
        call.waited = now() - before;
        if (outcome === 'timedOut') throw tooMany(call, 'time-out', shed);
        return ticketOf(limiter);
      });
    },
  };
}

function ticketOf(limiter: InFlightLimiter): Ticket {
  let isOver = false;
  return {
    leave() {
      if (!isOver) limiter.leave();
      isOver = true;
    },
  };
}

/**
 * The properties of a resource that the estimate of a request needs. Undefined if it is not served, or not stored here.
 */
export interface ResourceLoad extends StoredSize {
  readonly watchers: number;
}

export interface FairnessGateOptions {
  readonly fairness: Fairness;
  /** The gauges of requests that have a seat. */
  readonly inFlight: { readonly readOnly: Gauge; readonly mutating: Gauge };
  readonly load: (info: ResourceInfo) => ResourceLoad | undefined;
  readonly shed: Shed;
}

interface Gauge {
  value: number;
}

/** Priority and fairness. Watches take a seat until they have sent the initial objects; other connections take none. */
export function fairnessGate({ fairness, inFlight, load, shed }: FairnessGateOptions): Gate {
  return {
    enter(call) {
      const { info } = call;
      if (info.kind === 'resource' && CONNECTIONS.has(info.subresource)) return undefined;
      const admission = fairness.enter(
        flowRequest(call),
        estimateOf(info.kind === 'resource' ? info : undefined, load),
      );
      call.flow = admission.classification;
      const { outcome } = admission;
      if (typeof outcome === 'string') throw tooMany(call, outcome, shed);
      const gauge = READ_ONLY.has(call.exchange.method) ? inFlight.readOnly : inFlight.mutating;
      if ('leave' in outcome) return counted(outcome, gauge);
      return queued(call, admission, outcome, shed).then((seat) => counted(seat, gauge));
    },
  };
}

/** Counts a request from the time it gets its seat until it leaves. */
function counted(seat: Seat, gauge: Gauge): Ticket {
  gauge.value++;
  let isOver = false;
  return {
    leave() {
      if (isOver) return;
      isOver = true;
      gauge.value--;
      seat.leave();
    },
  };
}

async function queued(call: Call, admission: Admission, outcome: Promise<Seat | string>, shed: Shed): Promise<Seat> {
  call.exchange.onClose(admission.cancel);
  const result = await outcome;
  if (typeof result === 'string') throw tooMany(call, result, shed);
  call.waited = result.waited;
  return result;
}

function flowRequest(call: Call): FlowRequest {
  const { info, user } = call;
  if (info.kind === 'path')
    return { user, verb: call.exchange.method.toLowerCase(), resource: undefined, path: info.path };
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  return {
    user,
    verb: info.verb,
    resource: { group: info.group, resource, namespace: info.namespace },
    path: info.path,
  };
}

function estimateOf(info: ResourceInfo | undefined, load: FairnessGateOptions['load']): Estimate {
  return (seatsMax) => {
    if (info === undefined || !ESTIMATED.has(info.verb)) return { work: ONE, watchers: undefined };
    const about = load(info);
    const causesEvents = WRITES.has(info.verb) && info.subresource !== 'token';
    const request: WorkRequest = {
      verb: info.verb,
      isSingle: info.name !== '',
      sendsObjects: info.verb === 'list' || startsWithObjects(info),
      stored: about,
      limit: info.verb === 'list' ? limitOf(info) : 0,
      causesEvents,
      watchers: about?.watchers ?? 0,
    };
    return { work: estimateWork(request, seatsMax), watchers: causesEvents ? request.watchers : undefined };
  };
}

/** A limit that cannot be parsed fails later, after authorization. */
function limitOf({ query }: ResourceInfo): number {
  const limit = query.empty ? 0 : Number(query.text('limit'));
  return Number.isSafeInteger(limit) ? limit : 0;
}

const ONE = { initialSeats: 1, finalSeats: 0, additionalMilliseconds: 0 } as const;
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);
const ESTIMATED: ReadonlySet<string> = new Set([...WRITES, 'list', 'watch']);

/** A watch without a revision, or one that requests initial events, begins with the existing objects. */
function startsWithObjects({ verb, query }: ResourceInfo): boolean {
  if (verb !== 'watch') return false;
  const from = query.text('resourceVersion');
  return from === '' || from === '0' || query.flag('sendInitialEvents');
}
