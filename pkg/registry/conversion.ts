import { ApiError, cloneJson, errors, isObject, type JsonObject, textAt } from '../api/index.js';
import { invariant, type Steps } from '../base/index.js';
import type { StoredObject, UnreadableObject } from '../cache/index.js';
import { decodeAs, encodeJson, encodeJsonSteps, jsonText } from '../codec/index.js';
import { isCustom } from '../schema/index.js';
import type { Conversion, ServedResource } from './kind.js';
import { limits } from './limits.js';
import type { Conversions } from './memory.js';
import type { Answer, ListResult } from './requests.js';
import { parseStored } from './stored.js';
import { unreadableForRead, unreadableList } from './unreadable.js';

/*
 * The stage between the cache and the encoders. It brings objects to the version of a request, so that later stages
 * need no conversion:
 *
 *   get, list, watch:  cache -> conversion -> encoders
 *   writes:            body -> hub version -> admission, validation -> storage version -> store -> cache -> conversion -> encoders
 *
 * Versions of built-in kinds, and those of custom resources without a webhook, are converted here, by functions. A
 * remote converter gets many objects in one call; its results are kept with the stored objects, like other encodings.
 */

/** Converts objects of one kind to versions of it by calls that take time. */
export interface RemoteConverter {
  /** Begins the conversion of objects of one request to a version. After a failure it may report the same error for all that follow. */
  to(apiVersion: string): ConvertBatch;
  /** Runs work on converted objects in steps. */
  run<T>(work: Steps<T>): T | Promise<T>;
}

/** Converts objects, in order; `apiVersion` of each is its current version. The number of objects is limited by its caller. */
export type ConvertBatch = (objects: readonly JsonObject[]) => Promise<readonly Converted[]>;

/** An object in another version, or why it could not be converted. */
export type Converted = JsonObject | ApiError;

/** A stored object in the version of a request. Its JSON is built on first use, unless it is provided. */
export class ConvertedObject implements StoredObject {
  readonly origin: StoredObject;
  readonly #resource: ServedResource;
  readonly #given: Buffer | undefined;

  constructor(origin: StoredObject, resource: ServedResource, given?: Buffer) {
    this.origin = origin;
    this.#resource = resource;
    this.#given = given;
  }

  get key(): string {
    return this.origin.key;
  }

  get namespace(): string {
    return this.origin.namespace;
  }

  get name(): string {
    return this.origin.name;
  }

  get revision(): StoredObject['revision'] {
    return this.origin.revision;
  }

  get createRevision(): StoredObject['createRevision'] {
    return this.origin.createRevision;
  }

  get stale(): boolean {
    return this.origin.stale;
  }

  get length(): number {
    return this.json.length;
  }

  get json(): Buffer {
    return (
      this.#given ?? this.origin.encoding(this.#resource.memory.encodings.json, (o) => localJson(this.#resource, o))
    );
  }

  copyTo(target: Buffer, at: number, from = 0): number {
    return at + this.json.copy(target, at, from);
  }

  parse(): JsonObject {
    return parseStored(this.json);
  }

  value(): JsonObject {
    return this.parse();
  }

  keptValue(): undefined {}

  labels(): ReturnType<StoredObject['labels']> {
    return this.origin.labels();
  }

  uid(): string {
    return this.origin.uid();
  }

  fields(): readonly string[] {
    return this.origin.fields();
  }

  kept(id: string): Buffer | undefined {
    return this.origin.kept(this.#id(id));
  }

  encoding(id: string, make: (o: StoredObject) => Buffer): Buffer {
    return this.origin.encoding(this.#id(id), () => make(this));
  }

  encodedBytes(id: string, make: (o: StoredObject) => Buffer): number {
    return this.origin.encodedBytes(this.#id(id), () => make(this));
  }

  #id(encoding: string): string {
    const known = this.#resource.memory.encodings;
    return encoding === 'protobuf' || encoding === 'cbor' ? known[encoding] : `${encoding} ${known.json}`;
  }
}

function localJson(resource: ServedResource, stored: StoredObject): Buffer {
  const o = stored.parse();
  resource.conversion?.fromStorage(o);
  return encodeJson(resource.type.schema, o);
}

/** Returns the form of an object from which the cells of its row are made: of a built-in kind the stored one, of a custom resource its own. */
export const rowSource = ({ type }: ServedResource, o: StoredObject): StoredObject =>
  o instanceof ConvertedObject && !isCustom(type) ? o.origin : o;

/**
 * Reports whether objects of the kind can be in memory in a version other than the storage version, or need time for
 * conversion.
 */
const isRemote = ({ declaration }: ServedResource): boolean => declaration.remote !== undefined;

/** Returns the object in the version of `resource`, if that takes no time. */
export function localVersion(resource: ServedResource, stored: StoredObject): StoredObject {
  return resource.conversion === undefined || stored instanceof ConvertedObject
    ? stored
    : new ConvertedObject(stored, resource);
}

/** Returns objects in the version of `resource`, in order. */
export function inVersion(
  resource: ServedResource,
  items: readonly StoredObject[],
): readonly StoredObject[] | Promise<readonly StoredObject[]> {
  if (isRemote(resource)) return remoteVersions(resource, items).then((found) => found.map(orThrow));
  return resource.conversion === undefined ? items : items.map((o) => localVersion(resource, o));
}

function orThrow<T>(value: T | ApiError): T {
  if (value instanceof ApiError) throw value;
  return value;
}

/** Returns objects in the version of `resource`, which has a remote converter, or the errors of those that cannot be converted; in order. */
export async function remoteVersions(
  resource: ServedResource,
  items: readonly StoredObject[],
): Promise<readonly (StoredObject | ApiError)[]> {
  const out: (StoredObject | ApiError)[] = [...items];
  const missing = await remoteOf(resource).run(findMissing(resource, out));
  if (missing.length === 0) return out;
  const found = await shared(
    resource,
    missing.map((i) => items[i]!),
  );
  for (const i of missing) {
    const json = found.get(items[i]!)!;
    out[i] = json instanceof ApiError ? json : new ConvertedObject(items[i]!, resource, json);
  }
  return out;
}

/** Replaces objects whose conversion is kept. Returns the positions of those that are in another version. */
function* findMissing(resource: ServedResource, items: (StoredObject | ApiError)[]): Steps<readonly number[]> {
  const missing: number[] = [];
  const { json: id } = resource.memory.encodings;
  for (const [i, o] of items.entries()) {
    if (o instanceof ConvertedObject || o instanceof ApiError) continue;
    const kept = o.kept(id);
    if (kept !== undefined) items[i] = new ConvertedObject(o, resource, kept);
    else if (textAt(o.parse(), 'apiVersion') !== resource.apiVersion) missing.push(i);
    yield;
  }
  return missing;
}

/** Converts objects that no other call converts now, and waits for those that others do. */
async function shared(resource: ServedResource, objects: readonly StoredObject[]): Conversions {
  const { conversions } = resource.memory;
  const calls = new Set<Conversions>();
  const own: StoredObject[] = [];
  for (const o of objects) {
    const flight = conversions.get(o);
    if (flight === undefined) own.push(o);
    else calls.add(flight);
  }
  if (own.length > 0) {
    const call = convertStored(resource, own).finally(() => {
      for (const o of own) conversions.delete(o);
    });
    for (const o of own) conversions.set(o, call);
    calls.add(call);
  }
  return new Map((await Promise.all(calls)).flatMap((found) => [...found]));
}

async function convertStored(resource: ServedResource, objects: readonly StoredObject[]): Conversions {
  const remote = remoteOf(resource);
  const convert = remote.to(resource.apiVersion);
  const found = new Map<StoredObject, Buffer | ApiError>();
  for (const batch of batchesOf(objects)) {
    const parsed = await remote.run(parseAll(batch));
    const converted = await convertAll(resource, convert, parsed, resource.apiVersion);
    await remote.run(encodeAll(resource, { batch, converted, found }));
  }
  return found;
}

/** Objects for one call: not more of them, nor more bytes, than a converter receives at once. */
function* batchesOf(objects: readonly StoredObject[]): Generator<readonly StoredObject[]> {
  let from = 0;
  let bytes = 0;
  for (const [i, { length }] of objects.entries()) {
    const isFull = i - from === limits.conversionObjectsMax || bytes + length > limits.conversionBytesMax;
    if (i > from && isFull) {
      yield objects.slice(from, i);
      from = i;
      bytes = 0;
    }
    bytes += length;
  }
  yield objects.slice(from);
}

function* parseAll(batch: readonly StoredObject[]): Steps<readonly JsonObject[]> {
  const parsed: JsonObject[] = [];
  for (const o of batch) {
    parsed.push(o.parse());
    yield;
  }
  return parsed;
}

interface ConvertedBatch {
  readonly batch: readonly StoredObject[];
  readonly converted: readonly Converted[];
  readonly found: Map<StoredObject, Buffer | ApiError>;
}

function* encodeAll({ type, memory }: ServedResource, { batch, converted, found }: ConvertedBatch): Steps<void> {
  for (const [i, origin] of batch.entries()) {
    const o = converted[i]!;
    if (o instanceof ApiError) {
      found.set(origin, o);
      continue;
    }
    const json = yield* encodeJsonSteps(type.schema, o);
    found.set(
      origin,
      origin.encoding(memory.encodings.json, () => json),
    );
    yield;
  }
}

function remoteOf({ declaration }: ServedResource): RemoteConverter {
  invariant(declaration.remote !== undefined, `${declaration.kind} has no remote converter`);
  return declaration.remote;
}

/** Converts one object. Throws `ApiError` if that fails. */
export async function convertOne(resource: ServedResource, o: JsonObject, apiVersion: string): Promise<JsonObject> {
  const [converted] = await convertAll(resource, remoteOf(resource).to(apiVersion), [o], apiVersion);
  return orThrow(converted!);
}

/** Calls the remote converter, and checks that it returned the same objects in the requested version. */
async function convertAll(
  { declaration }: ServedResource,
  convert: ConvertBatch,
  objects: readonly JsonObject[],
  apiVersion: string,
): Promise<readonly Converted[]> {
  const converted = await convert(objects);
  const broken = (why: string): Error => errors.internal(`conversion webhook for ${declaration.kind} failed: ${why}`);
  if (converted.length !== objects.length)
    throw broken(`expected ${objects.length} converted objects, got ${converted.length}`);
  return converted.map((o, i) => {
    if (o instanceof ApiError) return o;
    if (textAt(o, 'apiVersion') !== apiVersion) throw broken(`invalid groupVersion (expected ${apiVersion})`);
    for (const field of ['name', 'namespace', 'uid'])
      if (textAt(o, 'metadata', field) !== textAt(objects[i]!, 'metadata', field))
        throw broken(`metadata.${field} must not change`);
    return o;
  });
}

/** A response in the version of the request. */
export function answerInVersion(resource: ServedResource, answer: Answer): Answer | Promise<Answer> {
  if (answer.kind === 'stored') {
    const items = inVersion(resource, [answer.stored]);
    return items instanceof Promise
      ? items.then(
          ([stored]) => ({ kind: 'stored', stored: stored! }),
          (error: unknown) => {
            throw unconverted(error, (why) => unreadableForRead(notConverted(answer.stored, why)));
          },
        )
      : { kind: 'stored', stored: items[0]! };
  }
  const { value } = answer;
  if (!isRemote(resource) || value['kind'] !== resource.kind || value['apiVersion'] === resource.apiVersion)
    return answer;
  return convertOne(resource, value, resource.apiVersion).then((o) => ({ kind: 'value', value: o }));
}

export function listInVersion(resource: ServedResource, result: ListResult): ListResult | Promise<ListResult> {
  if (isRemote(resource)) return remoteList(resource, result);
  return resource.conversion === undefined
    ? result
    : { ...result, items: result.items.map((o) => localVersion(resource, o)) };
}

async function remoteList(resource: ServedResource, result: ListResult): Promise<ListResult> {
  const items: StoredObject[] = [];
  const refused: UnreadableObject[] = [];
  for (const [i, o] of (await remoteVersions(resource, result.items)).entries())
    if (o instanceof ApiError) refused.push(notConverted(result.items[i]!, o.message));
    else items.push(o);
  if (refused.length > 0) throw unreadableList(resource.groupResource, refused);
  return { ...result, items };
}

/** An object that cannot be brought to the version of a request is reported as one that cannot be decoded. */
export function notConverted({ key, revision, createRevision }: StoredObject, why: string): UnreadableObject {
  return { key, revision, createRevision, fault: 'decoding', problem: why };
}

/** The errors of objects that cannot be brought to the version of a request are those of objects that cannot be read. */
export function unconverted(error: unknown, wrap: (why: string) => ApiError): unknown {
  return error instanceof ApiError && error.status.code === 500 ? wrap(error.message) : error;
}

/** Thrown by a conversion that needs the remote converter first. */
class ConversionNeeded extends Error {
  readonly ask: () => Promise<void>;

  constructor(ask: () => Promise<void>) {
    super('a remote conversion is needed');
    this.ask = ask;
  }
}

const REMEMBERED = 256;
const ATTEMPTS = 64;

/**
 * Provides the conversions of a remote converter to synchronous code (patches, field ownership). If a conversion is
 * missing, it throws a need; `converting` then calls the converter and runs the code again.
 */
export function remoteConversions(remote: RemoteConverter): (apiVersion: string, stored: string) => Conversion {
  const known = new Map<string, JsonObject>();
  const change = (o: JsonObject, apiVersion: string): void => {
    if (o['apiVersion'] === apiVersion) return;
    const key = `${apiVersion} ${jsonText(o)}`;
    const found = known.get(key);
    if (found === undefined) {
      const given = cloneJson(o);
      throw new ConversionNeeded(async () => {
        const [found] = await remote.to(apiVersion)([given]);
        const converted = orThrow(found);
        if (!isObject(converted)) throw errors.internal('conversion webhook returned no object');
        if (known.size >= REMEMBERED) known.delete(known.keys().next().value!);
        known.set(key, converted);
      });
    }
    for (const field of Object.keys(o)) delete o[field];
    Object.assign(o, cloneJson(found));
  };
  return (apiVersion, stored) => ({
    toStorage: (o) => change(o, stored),
    fromStorage: (o) => change(o, apiVersion),
  });
}

/** Returns a stored object in the version of the request: a copy if the versions differ. */
export function inServedVersion(resource: ServedResource, o: JsonObject): JsonObject {
  if (resource.conversion === undefined) return o;
  const copy = cloneJson(o);
  resource.conversion.fromStorage(copy);
  const decoded = decodeAs(resource.type, copy);
  return decoded.ok ? decoded.object : copy;
}

/**
 * Converts an object between two versions of its kind, in place, for field ownership and for webhooks. Custom resources without a remote
 * converter keep all their fields: kube-apiserver drops unknown ones only when it reads and writes stored objects.
 */
export function convertVersion(from: ServedResource, to: ServedResource, o: JsonObject): void {
  if (o['apiVersion'] === to.apiVersion) return;
  if (!isCustom(from.type)) {
    from.conversion?.toStorage(o);
    to.conversion?.fromStorage(o);
  } else if (!isRemote(from)) o['apiVersion'] = to.apiVersion;
  // A remote converter needs no way through the storage version.
  else (to.conversion?.fromStorage ?? from.conversion?.toStorage)?.(o);
}

/** Runs code that converts objects of the kind of `resource`. The code may run several times: it must be idempotent. */
export function converting<T>(resource: ServedResource, f: () => T | Promise<T>): T | Promise<T> {
  return isRemote(resource) ? convertingRemotely(f) : f();
}

async function convertingRemotely<T>(f: () => T | Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      return await f();
    } catch (e) {
      if (!(e instanceof ConversionNeeded)) throw e;
      await e.ask();
    }
  }
  throw errors.internal(`a request needs more than ${ATTEMPTS} conversions`);
}
