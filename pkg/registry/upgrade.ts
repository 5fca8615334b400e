import type { JsonObject } from '../api/index.js';
import type { CollectionRequest } from '../cache/index.js';
import { encodeStored } from '../codec/index.js';
import { applySchemaDefaults, dropNulls, isCustom, type KindSchema, prune } from '../schema/index.js';
import type { Kind, ServedResource } from './kind.js';
import { parseStored } from './stored.js';

/**
 * Objects are stored in the version that was the storage version when they were written, which a later release, or a changed
 * definition, may have moved. What is in memory is always in today's storage version: older objects are brought up to date
 * when they are loaded.
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
  // The bytes with which everything begins that was written in this version.
  const head = Buffer.from(`{"kind":${JSON.stringify(kind.kind)},"apiVersion":${JSON.stringify(storage.apiVersion)},`);
  return (stored) => {
    if (stored.length >= head.length && stored.compare(head, 0, head.length, 0, head.length) === 0) return undefined;
    const o = readable(stored);
    const from = o === undefined ? undefined : kind.versions.find((v) => v.apiVersion === o['apiVersion']);
    if (o === undefined || from?.conversion === undefined) return undefined;
    toStorageVersion(from, o);
    return encodeStored(storage.type.schema, o);
  };
}

/** A custom resource may have been stored before its definition got its present defaults, or lost a field. */
function settleCustom(kind: Kind, stored: Buffer): Buffer | undefined {
  const o = readable(stored);
  const from = o === undefined ? undefined : kind.versions.find((v) => v.apiVersion === o['apiVersion']);
  if (o === undefined || from === undefined) return undefined;
  prune(o, from.schema);
  // A remote converter takes time: the request that needs the object asks it.
  if (kind.remote === undefined) toStorageVersion(from, o);
  else complete(o, from.type);
  const settled = encodeStored(kind.storage.type.schema, o);
  return settled.equals(stored) ? undefined : settled;
}

function readable(stored: Buffer): JsonObject | undefined {
  try {
    return parseStored(stored);
  } catch {
    // Such an object stays as it is, and can be deleted with ignoreStoreReadErrorWithClusterBreakingPotential.
    return undefined;
  }
}

/** Fills in the defaults of the schema. A null that a custom resource may not have counts as absent. */
function complete(o: JsonObject, { schema, structural }: KindSchema): void {
  if (structural !== undefined) dropNulls(o, structural);
  applySchemaDefaults(o, structural ?? schema);
}

/** Brings an object in a version of its kind to the storage version, defaults included, in place. */
export function toStorageVersion(version: ServedResource, o: JsonObject): void {
  const { storage, strategy } = version;
  complete(o, version.type);
  if (version.conversion !== undefined) {
    version.conversion.toStorage(o);
    complete(o, storage.type);
  }
  strategy.defaults?.(o);
}
