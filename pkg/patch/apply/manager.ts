import {
  cloneJson,
  equalJson,
  getOwn,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  setOwn,
} from '../../api/index.js';
import { type StructSchema, zeroObject } from '../../schema/index.js';
import { PatchError } from '../errors.js';
import { updateManagersMax } from '../limits.js';
import { checkNesting } from '../nesting.js';
import { type Restored, restoreTyped } from '../unstructured.js';
import { type ApplyConflict, conflictOf, withoutPaths } from './conflict.js';
import { difference, emptySet, equalSets, type FieldSet, isEmptySet, setOfNames, union } from './field-set.js';
import { annotationAfterApply, pathsFromLastApplied } from './last-applied.js';
import {
  decodeOwners,
  encodeOwners,
  managedFieldsOf,
  type Owner,
  type Owners,
  ownerKey,
  seconds,
  timeText,
  tryDecodeOwners,
  withoutManagedFields,
} from './managed.js';
import { deduced } from './shape.js';
import { ConflictError, type Convert, type Rules, trackApply, trackUpdate, type Versioned } from './update.js';
import { typeErrors } from './validate.js';

/** What is always so for one resource in one version, or for a subresource of it. */
export interface TrackedResource {
  /** Of the version of the request; undefined for a custom resource without a schema. */
  readonly schema: StructSchema | undefined;
  readonly apiVersion: string;
  readonly kind: string;
  /** '' for the object itself. */
  readonly subresource: string;
  /** Fields that this (sub)resource resets, as `[['status'], ['metadata', 'labels']]`: never owned through it. */
  readonly resetFields?: readonly (readonly string[])[];
  /**
   * The object in another version, for entries written in it; undefined when that version is no more. Absent: the kind has one
   * version, and entries of others are dropped.
   */
  readonly convert?: (object: JsonObject, from: string, to: string) => ConvertedObject | undefined;
}

export interface ConvertedObject {
  readonly object: JsonObject;
  readonly schema: StructSchema | undefined;
}

export interface UpdateInput {
  readonly resource: TrackedResource;
  /** Undefined for a create. */
  readonly live: JsonObject | undefined;
  /** As decoded and defaulted, before admission: the object that is to be written. */
  readonly object: JsonObject;
  readonly manager: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface ApplyInput {
  readonly resource: TrackedResource;
  readonly live: JsonObject | undefined;
  /** As the client wrote it: not decoded, not defaulted. */
  readonly applied: JsonObject;
  readonly manager: string;
  readonly force: boolean;
  readonly now: number;
}

export type Applied =
  /**
   * Private: shares nothing with `live` or `applied`, so it may be decoded and changed in place. Not yet decoded: nulls stand
   * where a container lost its last field.
   */
  | { readonly kind: 'merged'; readonly object: JsonObject }
  | { readonly kind: 'conflict'; readonly conflict: ApplyConflict };

/** Fields that belong to no one: the type and what the server keeps in metadata. */
const unowned: FieldSet = setOfNames([
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['metadata', name]),
]);

/**
 * Sets `object.metadata.managedFields` to what it is after this create or update: the manager owns what it changed, others
 * lose that. Changes `object` in place, nothing else.
 *
 * The entries start from those the request carries (a client may edit them), from the live ones where it carries none or none
 * that can be read, and through a subresource always from the live ones. `[{}]` resets: all entries go, and the manager owns what
 * else the request changes. An empty list resets nothing, so that clients that do not know the field do no harm.
 *
 * An object without entries stays without (it is older than tracking, or was reset) until it is first applied to.
 */
export function updateManagedFields(input: UpdateInput): void {
  const { resource, live, object } = input;
  const sent = managedFieldsOf(object);
  const reset = resource.subresource === '' && isReset(sent);
  let owners: Owners | undefined;
  if (reset) owners = new Map();
  else {
    const kept = live === undefined ? undefined : managedFieldsOf(live);
    // Most requests carry what is stored, as a patch does that says nothing of it: then there is nothing to check.
    if (resource.subresource === '' && sent !== undefined && sent.length > 0 && !equalJson(sent, kept))
      owners = tryDecodeOwners(sent, false);
    if (owners === undefined || owners.size === 0) {
      owners = (kept === undefined ? undefined : tryDecodeOwners(kept, true)) ?? new Map();
    }
  }
  if (owners.size > 0 || live === undefined || reset) {
    const rules = rulesOf(resource);
    const before = versionedLive(resource, live);
    update(
      before,
      versioned(resource, withoutManagedFields(object)),
      owners,
      resource,
      input.manager,
      input.now,
      rules,
    );
  }
  setManagedFields(object, encodeOwners(owners));
}

/** One entry in which nothing is said. */
function isReset(entries: JsonArray | undefined): boolean {
  if (entries?.length !== 1) return false;
  const entry = entries[0]!;
  return isObject(entry) && Object.values(entry).every((v) => v === null || v === '');
}

function setManagedFields(object: JsonObject, entries: JsonArray | undefined): void {
  const metadata = getOwn(object, 'metadata');
  if (isObject(metadata)) {
    if (entries === undefined) delete metadata['managedFields'];
    else metadata['managedFields'] = entries;
  } else if (entries !== undefined) setOwn(object, 'metadata', { managedFields: entries });
}

function versioned(resource: TrackedResource, value: JsonObject): Versioned {
  return { value, schema: resource.schema ?? deduced, apiVersion: resource.apiVersion };
}

/** What is always written never counts as added by whoever creates the object. */
function versionedLive(resource: TrackedResource, live: JsonObject | undefined): Versioned {
  if (live !== undefined) return versioned(resource, withoutManagedFields(live));
  return versioned(resource, resource.schema === undefined ? {} : zeroObject(resource.schema));
}

const noFields: readonly (readonly string[])[] = [];
const ignoredSets = new WeakMap<readonly (readonly string[])[], FieldSet>();

function rulesOf(resource: TrackedResource): Rules {
  const fields = resource.resetFields ?? noFields;
  let ignored = ignoredSets.get(fields);
  if (ignored === undefined) {
    ignored = setOfNames(fields);
    ignoredSets.set(fields, ignored);
  }
  const convert: Convert = (o, apiVersion) => {
    const converted = resource.convert?.(o.value, o.apiVersion, apiVersion);
    return converted && { value: converted.object, schema: converted.schema ?? deduced, apiVersion };
  };
  return { convert, ignored };
}

function update(
  live: Versioned,
  next: Versioned,
  owners: Owners,
  resource: TrackedResource,
  manager: string,
  now: number,
  rules: Rules,
): void {
  const gained = difference(trackUpdate(live, next, owners, rules), unowned);
  if (!isEmptySet(gained)) {
    const self = ownerOf(resource, manager, 'Update');
    const key = ownerKey(self);
    const before = owners.get(key);
    owners.set(key, { ...before, ...self, set: union(gained, before?.set ?? emptySet), time: timeText(now) });
  }
  capUpdaters(owners);
}

function ownerOf(resource: TrackedResource, manager: string, operation: Owner['operation']): Owner {
  return {
    manager: manager === '' ? 'unknown' : manager,
    operation,
    apiVersion: resource.apiVersion,
    subresource: resource.subresource,
    set: emptySet,
    time: undefined,
  };
}

/** Merges the oldest Update entries of one version into one until no more than ten are left. Apply entries do not count. */
function capUpdaters(owners: Owners): void {
  const updaters = [...owners].filter(([, o]) => o.operation === 'Update');
  let excess = updaters.length - updateManagersMax;
  if (excess <= 0) return;
  updaters.sort(([a, p], [b, q]) => seconds(p.time) - seconds(q.time) || (a < b ? -1 : a > b ? 1 : 0));
  const first = new Map<string, string>();
  for (const [key, owner] of updaters) {
    if (excess <= 0) return;
    const oldest = first.get(owner.apiVersion);
    if (oldest === undefined) {
      first.set(owner.apiVersion, key);
      continue;
    }
    const { apiVersion, time } = owner;
    const ancient = { manager: 'ancient-changes', operation: 'Update', apiVersion, subresource: '' } as const;
    const bucketKey = ownerKey(ancient);
    let bucket = owners.get(bucketKey);
    if (bucket === undefined) {
      bucket = owners.get(oldest)!;
      owners.delete(oldest);
    }
    if (key !== bucketKey) owners.delete(key);
    owners.set(bucketKey, { ...ancient, set: union(owner.set, bucket.set), time });
    excess--;
  }
}

/**
 * Merges an applied configuration into the live object (an empty one for a create) and sets managedFields. Leaves both as they
 * are.
 *
 * Throws PatchError: `badRequest` for another type or version than the resource's and for managedFields in the configuration,
 * `schema` for what is not of the type.
 */
export function applyObject(input: ApplyInput): Applied {
  const { resource, live, applied } = input;
  checkNesting(applied);
  const type = typeOf(applied);
  if (type !== typeText(resource.apiVersion, resource.kind)) {
    throw new PatchError('badRequest', `invalid object type: ${type}`);
  }
  if (managedFieldsOf(applied) !== undefined) throw new PatchError('badRequest', 'metadata.managedFields must be nil');
  const about = `${nameOf(applied)}; ${type}`;
  const config = versioned(resource, applied);
  const misfit = typeErrors(applied, config.schema);
  if (misfit !== undefined) throw new PatchError('schema', `failed to create typed patch object (${about}): ${misfit}`);

  const owners = live === undefined ? new Map() : (tryDecodeOwners(managedFieldsOf(live), true) ?? new Map());
  const rules = rulesOf(resource);
  const before = versionedLive(resource, live);
  if (owners.size === 0 && live !== undefined) {
    // Nobody is known to own anything, so all that is there has one owner: whoever came before the first apply.
    const empty = versionedLive(resource, undefined);
    update(empty, before, owners, resource, 'before-first-apply', input.now, rules);
  }
  const outcome = attempt(input, before, config, owners, rules);
  if (outcome.kind === 'conflict') return outcome;
  const restored = restoreApplied(outcome.object, applied, resource.schema);
  if ('error' in restored) {
    throw new PatchError(
      'schema',
      `failed to convert new object (${about}) to proper version: unable to convert unstructured object to ${typeText(resource.apiVersion, resource.kind)}: ${restored.error}`,
    );
  }
  return { kind: 'merged', object: cloneJson(restored.value) };
}

/** Only what was applied can misfit: the rest was typed before. */
function restoreApplied(merged: JsonObject, applied: JsonObject, schema: StructSchema | undefined): Restored {
  if (schema === undefined) return { value: merged };
  const restored = restoreTyped(applied, schema);
  return 'value' in restored && restored.value === applied ? { value: merged } : restoreTyped(merged, schema);
}

function attempt(input: ApplyInput, before: Versioned, config: Versioned, owners: Owners, rules: Rules): Applied {
  const { resource, manager, force } = input;
  const self = ownerOf(resource, manager, 'Apply');
  const key = ownerKey(self);
  const run = (forced: boolean): Applied => {
    const after = new Map(owners);
    const last = after.get(key);
    const merged = trackApply(before, config, after, key, self, forced, rules);
    const set = difference(after.get(key)?.set ?? emptySet, unowned);
    // Only an apply that changes the object moves the time; one that changes owners alone leaves it.
    const time = merged === undefined ? last?.time : timeText(input.now);
    if (isEmptySet(set)) after.delete(key);
    else if (last !== undefined && equalSets(last.set, set)) after.set(key, { ...last, ...self, set: last.set, time });
    else after.set(key, { ...self, set, time });
    return { kind: 'merged', object: finish(merged ?? before.value, after, input) };
  };
  try {
    return run(force);
  } catch (e) {
    if (!(e instanceof ConflictError)) throw e;
    if (manager !== 'kubectl') return { kind: 'conflict', conflict: conflictOf(e) };
    // kubectl moving from client-side to server-side apply: what its annotation says it applied, and is so still, is no conflict.
    const allowed = pathsFromLastApplied(before);
    if (allowed === undefined) return { kind: 'conflict', conflict: conflictOf(e) };
    const remaining = withoutPaths(e, allowed);
    return remaining === undefined ? run(true) : { kind: 'conflict', conflict: remaining };
  }
}

/** The merged object with its entries, and for kubectl with its annotation kept up. Everything else is shared. */
function finish(merged: JsonObject, owners: Owners, input: ApplyInput): JsonObject {
  const entries = encodeOwners(owners);
  const old = getOwn(merged, 'metadata');
  const metadata: JsonObject = isObject(old) ? { ...old } : {};
  if (entries !== undefined) metadata['managedFields'] = entries;
  const annotations = input.manager === 'kubectl' ? annotationAfterApply(merged, input.applied) : undefined;
  if (annotations !== undefined) metadata['annotations'] = annotations;
  const object: JsonObject = { ...merged };
  if (isObject(old) || Object.keys(metadata).length > 0) object['metadata'] = metadata;
  object['apiVersion'] = input.resource.apiVersion;
  object['kind'] = input.resource.kind;
  return object;
}

/** Group, version and kind as sentences name them: `apps/v1, Kind=Deployment`, `/v1, Kind=Pod`. */
function typeText(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`;
}

function typeOf(o: JsonObject): string {
  const apiVersion = textOr(getOwn(o, 'apiVersion'));
  const kind = textOr(getOwn(o, 'kind'));
  // What is no group and version is no type at all.
  return apiVersion.split('/').length > 2 ? typeText('', '') : typeText(apiVersion, kind);
}

function nameOf(o: JsonObject): string {
  const metadata = getOwn(o, 'metadata');
  const m = isObject(metadata) ? metadata : {};
  return `${textOr(getOwn(m, 'namespace'))}/${textOr(getOwn(m, 'name'))}`;
}

function textOr(v: JsonValue | undefined): string {
  return typeof v === 'string' ? v : '';
}

/** Why entries of a client cannot be taken (what an admission plugin left behind, say); undefined when they can. */
export function managedFieldsError(object: JsonObject): string | undefined {
  try {
    decodeOwners(managedFieldsOf(object));
    return undefined;
  } catch (e) {
    return e instanceof Error ? e.message : 'unreadable';
  }
}
