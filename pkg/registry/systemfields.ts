import {
  type ApiError,
  equalJson,
  errors,
  FieldErrors,
  FieldPath,
  formatTime,
  isObject,
  JsonCounter,
  type JsonObject,
  type JsonValue,
  parseApiVersion,
  pathSegmentName,
  subdomainName,
} from '../api/index.js';
import type { Steps, World } from '../base/index.js';
import type { StoredObject } from '../cache/index.js';
import { equalBy, type StructSchema } from '../schema/index.js';
import { conflict } from './core.js';
import { limits } from './limits.js';
import { badVersion } from './listoptions.js';
import { metaOf, strings, text, validateFinalizerNames, validateMeta, validateMetaUpdate } from './meta.js';
import type { RequestContext, Target } from './requests.js';
import type { CompatibilityRules, Strategy } from './resource.js';

/** Metadata that the server sets on create and keeps on update. */

/** Owner references that are looked at in one piece. */
const OWNERS_AT_ONCE = 250;

const METADATA = FieldPath.of('metadata');

/** Sets the namespace of the request; a body with another namespace is refused. */
export function placeInNamespace(object: JsonObject, target: Target): void {
  const meta = metaOf(object);
  const namespace = text(meta, 'namespace');
  if (target.namespace === '') delete meta['namespace'];
  else if (namespace === '') meta['namespace'] = target.namespace;
  else if (namespace !== target.namespace)
    throw errors.badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/** The name in the body must be the one in the URL. */
export function checkName(object: JsonObject, name: string): void {
  const given = text(metaOf(object), 'name');
  if (given === '')
    throw errors.badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (given !== name)
    throw errors.badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
}

/** Removes duplicate owner references, with a warning. kube-apiserver does it late for a patch, and says so. */
export function* dropDuplicateOwners(object: JsonObject, context: RequestContext, patched = false): Steps<void> {
  const meta = metaOf(object);
  const owners = meta['ownerReferences'];
  if (!Array.isArray(owners) || owners.length < 2) return;
  const kept: JsonValue[] = [];
  const seen = new JsonCounter();
  const repeated: string[] = [];
  for (const [i, owner] of owners.entries()) {
    if (i % OWNERS_AT_ONCE === OWNERS_AT_ONCE - 1) yield;
    if (seen.add(owner) === 0) kept.push(owner);
    else if (isObject(owner)) repeated.push(text(owner, 'uid'));
  }
  if (repeated.length === 0) return;
  meta['ownerReferences'] = kept;
  context.warn(
    `.metadata.ownerReferences contains duplicate entries${patched ? ' after mutating admission happens' : ''}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`,
  );
}

/** Refuses a resourceVersion in a valid POST; a PUT or an apply that creates ignores it. */
export function checkUnversioned(version: string): void {
  if (version !== '' && badVersion(version) === undefined && BigInt(version) !== 0n)
    throw errors.badRequest('resourceVersion should not be set on objects to be created');
}

const NOT_CHOSEN = ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'] as const;

/** Removes the metadata of an object that is not stored and that a client may not choose. */
export function clearSystemFields(object: JsonObject): void {
  const meta = metaOf(object);
  // Deleting a member, even an absent one, is a slow operation.
  for (const field of NOT_CHOSEN) if (meta[field] !== undefined) delete meta[field];
}

/** Sets the metadata of a new object that a client may not choose. Mutating admission has run: it sees no uid, and cannot choose one. */
export function fillSystemFields(object: JsonObject, world: World): void {
  clearSystemFields(object);
  const meta = metaOf(object);
  meta['uid'] = world.random.uuid();
  meta['creationTimestamp'] = formatTime(world.clock.now());
}

const NAME_CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;

/** Appends five random characters to a generateName, from an alphabet without vowels. */
export function generatedName(base: string, world: World): string {
  let suffix = '';
  for (const byte of world.random.bytes(SUFFIX_LENGTH)) suffix += NAME_CHARACTERS[byte % NAME_CHARACTERS.length];
  return base.slice(0, limits.generatedNameBaseMax) + suffix;
}

export function firstGeneration(object: JsonObject, strategy: Strategy): void {
  if (strategy.update?.generation !== 'none' && strategy.create?.keepsGeneration !== true)
    metaOf(object)['generation'] = 1;
}

export function validateNewMeta(object: JsonObject, target: Target, found: FieldErrors): void {
  const { namespaced, strategy } = target.resource;
  const meta = metaOf(object);
  const rule = strategy.create?.validateName ?? subdomainName;
  const nameRule = (name: string, isPrefix: boolean): readonly string[] => rule(name, isPrefix, object);
  validateMeta(meta, { namespaced, nameRule }, METADATA, found);
  if (strategy.compatibility?.anyFinalizers !== true) validateFinalizerNames(meta, METADATA, found);
}

/** `validateNewMeta` for a kind whose own rules come first. */
export function newMetaErrors(object: JsonObject, target: Target): FieldErrors {
  const found = new FieldErrors();
  validateNewMeta(object, target, found);
  return found;
}

/** The rule of every kind, which follows those of the kind: a generateName fits into a path. */
export function generateNameErrors(object: JsonObject): FieldErrors {
  const found = new FieldErrors();
  const generateName = text(metaOf(object), 'generateName');
  for (const s of pathSegmentName(generateName, true)) found.invalid(METADATA.child('generateName'), generateName, s);
  return found;
}

/** Refuses a text that is not a resource version: for kube-apiserver, which parses it when it writes, this is an error of the server. */
export function checkVersionText(given: string): void {
  const bad = given === '' ? undefined : badVersion(given);
  if (bad !== undefined) throw errors.badRequest(bad);
}

/** Checks the resourceVersion of an update. '' and '0' match any version if the kind allows unconditional updates. */
export function checkVersion(object: JsonObject, stored: StoredObject, target: Target, strategy: Strategy): void {
  const meta = metaOf(object);
  const given = text(meta, 'resourceVersion');
  const { groupResource } = target.resource;
  checkVersionText(given);
  const any = given === '' || BigInt(given) === 0n;
  if (any && !mayOverwrite(target, strategy)) throw versionRequired(target, text(meta, 'name'));
  if (!any && given !== String(stored.revision)) throw conflict(groupResource, stored.name);
}

/** Whether an update without a resourceVersion overwrites. */
function mayOverwrite({ resource }: Target, { update }: Strategy): boolean {
  const { allowUnconditional = true } = update ?? {};
  if (typeof allowUnconditional === 'boolean') return allowUnconditional;
  return allowUnconditional(parseApiVersion(resource.apiVersion)?.version ?? '');
}

/** Checks the resourceVersion of an update, and replaces it by the current one. */
export function settleVersion(object: JsonObject, stored: StoredObject, target: Target, strategy: Strategy): void {
  checkVersion(object, stored, target, strategy);
  metaOf(object)['resourceVersion'] = String(stored.revision);
}

function versionRequired(target: Target, name: string): ApiError {
  // kube-apiserver reports the resource as the kind here.
  const { group, resource } = target.resource;
  return errors.invalid({ group, kind: resource }, name, [
    {
      type: 'FieldValueInvalid',
      field: 'metadata.resourceVersion',
      message: 'Invalid value: 0: must be specified for an update',
    },
  ]);
}

/** The object at `key`, as a precondition sees it. */
export interface Precondition {
  readonly key: string;
  /** '' if there is no object. */
  readonly uid: string;
  readonly dryRun: boolean;
}

/** Refuses a body with a uid other than that of the stored object: it refers to a deleted object. */
export function checkUid(object: JsonObject, { key, uid, dryRun }: Precondition, target: Target): void {
  const meta = metaOf(object);
  const given = text(meta, 'uid');
  if (given === '' || given === uid) return;
  throw errors.conflict(
    target.resource.groupResource,
    text(meta, 'name'),
    invalidObject(
      shownKey(key, dryRun),
      `Precondition failed: UID in precondition: ${given}, UID in object meta: ${uid}`,
    ),
  );
}

const ROOT = '/registry';

/** A dry run does not reach the store, which adds the root to the keys that errors show. */
export const shownKey = (key: string, dryRun: boolean): string => (dryRun ? key.slice(ROOT.length) : key);

/** The message of kube-apiserver's store for a failed precondition. */
export function invalidObject(key: string, why: string): string {
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`;
}

/** Keeps metadata of the old object that an update cannot change. */
export function carryOver(meta: JsonObject, old: JsonObject): void {
  delete meta['selfLink'];
  if (text(meta, 'uid') === '' && old['uid'] !== undefined) meta['uid'] = old['uid'];
  if (old['creationTimestamp'] !== undefined) meta['creationTimestamp'] = old['creationTimestamp'];
  if (old['deletionTimestamp'] !== undefined) meta['deletionTimestamp'] = old['deletionTimestamp'];
  if (old['deletionGracePeriodSeconds'] !== undefined && meta['deletionGracePeriodSeconds'] === undefined)
    meta['deletionGracePeriodSeconds'] = old['deletionGracePeriodSeconds'];
}

export function keepGeneration(meta: JsonObject, old: JsonObject): void {
  if (old['generation'] === undefined) delete meta['generation'];
  else meta['generation'] = old['generation'];
}

/** Whether the desired state changes; changes of metadata and status do not count. */
export function raisesGeneration(
  object: JsonObject,
  old: JsonObject,
  { strategy, schema }: { readonly strategy: Strategy; readonly schema: StructSchema },
): boolean {
  const generation = strategy.update?.generation;
  if (generation === 'none') return false;
  if (typeof generation === 'function') return generation(object, old);
  const differs = (field: string): boolean => {
    const declared = schema.byName.get(field);
    const [a, b] = [object[field], old[field]];
    return !(declared === undefined ? equalJson(a, b) : equalBy(declared.schema, a, b));
  };
  return generation === 'spec' ? differs('spec') : wanted(object, old).some(differs);
}

export function raiseGeneration(object: JsonObject, old: JsonObject): void {
  const before = metaOf(old)['generation'];
  metaOf(object)['generation'] = (typeof before === 'number' ? before : 0) + 1;
}

const NOT_WANTED: ReadonlySet<string> = new Set(['metadata', 'status', 'kind', 'apiVersion']);

/** The fields of either object that are neither metadata nor status. */
function wanted(a: JsonObject, b: JsonObject): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => !NOT_WANTED.has(key));
}

/** Applies the rules of metadata for an update. `addDeclarative` removes duplicate errors. */
export function validateChangedMeta(object: JsonObject, old: JsonObject, target: Target, found: FieldErrors): void {
  const { namespaced } = target.resource;
  const rules = updateCompatibility(target);
  const meta = metaOf(object);
  validateMeta(meta, { namespaced, nameRule: pathSegmentName }, METADATA, found);
  validateMetaUpdate(meta, metaOf(old), METADATA, found);
  // First the rules of every kind, and then those of this kind, which contain them.
  if (target.resource.strategy.compatibility?.repeatsErrors) validateMetaUpdate(meta, metaOf(old), METADATA, found);
  // A valid update that keeps the name and has no generateName also passes the rules of create.
  const passes = found.empty && sameName(meta, metaOf(old)) && text(meta, 'generateName') === '';
  const { checksUpdateLikeNew = false } = rules ?? {};
  const likeNew = checksUpdateLikeNew === 'always' || (checksUpdateLikeNew && !passes);
  // The rules of create contain this one, after that for names.
  if (!likeNew && !rules?.anyFinalizers) validateFinalizerNames(meta, METADATA, found);
  if (target.kind === 'object') target.rules.update?.validateChange?.(object, old, found);
  if (likeNew) validateNewMeta(object, target, found);
}

/** The rules of a status are its own; about finalizers it follows the object unless it states its own. */
function updateCompatibility(target: Target): CompatibilityRules | undefined {
  const { compatibility } = target.resource.strategy;
  if (target.kind !== 'status') return compatibility;
  return { anyFinalizers: compatibility?.anyFinalizers ?? false, ...target.rules.compatibility };
}

const sameName = (meta: JsonObject, old: JsonObject): boolean => meta['name'] === old['name'];

/** Reports whether this update deletes an object: its deletion is pending, the grace period is over and nothing prevents the removal. */
export function isGone(object: JsonObject, old: JsonObject, strategy: Strategy): boolean {
  const before = metaOf(old);
  const grace = before['deletionGracePeriodSeconds'];
  return (
    before['deletionTimestamp'] !== undefined &&
    (grace === undefined || grace === 0) &&
    strings(metaOf(object), 'finalizers').length === 0 &&
    strategy.deletion?.blocked?.(object) !== true
  );
}
