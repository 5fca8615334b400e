import type { Status, UserInfo } from '../api/index.js';
import type { Decision, Stage } from './policy.js';

/** The attributes of a request in its audit events. */
export interface RequestFacts {
  /** Letters, digits, dots, dashes and underscores. */
  readonly id: string;
  /** Path and query as sent. */
  readonly uri: string;
  readonly verb: string;
  readonly user: UserInfo;
  readonly sourceIps: readonly string[];
  readonly userAgent: string;
  readonly object: ObjectFacts | undefined;
  /** Milliseconds since the epoch. */
  readonly received: number;
}

export interface ObjectFacts {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The metadata of the object in the body of a request. It completes the reference to the object. */
export interface BodyMeta {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Text in JSON. */
export type Json = string;

/** One finished event. */
export interface AuditEvent {
  readonly json: Json;
  /** One line of text without a line break. */
  legacy(): string;
  /** The event without request and response, used if the event is too large; undefined at levels that have neither. */
  truncated(): AuditEvent | undefined;
}

const USER_AGENT_MAX = 1024;
/** Characters that JSON does not escape. Most names and paths have no others, and then a test is cheaper than `JSON.stringify`. */
const PLAIN = /^[\w./:?=&%,+~ -]*$/;
const quote = (text: string): Json => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

/** The record of one request, from its arrival to its end. */
export class AuditRecord {
  readonly decision: Decision;
  readonly #facts: RequestFacts;
  impersonated: UserInfo | undefined;
  impersonationConstraint = '';
  bodyMeta: BodyMeta | undefined;
  requestObject: Json | undefined;
  responseObject: Json | undefined;
  status: Status | undefined;
  code = 0;
  readonly #received: string;
  #request: Json | undefined;
  #reference: Json | undefined;
  #referenceHas: BodyMeta | undefined;

  constructor(decision: Decision, facts: RequestFacts) {
    this.decision = decision;
    this.#facts = facts;
    this.#received = microTime(facts.received);
  }

  /** Whether events have the object of the request. */
  get wantsRequest(): boolean {
    return this.decision.level === 'Request' || this.decision.level === 'RequestResponse';
  }

  /** Whether events have the object of the response. */
  get wantsResponse(): boolean {
    return this.decision.level === 'RequestResponse';
  }

  /** The event of a stage. `annotations` is a JSON object, or ''. */
  event(stage: Stage, elapsedMs: number, annotations: Json): AuditEvent {
    const { requestObject, responseObject } = this;
    const head = `${this.#head()},"stage":"${stage}"${this.#middle()}${this.#responseStatus()}`;
    const at = stage === 'RequestReceived' ? this.#received : microTime(this.#facts.received + elapsedMs);
    const times = `,"requestReceivedTimestamp":"${this.#received}","stageTimestamp":"${at}"`;
    const notes = annotations === '' ? '}' : `,"annotations":${annotations}}`;
    if (requestObject === undefined && responseObject === undefined)
      return new StageEvent(this, stage, head + times + notes, undefined);
    const objects =
      (requestObject === undefined ? '' : `,"requestObject":${requestObject}`) +
      (responseObject === undefined ? '' : `,"responseObject":${responseObject}`);
    const short = (): Json => `${head}${times},"annotations":${marked(annotations)}}`;
    return new StageEvent(this, stage, head + objects + times + notes, short);
  }

  #head(): Json {
    return `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"${this.decision.level}","auditID":"${this.#facts.id}"`;
  }

  /** The part between stage and status. It is the same for all events of the request, unless the body or impersonation has changed it. */
  #middle(): Json {
    const { uri, verb, user, sourceIps, userAgent } = this.#facts;
    this.#request ??= `,"requestURI":${quote(uri)},"verb":"${verb}","user":`;
    if (this.impersonated === undefined)
      return this.#request + clientJson(user, sourceIps, userAgent) + this.#objectReference();
    const origin = `,"sourceIPs":${JSON.stringify(sourceIps)}${agentJson(userAgent)}`;
    return this.#request + userJson(user) + this.#impersonation() + origin + this.#objectReference();
  }

  #impersonation(): Json {
    if (this.impersonated === undefined) return '';
    const constraint = this.impersonationConstraint;
    return (
      `,"impersonatedUser":${userJson(this.impersonated)}` +
      (constraint === '' ? '' : `,"authenticationMetadata":{"impersonationConstraint":${quote(constraint)}}`)
    );
  }

  #objectReference(): Json {
    const { object } = this.#facts;
    if (object === undefined) return '';
    const { bodyMeta: meta } = this;
    if (this.#reference !== undefined && this.#referenceHas === meta) return this.#reference;
    this.#reference = referenceJson(object, meta);
    this.#referenceHas = meta;
    return this.#reference;
  }

  #responseStatus(): Json {
    const { status, code } = this;
    if (code === 0) return '';
    if (status === undefined) return `,"responseStatus":{"metadata":{},"code":${code}}`;
    const { status: outcome, message, reason, details } = status;
    return `,"responseStatus":${JSON.stringify({ metadata: {}, status: outcome, message, reason, details, code: status.code ?? code })}`;
  }

  /** The event of a stage as one line of text. */
  legacy(stage: Stage): string {
    const { id, uri, verb, user, sourceIps, userAgent, object, received } = this.#facts;
    const list = (texts: readonly string[]): string => texts.map(quote).join(',');
    const named = user.name !== '';
    const groups = named && user.groups.length > 0 ? list(user.groups) : '<none>';
    const as = this.impersonated;
    const namespace = object === undefined || object.namespace === '' ? '<none>' : object.namespace;
    const response = this.code === 0 ? '<deferred>' : String(this.status?.code ?? this.code);
    return (
      `${microTime(received)} AUDIT: id="${id}" stage="${stage}" ip=${quote(sourceIps[0] ?? '<unknown>')}` +
      ` method=${quote(verb)} user=${quote(named ? user.name : '<none>')} groups=${quote(groups)}` +
      ` as=${quote(as?.name ?? '<self>')} asgroups=${quote(as === undefined ? '<lookup>' : list(as.groups))}` +
      ` user-agent=${quote(agentText(userAgent))} namespace=${quote(namespace)} uri=${quote(uri)} response="${response}"`
    );
  }
}

class StageEvent implements AuditEvent {
  readonly json: Json;
  readonly #record: AuditRecord;
  readonly #stage: Stage;
  /** Returns the event without request and response, if it has any. */
  readonly #short: (() => Json) | undefined;

  constructor(record: AuditRecord, stage: Stage, json: Json, short: (() => Json) | undefined) {
    this.json = json;
    this.#record = record;
    this.#stage = stage;
    this.#short = short;
  }

  legacy(): string {
    return this.#record.legacy(this.#stage);
  }

  truncated(): AuditEvent | undefined {
    return this.#short === undefined ? undefined : new StageEvent(this.#record, this.#stage, this.#short(), undefined);
  }
}

/** The reference to an object in two parts, between which its name belongs. */
interface ReferenceParts {
  readonly of: ObjectFacts;
  readonly before: Json;
  readonly after: Json;
}

/** What the last reference had: requests for objects of one resource and namespace often follow each other. */
let lastParts: ReferenceParts | undefined;

function referenceJson(object: ObjectFacts, meta: BodyMeta | undefined): Json {
  const { resource, group, version, subresource } = object;
  if (meta === undefined && object.name !== '') {
    const { before, after } = partsOf(object);
    return before + quote(object.name) + after;
  }
  const fields =
    field('resource', resource) +
    field('namespace', object.namespace === '' ? meta?.namespace : object.namespace) +
    field('name', object.name === '' ? meta?.name : object.name) +
    field('uid', meta?.uid) +
    field('apiGroup', group) +
    field('apiVersion', version) +
    field('resourceVersion', meta?.resourceVersion) +
    field('subresource', subresource);
  return `,"objectRef":{${fields.slice(1)}}`;
}

function partsOf(object: ObjectFacts): ReferenceParts {
  const { resource, namespace, group, version, subresource } = object;
  const last = lastParts?.of;
  if (
    last === undefined ||
    last.resource !== resource ||
    last.namespace !== namespace ||
    last.group !== group ||
    last.version !== version ||
    last.subresource !== subresource
  ) {
    const place = (field('resource', resource) + field('namespace', namespace)).slice(1);
    lastParts = {
      of: { resource, namespace, group, version, subresource, name: '' },
      before: `,"objectRef":{${place === '' ? '' : `${place},`}"name":`,
      after: `${field('apiGroup', group)}${field('apiVersion', version)}${field('subresource', subresource)}}`,
    };
  }
  return lastParts!;
}

const field = (name: string, value: string | undefined): Json =>
  value === undefined || value === '' ? '' : `,"${name}":${quote(value)}`;

const TRUNCATED = '"audit.k8s.io/truncated":"true"';
const marked = (annotations: Json): Json =>
  annotations === '' || annotations === '{}' ? `{${TRUNCATED}}` : `{${TRUNCATED},${annotations.slice(1)}`;

/** Users live as long as their connection or token, and are part of every event. */
const users = new WeakMap<UserInfo, Json>();

function userJson(user: UserInfo): Json {
  let json = users.get(user);
  if (json === undefined) {
    const { name, uid, groups, extra } = user;
    json = JSON.stringify({
      ...(name === '' ? {} : { username: name }),
      ...(uid === undefined || uid === '' ? {} : { uid }),
      ...(groups.length === 0 ? {} : { groups }),
      ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
    });
    users.set(user, json);
  }
  return json;
}

/** What the last event of a user had: a client sends its requests from one address, with one user agent. */
interface Client {
  readonly sourceIps: readonly string[];
  readonly userAgent: string;
  readonly json: Json;
}

const clients = new WeakMap<UserInfo, Client>();

/** User, addresses and user agent. */
function clientJson(user: UserInfo, sourceIps: readonly string[], userAgent: string): Json {
  const last = clients.get(user);
  if (last !== undefined && last.sourceIps === sourceIps && last.userAgent === userAgent) return last.json;
  const json = `${userJson(user)},"sourceIPs":${JSON.stringify(sourceIps)}${agentJson(userAgent)}`;
  clients.set(user, { sourceIps, userAgent, json });
  return json;
}

const agentText = (agent: string): string =>
  agent.length > USER_AGENT_MAX ? `${agent.slice(0, USER_AGENT_MAX)}...TRUNCATED` : agent;

const agentJson = (agent: string): Json => (agent === '' ? '' : `,"userAgent":${quote(agentText(agent))}`);

let lastSecond = Number.NaN;
let lastSecondText = '';

/** RFC 3339 with microseconds: `2026-01-02T03:04:05.678901Z`. `ms` may have a fraction. */
export function microTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastSecondText = new Date(second * 1000).toISOString().slice(0, 20);
  }
  const micros = Math.min(999_999, Math.floor((ms - second * 1000) * 1000));
  const millis = Math.floor(micros / 1000);
  return `${lastSecondText}${THREE_DIGITS[millis]}${THREE_DIGITS[micros - millis * 1000]}Z`;
}

/** `000` to `999`. A leading 1 keeps the zeros. */
const THREE_DIGITS: readonly string[] = Array.from({ length: 1000 }, (_, i) => String(1000 + i).slice(1));
