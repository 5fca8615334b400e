import type { JsonObject } from '../api/index.js';
import type { CollectionRequest } from '../cache/index.js';
import { encodeStored } from '../codec/index.js';
import { applySchemaDefaults } from '../schema/index.js';
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

function readable(stored: Buffer): JsonObject | undefined {
  try {
    return parseStored(stored);
  } catch {
    // Such an object stays as it is, and can be deleted with ignoreStoreReadErrorWithClusterBreakingPotential.
    return undefined;
  }
}

/** Brings an object in a version of its kind to the storage version, defaults included, in place. */
export function toStorageVersion(version: ServedResource, o: JsonObject): void {
  const { storage, strategy } = version;
  applySchemaDefaults(o, version.schema);
  if (version.conversion !== undefined) {
    version.conversion.toStorage(o);
    applySchemaDefaults(o, storage.schema);
  }
  strategy.defaults?.(o);
}
