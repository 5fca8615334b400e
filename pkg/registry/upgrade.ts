import { isObject, type JsonObject, type JsonValue } from '../api/index.js';
import { finish, type Steps } from '../base/index.js';
import { type CollectionRequest, NotDecodable } from '../cache/index.js';
import { encodeStored, readJson } from '../codec/index.js';
import { dropNulls, isCustom, type KindSchema, prune, schemaDefaultSteps } from '../schema/index.js';
import type { Kind, ServedResource } from './kind.js';
import { parseStored } from './stored.js';

/**
 * A stored object has the storage version of the time of its write. A later release or a changed definition may have
 * another one. Objects in memory always have the current storage version: older ones are converted when they are
 * loaded.
 */
export function collectionRequest(kind: Kind): CollectionRequest {
  const { storage } = kind;
  return {
    prefix: storage.prefix,
    fieldsOf: (o) => storage.fields.map((f) => f(o)),
    upgrade: upgrade(kind),
  };
}

function upgrade(kind: Kind): (stored: Buffer) => Buffer | undefined {
  const { storage } = kind;
  if (isCustom(storage.type)) return (stored) => settleCustom(kind, stored);
  // The prefix of all objects that were written in this version.
  const head = Buffer.from(`{"kind":${JSON.stringify(kind.kind)},"apiVersion":${JSON.stringify(storage.apiVersion)},`);
  return (stored) => {
    if (stored.length >= head.length && stored.compare(head, 0, head.length, 0, head.length) === 0) return undefined;
    const { o, from } = decoded(kind, stored);
    toStorageVersion(from, o);
    return encodeStored(storage.type.schema, o);
  };
}

/** A custom resource may have been stored before its definition gained defaults or lost fields. */
function settleCustom(kind: Kind, stored: Buffer): Buffer | undefined {
  const { o, from } = decoded(kind, stored);
  prune(o, from.schema);
  // A remote converter takes time, so it is called by a request that needs the object.
  if (kind.remote === undefined) toStorageVersion(from, o);
  else complete(o, from.type);
  const settled = encodeStored(kind.storage.type.schema, o);
  return settled.equals(stored) ? undefined : settled;
}

/** Decodes a stored object and finds its version. The messages of the errors are those of kube-apiserver. */
function decoded(kind: Kind, stored: Buffer): { readonly o: JsonObject; readonly from: ServedResource } {
  const custom = isCustom(kind.storage.type);
  const o = parsed(stored, custom);
  const { kind: name, apiVersion, metadata } = o;
  const from = kind.versions.find((v) => v.apiVersion === apiVersion);
  if (from === undefined)
    throw new NotDecodable(
      custom
        ? `request to convert CR from an invalid group/version: ${apiVersion}`
        : `no kind ${JSON.stringify(name)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  // The kind of a definition may change; its objects follow when they are written.
  if (!custom && name !== kind.kind) throw new NotDecodable(`expected kind ${kind.kind}, got ${JSON.stringify(name)}`);
  if (metadata !== undefined && !isObject(metadata)) throw new NotDecodable('invalid metadata: expected object');
  o['metadata'] ??= {};
  return { o, from };
}

function parsed(stored: Buffer, custom: boolean): JsonObject {
  const head = custom ? '' : "couldn't get version/kind; json parse error: ";
  let value: JsonValue;
  try {
    value = parseStored(stored);
  } catch {
    // The strict parser words the error.
    const read = readJson(stored);
    throw new NotDecodable(head + (read.ok ? 'invalid JSON' : read.message));
  }
  if (!isObject(value) || typeof value['kind'] !== 'string' || typeof value['apiVersion'] !== 'string')
    throw new NotDecodable(`${head}the value has no kind and version`);
  return value;
}

/** Fills in the defaults of the schema. A null that a custom resource may not have counts as absent. */
export function complete(o: JsonObject, type: KindSchema): void {
  finish(completeSteps(o, type));
}

/** `complete` in steps. */
export function* completeSteps(o: JsonObject, { schema, structural }: KindSchema): Steps<void> {
  if (structural !== undefined) dropNulls(o, structural);
  yield* schemaDefaultSteps(o, structural ?? schema);
}

/** Converts an object to the storage version and applies defaults, in place, except those that depend on the time. */
export function toStorageVersion(version: ServedResource, o: JsonObject): void {
  finish(storageSteps(version, o));
}

/** How an object is settled: `merged` as in `settle`; `now` in Unix milliseconds, absent if the object is not being written. */
interface Settling {
  readonly merged?: boolean;
  readonly now?: number;
}

/** `toStorageVersion` in steps. */
export function* storageSteps(
  version: ServedResource,
  o: JsonObject,
  { merged = false, now }: Settling = {},
): Steps<void> {
  const { storage, strategy } = version;
  if (merged) yield* schemaDefaultSteps(o, version.type.structural ?? version.type.schema);
  else yield* completeSteps(o, version.type);
  yield;
  if (version.conversion !== undefined) {
    version.conversion.toStorage(o);
    yield;
    if (merged) yield* schemaDefaultSteps(o, storage.type.structural ?? storage.type.schema);
    else yield* completeSteps(o, storage.type);
    yield;
  }
  const own = version.conversion?.defaults;
  if (own !== undefined) own(o);
  else strategy.defaults?.(o, now);
}
