import {
  equalJson,
  getOwn,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  setOwn,
} from '../../api/index.js';
import { finish, type Steps } from '../../base/index.js';
import { type StructSchema, zeroObject } from '../../schema/index.js';
import { PatchError } from '../errors.js';
import { updateManagersMax } from '../limits.js';
import { checkNesting } from '../nesting.js';
import { type Restored, restoreTyped, typedCopy } from '../unstructured.js';
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
import { hasUnidentifiedItem } from './unidentified.js';
import { ConflictError, type Convert, type Rules, trackApply, trackUpdate, type Versioned } from './update.js';
import { typeErrors } from './validate.js';

type ResetFields = readonly (readonly string[])[];

/** The properties of a resource in one version, or of one of its subresources. */
export interface TrackedResource {
  /** The schema of the requested version; undefined for a custom resource without a schema. */
  readonly schema: StructSchema | undefined;
  readonly apiVersion: string;
  readonly kind: string;
  /** '' for the object itself. */
  readonly subresource: string;
  /**
   * Fields that this resource or subresource resets, as `[['status'], ['metadata', 'labels']]`; requests to it never
   * own them, nor take them from owners: in all versions, or in that of an owner.
   */
  readonly resetFields?: ResetFields | ((apiVersion: string) => ResetFields);
  /**
   * Converts the object to another version, for entries of that version; undefined if the version no longer exists. If
   * absent, the kind has one version, and entries of other versions are dropped.
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
  /** The object to be written, decoded and defaulted, before admission. */
  readonly object: JsonObject;
  readonly manager: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface ApplyInput {
  readonly resource: TrackedResource;
  readonly live: JsonObject | undefined;
  /** As the client sent it: neither decoded nor defaulted. */
  readonly applied: JsonObject;
  readonly manager: string;
  readonly force: boolean;
  readonly now: number;
}

export type Applied =
  /**
   * The merged object. It shares nothing with `live` or `applied`, so it may be decoded and changed in place. It is not
   * decoded yet: a container that lost its last field is null. `changed`: a field differs from the live object, not only its owners.
   */
  | { readonly kind: 'merged'; readonly object: JsonObject; readonly changed: boolean }
  | { readonly kind: 'conflict'; readonly conflict: ApplyConflict };

/** Fields without an owner: the type, and the metadata that the server sets. */
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
 * Sets `object.metadata.managedFields` after a create or update: the manager owns the fields that it changed, and other
 * managers lose them. Only `object` is changed.
 *
 * The entries of the request are used (a client may edit them), or the live ones if the request has none, has invalid ones,
 * or goes to a subresource. `[{}]` removes all entries; the manager then owns the other changes of the request. An empty list
 * does not remove entries, because clients that do not know the field may send one.
 *
 * An object without entries (stored before field tracking, or reset) has none until the first apply.
 */
export function updateManagedFields(input: UpdateInput): void {
  finish(managedFieldsSteps(input));
}

/** `updateManagedFields` in steps. Only the last one changes the object. */
export function* managedFieldsSteps(input: UpdateInput): Steps<void> {
  const { resource, live, object } = input;
  const sent = managedFieldsOf(object);
  const reset = resource.subresource === '' && isReset(sent);
  let owners: Owners | undefined;
  if (reset) owners = new Map();
  else {
    const kept = live === undefined ? undefined : managedFieldsOf(live);
    // Most requests have the stored entries, for example patches that do not change them. Those need no validation.
    if (resource.subresource === '' && sent !== undefined && sent.length > 0 && !equalJson(sent, kept))
      owners = tryDecodeOwners(sent, false);
    if (owners === undefined || owners.size === 0) {
      owners = (kept === undefined ? undefined : tryDecodeOwners(kept, true)) ?? new Map();
    }
  }
  if (owners.size > 0 || live === undefined || reset) {
    const before = versionedLive(resource, live);
    const next = versioned(resource, withoutManagedFields(object));
    // The owners stay as they are if one of the objects cannot be tracked, be it in the version of an owner.
    if (![before, next].some((o) => trackingProblem(o) !== undefined)) {
      const changed = new Map(owners);
      try {
        yield* update(before, next, changed, resource, input.manager, input.now, rulesOf(resource));
        owners = changed;
      } catch (e) {
        if (!(e instanceof PatchError)) throw e;
      }
    }
  }
  yield;
  setManagedFields(object, yield* encodeOwners(owners));
}

/**
 * Why the fields of an object cannot be tracked; undefined if they can. A built-in object only has items without an identity; a custom
 * resource may have values of other types since its schema changed.
 */
function trackingProblem({ value, schema }: Versioned): string | undefined {
  const isCustom = schema.kind === 'struct' && schema.embeddedResource;
  return isCustom || hasUnidentifiedItem(value, schema) ? typeErrors(value, schema, true) : undefined;
}

/** Whether the list has one entry, which is empty. */
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

/** Creating an object does not add the fields that are always written. */
function versionedLive(resource: TrackedResource, live: JsonObject | undefined): Versioned {
  if (live !== undefined) return versioned(resource, withoutManagedFields(live));
  return versioned(resource, resource.schema === undefined ? {} : zeroObject(resource.schema));
}

const noFields: ResetFields = [];
const ignoredSets = new WeakMap<ResetFields, FieldSet>();

function ignoredSet(fields: ResetFields): FieldSet {
  let ignored = ignoredSets.get(fields);
  if (ignored === undefined) {
    ignored = setOfNames(fields);
    ignoredSets.set(fields, ignored);
  }
  return ignored;
}

function rulesOf(resource: TrackedResource): Rules {
  const { resetFields = noFields } = resource;
  const ignored: Rules['ignored'] = (apiVersion) =>
    ignoredSet(typeof resetFields === 'function' ? resetFields(apiVersion) : resetFields);
  const convert: Convert = (o, apiVersion, failure) => {
    const converted = resource.convert?.(o.value, o.apiVersion, apiVersion);
    if (converted === undefined) return undefined;
    const found = { value: converted.object, schema: converted.schema ?? deduced, apiVersion };
    const problem = trackingProblem(found);
    if (problem !== undefined) throw new PatchError('schema', `${failure}${problem}`);
    return found;
  };
  return { convert, ignored };
}

function* update(
  live: Versioned,
  next: Versioned,
  owners: Owners,
  resource: TrackedResource,
  manager: string,
  now: number,
  rules: Rules,
): Steps<void> {
  const changed = yield* trackUpdate(live, next, owners, rules);
  yield;
  const gained = difference(changed, unowned);
  if (!isEmptySet(gained)) {
    const self = ownerOf(resource, manager, 'Update');
    const key = ownerKey(self);
    const before = owners.get(key);
    const set = union(gained, before?.set ?? emptySet);
    owners.set(key, { ...self, set, time: timeText(now), source: before?.source });
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
 * Merges an applied configuration into the live object (an empty one for a create) and sets managedFields. It changes
 * neither argument.
 *
 * Throws PatchError: `badRequest` if the type or version differs from the resource's or the configuration has
 * managedFields, `schema` if the configuration does not match the schema.
 */
export function applyObject(input: ApplyInput): Applied {
  return finish(applySteps(input));
}

/** `applyObject` in steps. */
export function* applySteps(input: ApplyInput): Steps<Applied> {
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

  yield;
  const owners = live === undefined ? new Map() : (tryDecodeOwners(managedFieldsOf(live), true) ?? new Map());
  const rules = rulesOf(resource);
  const before = versionedLive(resource, live);
  const problem = trackingProblem(before);
  if (problem !== undefined) {
    throw new PatchError('schema', `failed to create typed live object (${nameOf(before.value)}; ${type}): ${problem}`);
  }
  if (owners.size === 0 && live !== undefined) {
    // No owner is recorded, so all existing fields get one owner: the manager before the first apply.
    const empty = versionedLive(resource, undefined);
    yield* update(empty, before, owners, resource, 'before-first-apply', input.now, rules);
  }
  yield;
  const outcome = yield* attempt(input, before, config, owners, rules);
  if (outcome.kind === 'conflict') return outcome;
  yield;
  const restored = restoreApplied(outcome.object, applied, resource.schema);
  if ('error' in restored) {
    throw new PatchError(
      'schema',
      `failed to convert new object (${about}) to proper version: unable to convert unstructured object to ${typeText(resource.apiVersion, resource.kind)}: ${restored.error}`,
    );
  }
  yield;
  return { ...outcome, object: typedCopy(restored.value, resource.schema) };
}

/**
 * Only the applied part can be invalid: the rest was decoded before. A custom resource, an embedded one at its root, has no
 * type in Go: validation checks its values.
 */
function restoreApplied(merged: JsonObject, applied: JsonObject, schema: StructSchema | undefined): Restored {
  if (schema === undefined || schema.embeddedResource) return { value: merged };
  const restored = restoreTyped(applied, schema);
  return 'value' in restored && restored.value === applied ? { value: merged } : restoreTyped(merged, schema);
}

function* attempt(
  input: ApplyInput,
  before: Versioned,
  config: Versioned,
  owners: Owners,
  rules: Rules,
): Steps<Applied> {
  const { resource, manager, force } = input;
  const self = ownerOf(resource, manager, 'Apply');
  const key = ownerKey(self);
  const run = function* (forced: boolean): Steps<Applied> {
    const after = new Map(owners);
    const last = after.get(key);
    const merged = yield* trackApply(before, config, after, key, self, forced, rules);
    const set = difference(after.get(key)?.set ?? emptySet, unowned);
    // Only an apply that changes the object updates the time; one that only changes owners does not.
    const time = merged === undefined ? last?.time : timeText(input.now);
    if (isEmptySet(set)) after.delete(key);
    else if (last !== undefined && equalSets(last.set, set)) after.set(key, { ...last, ...self, set: last.set, time });
    else after.set(key, { ...self, set, time });
    yield;
    const object = yield* withOwners(merged ?? before.value, after, input);
    return { kind: 'merged', object, changed: merged !== undefined };
  };
  try {
    return yield* run(force);
  } catch (e) {
    if (!(e instanceof ConflictError)) throw e;
    if (manager !== 'kubectl') return { kind: 'conflict', conflict: conflictOf(e) };
    // kubectl changes from client-side to server-side apply: fields that still have the value in its annotation do not
    // conflict.
    const allowed = pathsFromLastApplied(before);
    if (allowed === undefined) return { kind: 'conflict', conflict: conflictOf(e) };
    const remaining = withoutPaths(e, allowed);
    return remaining === undefined ? yield* run(true) : { kind: 'conflict', conflict: remaining };
  }
}

/**
 * Returns the merged object with its entries, and for kubectl with an updated annotation. It shares everything else.
 */
function* withOwners(merged: JsonObject, owners: Owners, input: ApplyInput): Steps<JsonObject> {
  const entries = yield* encodeOwners(owners);
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

/** Formats group, version and kind as in error messages: `apps/v1, Kind=Deployment`, `/v1, Kind=Pod`. */
function typeText(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`;
}

function typeOf(o: JsonObject): string {
  const apiVersion = textOr(getOwn(o, 'apiVersion'));
  const kind = textOr(getOwn(o, 'kind'));
  // A text that is not a group and version gives an empty type.
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

/**
 * Returns why the managedFields of a request are invalid (for example after an admission plugin changed them);
 * undefined if they are valid.
 */
export function managedFieldsError(object: JsonObject): string | undefined {
  try {
    decodeOwners(managedFieldsOf(object));
    return undefined;
  } catch (e) {
    return e instanceof Error ? e.message : 'unreadable';
  }
}
