import { cloneJson, type JsonObject } from '../api/index.js';
import type { Steps } from '../base/index.js';
import type { StoredObject } from '../cache/index.js';
import { isCustom, schemaDefaultSteps } from '../schema/index.js';
import { convertOne, convertVersion, inServedVersion, notConverted, unconverted } from './conversion.js';
import type { ServedResource, VersionForm } from './kind.js';
import { unreadableForWrite } from './unreadable.js';
import { complete, completeSteps, storageSteps } from './upgrade.js';

/*
 * A write is decided in one version, the hub version: managed fields, admission, generation and validation see the
 * object in it. The hub of a built-in kind is its storage version. A custom resource has no internal form, so its hub is
 * the version of the request: fields of other versions are unknown there, and those that the storage version lacks are
 * only lost when the object is encoded.
 */

/** Returns the version in which writes to `resource` are decided. */
export const hubOf = (resource: ServedResource): VersionForm => (isCustom(resource.type) ? resource : resource.storage);

/** The hub is a version other than that of stored objects. */
const isElsewhere = ({ type, conversion }: ServedResource): boolean => conversion !== undefined && isCustom(type);

/** How a decoded object becomes one in the hub version. */
interface Settling {
  /** The object is the result of an apply. Only decoding drops the nulls that a custom resource may not have; validation refuses those that remain. */
  readonly merged?: boolean;
  /** Unix milliseconds; absent if no default depends on the time. */
  readonly now?: number;
}

/** Applies the defaults of the version of an object and brings it to the hub version, in place. */
export function* hubSteps(version: ServedResource, o: JsonObject, settling: Settling = {}): Steps<void> {
  if (!isCustom(version.type)) return yield* storageSteps(version, o, settling);
  if (settling.merged === true) yield* schemaDefaultSteps(o, version.schema);
  else yield* completeSteps(o, version.type);
  yield;
}

/** Returns an object of the hub version in the version of the request: a copy if they differ. */
export function requestedForm(resource: ServedResource, o: JsonObject): JsonObject {
  return isCustom(resource.type) ? o : inServedVersion(resource, o);
}

/** Returns a stored object in the hub version. Others read it too; it must not be changed. Throws `ApiError` if it cannot be converted. */
export function hubForm(resource: ServedResource, stored: JsonObject): JsonObject | Promise<JsonObject> {
  if (resource.declaration.remote !== undefined)
    return stored['apiVersion'] === resource.apiVersion ? stored : convertOne(resource, stored, resource.apiVersion);
  return isElsewhere(resource) ? inServedVersion(resource, stored) : stored;
}

/**
 * Returns a stored object in the hub version for the admission of its deletion. An object can be deleted whatever its remote converter says: it
 * stays as it is, and admission converts it to the versions that it needs.
 */
export function deletedForm(resource: ServedResource, stored: JsonObject): JsonObject {
  return resource.declaration.remote === undefined && isElsewhere(resource)
    ? inServedVersion(resource, stored)
    : stored;
}

/** `hubForm` for an update. An object that cannot be brought to the version of the request is reported before the update is looked at. */
export async function updatedForm(resource: ServedResource, stored: StoredObject): Promise<JsonObject> {
  try {
    return await hubForm(resource, stored.value());
  } catch (error) {
    throw unconverted(error, (why) => unreadableForWrite(notConverted(stored, why)));
  }
}

/**
 * Returns a decided object as it is stored and read again: without the fields that the storage version lacks, and with its defaults. It is
 * the same object if it has that version already.
 */
export function storedForm(resource: ServedResource, o: JsonObject): JsonObject | Promise<JsonObject> {
  const { conversion, declaration, storage } = resource;
  if (conversion === undefined || !isCustom(resource.type)) return o;
  const settled = (stored: JsonObject): JsonObject => {
    complete(stored, storage.type);
    return stored;
  };
  if (declaration.remote !== undefined) return convertOne(resource, o, storage.apiVersion).then(settled);
  const stored = cloneJson(o);
  conversion.toStorage(stored);
  return settled(stored);
}

/** Converts an object of the hub version of `resource` to another version of the kind, in place and as `convertVersion` does. */
export function fromHub(resource: ServedResource, version: ServedResource, o: JsonObject): void {
  if (isCustom(resource.type)) convertVersion(resource, version, o);
  else version.conversion?.fromStorage(o);
}

/** Brings an object in the hub version of `version` to that of `resource`, in place. Only custom resources have several. */
export function betweenHubs(version: ServedResource, resource: ServedResource, o: JsonObject): void {
  if (isCustom(resource.type)) convertVersion(version, resource, o);
}
