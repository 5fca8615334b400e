import type { Status, UserInfo } from '../api/index.js';
import { type Decision, LEVELS, type Level, STAGES, type Stage } from './policy.js';
import { EventText, type EventWriter, type Json, microTime, type Piece, piece, quote } from './text.js';

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

/** One finished event. Its methods are valid until the record changes; `json` remains what it was when it was first read. */
export interface AuditEvent {
  readonly json: Json;
  /** Writes the text of `json`. */
  write(writer: EventWriter): void;
  /** One line of text without a line break. */
  legacy(): string;
  /** The event without request and response, used if the event is too large; undefined at levels that have neither. */
  truncated(): AuditEvent | undefined;
}

const USER_AGENT_MAX = 1024;
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

  constructor(decision: Decision, facts: RequestFacts) {
    this.decision = decision;
    this.#facts = facts;
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
    return new StageEvent(this, stage, elapsedMs, annotations, true);
  }

  /** Writes the event of a stage, with or without request and response. */
  write(writer: EventWriter, stage: Stage, elapsedMs: number, annotations: Json, withObjects: boolean): void {
    const { id, uri, verb, received } = this.#facts;
    writer.piece(HEADS[this.decision.level]);
    writer.plain(id);
    writer.piece(STAGE_HEADS[stage]);
    writer.quoted(uri);
    writer.piece(VERB);
    writer.plain(verb);
    this.#writeClient(writer);
    this.#writeReference(writer);
    this.#writeStatus(writer);
    if (withObjects) this.#writeObjects(writer);
    writer.piece(RECEIVED_AT);
    writer.time(received);
    writer.piece(STAGE_AT);
    writer.time(stage === 'RequestReceived' ? received : received + elapsedMs);
    if (annotations === '') {
      writer.piece(END);
      return;
    }
    writer.piece(ANNOTATIONS);
    writer.piece(annotationsPiece(annotations));
    writer.piece(END_ANNOTATED);
  }

  #writeClient(writer: EventWriter): void {
    const { user, sourceIps, userAgent } = this.#facts;
    if (this.impersonated === undefined) {
      writer.piece(clientPiece(user, sourceIps, userAgent));
      return;
    }
    const constraint = this.impersonationConstraint;
    const metadata =
      constraint === '' ? '' : `,"authenticationMetadata":{"impersonationConstraint":${quote(constraint)}}`;
    writer.json(
      `","user":${userJson(user)},"impersonatedUser":${userJson(this.impersonated)}${metadata}${originJson(sourceIps, userAgent)}`,
    );
  }

  #writeReference(writer: EventWriter): void {
    const { object } = this.#facts;
    if (object === undefined) return;
    if (this.bodyMeta !== undefined || object.name === '') {
      writer.json(referenceJson(object, this.bodyMeta));
      return;
    }
    const { before, after } = partsOf(object);
    writer.piece(before);
    writer.quoted(object.name);
    writer.piece(after);
  }

  #writeStatus(writer: EventWriter): void {
    const { status, code } = this;
    if (code === 0) return;
    if (status === undefined) {
      writer.piece(codePiece(code));
      return;
    }
    const { status: outcome, message, reason, details } = status;
    writer.json(
      `,"responseStatus":${JSON.stringify({ metadata: {}, status: outcome, message, reason, details, code: status.code ?? code })}`,
    );
  }

  #writeObjects(writer: EventWriter): void {
    const { requestObject, responseObject } = this;
    if (requestObject !== undefined) {
      writer.json(',"requestObject":');
      writer.json(requestObject);
    }
    if (responseObject !== undefined) {
      writer.json(',"responseObject":');
      writer.json(responseObject);
    }
  }

  /** Whether the event would be shorter without request and response. */
  get hasObjects(): boolean {
    return this.requestObject !== undefined || this.responseObject !== undefined;
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
  readonly #record: AuditRecord;
  readonly #stage: Stage;
  readonly #elapsedMs: number;
  readonly #annotations: Json;
  readonly #withObjects: boolean;
  #json: Json | undefined;

  constructor(record: AuditRecord, stage: Stage, elapsedMs: number, annotations: Json, withObjects: boolean) {
    this.#record = record;
    this.#stage = stage;
    this.#elapsedMs = elapsedMs;
    this.#annotations = annotations;
    this.#withObjects = withObjects;
  }

  get json(): Json {
    if (this.#json === undefined) {
      const writer = new EventText();
      this.write(writer);
      this.#json = writer.text;
    }
    return this.#json;
  }

  write(writer: EventWriter): void {
    this.#record.write(writer, this.#stage, this.#elapsedMs, this.#annotations, this.#withObjects);
  }

  legacy(): string {
    return this.#record.legacy(this.#stage);
  }

  truncated(): AuditEvent | undefined {
    if (!this.#withObjects || !this.#record.hasObjects) return undefined;
    return new StageEvent(this.#record, this.#stage, this.#elapsedMs, marked(this.#annotations), false);
  }
}

const piecesOf = <Name extends string>(
  names: readonly Name[],
  of: (name: Name) => Json,
): Readonly<Record<Name, Piece>> =>
  Object.fromEntries(names.map((name) => [name, piece(of(name))])) as Record<Name, Piece>;

/** How the JSON of every event begins. */
export const EVENT_HEAD = '{"kind":"Event","apiVersion":"audit.k8s.io/v1",';
const HEADS = piecesOf<Level>(LEVELS, (level) => `${EVENT_HEAD}"level":"${level}","auditID":"`);
const STAGE_HEADS = piecesOf<Stage>(STAGES, (stage) => `","stage":"${stage}","requestURI":`);
const VERB = piece(',"verb":"');
const RECEIVED_AT = piece(',"requestReceivedTimestamp":"');
const STAGE_AT = piece('","stageTimestamp":"');
const END = piece('"}');
const ANNOTATIONS = piece('","annotations":');
const END_ANNOTATED = piece('}');

/** By code. */
const codes = new Map<number, Piece>();

/** The status of a response without a Status. */
function codePiece(code: number): Piece {
  let found = codes.get(code);
  if (found === undefined) {
    found = piece(`,"responseStatus":{"metadata":{},"code":${code}}`);
    codes.set(code, found);
  }
  return found;
}

const annotated = new Map<Json, Piece>();
/** Texts that are kept. Most requests have one of a few reasons why they were allowed, and no other annotation. */
const ANNOTATED_MAX = 256;
const ANNOTATED_CHARACTERS_MAX = 1024;

function annotationsPiece(annotations: Json): Piece {
  const known = annotated.get(annotations);
  if (known !== undefined) return known;
  const made = piece(annotations);
  if (annotations.length > ANNOTATED_CHARACTERS_MAX) return made;
  if (annotated.size >= ANNOTATED_MAX) annotated.clear();
  annotated.set(annotations, made);
  return made;
}

/** The reference to an object in two parts, between which its name belongs. */
interface ReferenceParts {
  readonly of: ObjectFacts;
  readonly before: Piece;
  readonly after: Piece;
}

/** What the last reference had: requests for objects of one resource and namespace often follow each other. */
let lastParts: ReferenceParts | undefined;

function referenceJson(object: ObjectFacts, meta: BodyMeta | undefined): Json {
  const { resource, group, version, subresource } = object;
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
      before: piece(`,"objectRef":{${place === '' ? '' : `${place},`}"name":`),
      after: piece(`${field('apiGroup', group)}${field('apiVersion', version)}${field('subresource', subresource)}}`),
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
  readonly piece: Piece;
}

const clients = new WeakMap<UserInfo, Client>();

/** User, addresses and user agent, after the verb. */
function clientPiece(user: UserInfo, sourceIps: readonly string[], userAgent: string): Piece {
  const last = clients.get(user);
  if (last !== undefined && last.sourceIps === sourceIps && last.userAgent === userAgent) return last.piece;
  const made = piece(`","user":${userJson(user)}${originJson(sourceIps, userAgent)}`);
  clients.set(user, { sourceIps, userAgent, piece: made });
  return made;
}

const originJson = (sourceIps: readonly string[], userAgent: string): Json =>
  `,"sourceIPs":${JSON.stringify(sourceIps)}${agentJson(userAgent)}`;

const agentText = (agent: string): string =>
  agent.length > USER_AGENT_MAX ? `${agent.slice(0, USER_AGENT_MAX)}...TRUNCATED` : agent;

const agentJson = (agent: string): Json => (agent === '' ? '' : `,"userAgent":${quote(agentText(agent))}`);
