import { isIP } from 'node:net';
import {
  formatIp,
  isIpv4Mapped,
  isObject,
  type JsonObject,
  type JsonValue,
  parseIp,
  type ResourceAttributes,
  type Status,
  type UserInfo,
  unmappedIp,
} from '../api/index.js';
import { type Auditor, AuditRecord, type ObjectFacts } from '../audit/index.js';
import type { World } from '../base/index.js';
import { jsonText } from '../codec/index.js';
import type { BodyRecord, DecodedBody } from '../registry/index.js';
import { attributesOf } from './attributes.js';
import type { Call, ResponseRecorder } from './call.js';
import type { Exchange } from './exchange.js';
import { annotateLatencies, isSlow } from './latencies.js';
import type { Audit } from './pipeline.js';
import { PlainServerError } from './servererror.js';

/** Audits the requests of a server. `auditor` is absent without a policy or without a backend. */
export function requestAudit(auditor: Auditor | undefined, world: World): Audit {
  return auditor === undefined ? NO_AUDIT : new RequestAudit(auditor, world);
}

const NO_AUDIT: Audit = { idle: true, requestReceived: () => undefined, responseComplete: () => undefined };

class RequestAudit implements Audit, ResponseRecorder {
  readonly #auditor: Auditor;
  readonly #world: World;
  /** One value for each address, so that what was made of it can be used again: clients open many connections. */
  readonly #lists = new Map<string, readonly string[]>();

  constructor(auditor: Auditor, world: World) {
    this.#auditor = auditor;
    this.#world = world;
  }

  requestReceived(call: Call): undefined | Promise<void> {
    this.#begin(call, call.user);
    const { audit } = call;
    if (audit === undefined) return undefined;
    if (!BODILESS.has(call.verb)) call.bodyRecord = new RecordedBody(audit);
    if (isLongRunning(call))
      call.responseStarted = () => {
        call.responseStarted = undefined;
        audit.code = call.status;
        void this.#auditor.stage(audit, 'ResponseStarted', this.#elapsed(call), annotationsOf(call));
      };
    const recording = this.#auditor.stage(audit, 'RequestReceived', 0, '');
    if (this.#auditor.overlaps && waitsWithResponse(call)) {
      call.recorded = recording;
      call.recorder = this;
      return undefined;
    }
    return recording?.then((ok) => {
      if (ok) return;
      this.#auditor.metrics.rejected.value++;
      // Nothing was done, so there is nothing more to record.
      call.audit = undefined;
      call.responseStarted = undefined;
      throw new PlainServerError(call.exchange.url, 'failed to store audit event');
    });
  }

  /**
   * Makes the last event of a request before its response is sent, as kube-apiserver does with short responses, so that the response waits
   * once for both events. The events of a slow request show how long it waited for the first one, and how long the response took.
   */
  beforeSend(call: Call): undefined | Promise<unknown> {
    call.recorder = undefined;
    const first = call.recorded;
    call.recorded = undefined;
    if (isSlow(this.#elapsed(call))) return first;
    const last = this.responseComplete(call);
    call.complete = true;
    // Events are recorded in their order.
    return last ?? first;
  }

  responseComplete(call: Call): undefined | Promise<unknown> {
    if (call.complete) return undefined;
    if (call.audit === undefined && call.user.name === '' && call.refusal !== undefined)
      return this.#unauthenticated(call, call.refusal);
    const { audit } = call;
    if (audit === undefined) return undefined;
    call.responseStarted?.();
    annotateLatencies(call, this.#elapsed(call));
    if (call.status === 0) {
      audit.code = 200;
      audit.status = { ...CLOSED_EARLY };
    } else audit.code = call.status;
    if (call.panic === undefined)
      return this.#auditor.stage(audit, 'ResponseComplete', this.#elapsed(call), annotationsOf(call));
    audit.status = {
      ...CLOSED_EARLY,
      status: 'Failure',
      message: `APIServer panic'd: ${call.panic}`,
      reason: 'InternalError',
      code: 500,
    };
    audit.responseObject = undefined;
    return this.#auditor.stage(audit, 'Panic', this.#elapsed(call), annotationsOf(call));
  }

  /** Requests that are refused before their user is known are audited when the response is sent, without a user. */
  #unauthenticated(call: Call, status: Status): undefined | Promise<unknown> {
    this.#begin(call, call.user);
    const { audit } = call;
    if (audit === undefined) return undefined;
    audit.code = call.status;
    audit.status = status;
    if (audit.wantsResponse) audit.responseObject = JSON.stringify(status);
    return this.#auditor.stage(audit, 'ResponseStarted', this.#elapsed(call), '');
  }

  #begin(call: Call, user: UserInfo): void {
    if (call.info.query === undefined) return;
    const attributes = attributesOf(call);
    const decision = this.#auditor.decide(user, attributes);
    if (decision === undefined) return;
    call.audit = new AuditRecord(decision, {
      id: call.id,
      uri: call.exchange.url,
      verb: attributes.verb,
      user,
      sourceIps: this.#sourceIps(call.exchange),
      userAgent: call.userAgent,
      object: attributes.kind === 'resource' ? withoutSelectors(attributes) : undefined,
      received: this.#world.clock.now() - this.#elapsed(call),
    });
  }

  /** The client and the proxies in the headers, and last the address of the connection. Of several lines of a header the first one counts. */
  #sourceIps(exchange: Exchange): readonly string[] {
    const { headers, connection } = exchange;
    const forwarded = headers['x-forwarded-for'];
    const real = headers['x-real-ip'];
    let own = addresses.get(connection);
    if (own === undefined) {
      const ip = plainIp(connection.remoteAddress);
      own = ip === undefined ? [] : this.#listOf(ip);
      addresses.set(connection, own);
    }
    if (forwarded === undefined && real === undefined) return own;
    const found: string[] = [];
    for (const part of (exchange.lines('x-forwarded-for')[0] ?? '').split(',').slice(0, HOPS_MAX)) {
      const ip = givenIp(part.trim());
      if (ip !== undefined) found.push(ip);
    }
    const ip = givenIp(exchange.lines('x-real-ip')[0] ?? '');
    if (ip !== undefined && !found.includes(ip)) found.push(ip);
    if (own.length > 0 && found.at(-1) !== own[0]) found.push(own[0]!);
    return found;
  }

  #listOf(ip: string): readonly string[] {
    let list = this.#lists.get(ip);
    if (list === undefined) {
      if (this.#lists.size >= LISTS_MAX) this.#lists.clear();
      list = [ip];
      this.#lists.set(ip, list);
    }
    return list;
  }

  #elapsed(call: Call): number {
    return this.#world.clock.monotonic() - call.started;
  }
}

/**
 * Records the body of a request. This is a class because, with a closure on each request that has a body, V8 kept parts of later requests,
 * even of those without a body, until a full collection: an audited get cost a quarter more CPU time.
 */
class RecordedBody implements BodyRecord {
  readonly #audit: AuditRecord;

  constructor(audit: AuditRecord) {
    this.#audit = audit;
  }

  decoded({ meta, object }: DecodedBody): void {
    const audit = this.#audit;
    audit.bodyMeta = meta;
    if (audit.wantsRequest) audit.requestObject = jsonText(withoutManagedFields(audit, object()));
  }
}

const CLOSED_EARLY = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  message: 'Connection closed early',
  code: 200,
} as const;

/** Verbs whose requests have no object. */
const BODILESS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const LONG_RUNNING: ReadonlySet<string> = new Set(['watch', 'proxy']);
const STREAMS: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

/** Requests that last until the client or the server ends them. They have an event at the beginning of the response. */
function isLongRunning({ info }: Call): boolean {
  if (info.kind === 'path') return info.path.startsWith('/debug/pprof/');
  return info.kind === 'resource' && (LONG_RUNNING.has(info.verb) || STREAMS.has(info.subresource));
}

/**
 * Whether the response of a request waits for the record, and not the request. The requests of a turn then stay together: to wait before
 * anything is done splits them into small groups, whose writes to the log cost a fifth more CPU time.
 */
function waitsWithResponse({ info }: Call): boolean {
  return info.kind === 'resource' && ANSWERED_AT_ONCE.has(info.verb) && !STREAMS.has(info.subresource);
}

/** Verbs whose responses are sent as a whole. */
const ANSWERED_AT_ONCE: ReadonlySet<string> = new Set(['get', 'create', 'update', 'patch', 'delete']);

/** The annotations of decisions, by reason. Nearly every request has no others, and one of a few reasons. */
const allowed = new Map<string, string>();
/** Reasons that are kept, and their characters. */
const ALLOWED_MAX = 256;
const ALLOWED_CHARACTERS_MAX = 1024;

/** Annotations as a JSON object with sorted keys, or ''. */
function annotationsOf({ annotations, decision }: Call): string {
  if (annotations === undefined) {
    if (decision === undefined) return '';
    if (decision.kind === 'allow') return allowedBy(decision.reason);
  }
  const all = new Map(annotations);
  // A failed authorizer has not decided.
  if (decision?.kind !== 'allow' && decision?.error !== undefined)
    all.set('authorization.k8s.io/reason', 'internal error');
  else if (decision !== undefined) {
    all.set('authorization.k8s.io/decision', decision.kind === 'allow' ? 'allow' : 'forbid');
    all.set('authorization.k8s.io/reason', decision.reason);
  }
  return JSON.stringify(Object.fromEntries([...all].sort(([a], [b]) => (a < b ? -1 : 1))));
}

function allowedBy(reason: string): string {
  const known = allowed.get(reason);
  if (known !== undefined) return known;
  const json = `{"authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":${JSON.stringify(reason)}}`;
  if (reason.length > ALLOWED_CHARACTERS_MAX) return json;
  if (allowed.size >= ALLOWED_MAX) allowed.clear();
  allowed.set(reason, json);
  return json;
}

/** The record of a watch lives as long as the watch: it must not keep the values of its selectors. */
function withoutSelectors(attributes: ResourceAttributes): ObjectFacts {
  if (attributes.fieldSelector === undefined && attributes.labelSelector === undefined) return attributes;
  const { group, version, resource, subresource, namespace, name } = attributes;
  return { group, version, resource, subresource, namespace, name };
}

/** The addresses of connections without a proxy. */
const addresses = new WeakMap<object, readonly string[]>();
/** Addresses that are read from one header. */
const HOPS_MAX = 64;
/** Addresses whose values are kept. */
const LISTS_MAX = 1024;

/** An address of a header in its canonical form. */
function givenIp(text: string): string | undefined {
  const ip = parseIp(text);
  return ip === undefined ? undefined : formatIp(isIpv4Mapped(ip) ? unmappedIp(ip) : ip);
}

function plainIp(text: string): string | undefined {
  const bare = text.startsWith('::ffff:') && text.includes('.') ? text.slice('::ffff:'.length) : text;
  return isIP(bare) === 0 ? undefined : bare;
}

/**
 * Removes the managed fields from an object or the items of a list, if the policy requires that. Changes its argument.
 */
export function withoutManagedFields(audit: AuditRecord, object: JsonObject): JsonObject {
  if (!audit.decision.omitManagedFields) return object;
  drop(object);
  const { items, rows } = object;
  if (Array.isArray(items)) for (const item of items) drop(item);
  if (Array.isArray(rows)) for (const row of rows) if (isObject(row)) drop(row['object']);
  return object;
}

function drop(object: JsonValue | undefined): void {
  if (object !== undefined && isObject(object) && isObject(object['metadata']))
    delete object['metadata']['managedFields'];
}
