import { equalJson, type JsonObject } from '../../api/index.js';
import type { Steps } from '../../base/index.js';
import type { Schema } from '../../schema/index.js';
import { type Comparison, compareSteps } from './compare.js';
import {
  difference,
  emptySet,
  type FieldSet,
  intersection,
  isEmptySet,
  recursiveDifference,
  union,
  withNamedFields,
} from './field-set.js';
import { type Owner, type Owners, withSet } from './managed.js';
import { mergeObjects } from './merge.js';
import { reconcileSet } from './reconcile.js';
import { removeFields } from './remove.js';
import { fieldsOf } from './to-set.js';

/** An object in one API version. */
export interface Versioned {
  readonly value: JsonObject;
  readonly schema: Schema;
  readonly apiVersion: string;
}

/**
 * Converts the object to another version of its kind; returns undefined if that version no longer exists. Throws PatchError of kind `schema` if
 * the object does not have the type of that version; its message begins with `failure`.
 */
export type Convert = (o: Versioned, apiVersion: string, failure: string) => Versioned | undefined;

/** The fields that an owner loses or would lose by this write. */
export type Conflicts = Map<string, FieldSet>;

export class ConflictError extends Error {
  readonly conflicts: Conflicts;
  readonly owners: Owners;
  constructor(conflicts: Conflicts, owners: Owners) {
    super('apply conflict');
    this.conflicts = conflicts;
    this.owners = owners;
  }
}

/** Converts at most once per object and version. */
class Versions {
  readonly #convert: Convert;
  #known: Map<JsonObject, Map<string, Versioned | undefined>> | undefined;

  constructor(convert: Convert) {
    this.#convert = convert;
  }

  at(o: Versioned, apiVersion: string, failure = ''): Versioned | undefined {
    if (o.apiVersion === apiVersion) return o;
    this.#known ??= new Map();
    let byVersion = this.#known.get(o.value);
    if (byVersion === undefined) {
      byVersion = new Map();
      this.#known.set(o.value, byVersion);
    }
    if (!byVersion.has(apiVersion)) byVersion.set(apiVersion, this.#convert(o, apiVersion, failure));
    return byVersion.get(apiVersion);
  }
}

export interface Rules {
  readonly convert: Convert;
  /** Fields that requests to the resource or subresource cannot set, in a version: they have no owner and never conflict. */
  ignored(apiVersion: string): FieldSet;
}

/**
 * Returns the changes of an update from `live` to `next`, and removes the changed fields from all owners. The caller adds the gained fields
 * to the manager of the update. `owners` is changed.
 */
export function* trackUpdate(live: Versioned, next: Versioned, owners: Owners, rules: Rules): Steps<FieldSet> {
  const versions = new Versions(rules.convert);
  yield* reconcileOwners(live, owners, versions);
  const comparer = new Comparer(live, next, rules, versions);
  yield* moveOwnership(owners, undefined, comparer, true);
  const comparison = yield* comparer.at(next.apiVersion);
  yield;
  return comparison === undefined ? emptySet : union(comparison.modified, comparison.added);
}

/**
 * Merges `applied` into `live`. Fields that the manager applied before and omits now are removed unless another manager
 * owns them. `owners` is changed; the entry of the applier has all applied fields. Throws ConflictError unless forced.
 *
 * Returns the merged object, or undefined if it equals the live one.
 */
export function* trackApply(
  live: Versioned,
  applied: Versioned,
  owners: Owners,
  selfKey: string,
  self: Owner,
  force: boolean,
  rules: Rules,
): Steps<JsonObject | undefined> {
  const versions = new Versions(rules.convert);
  yield* reconcileOwners(live, owners, versions);
  const last = owners.get(selfKey);
  const fields = fieldsOf(applied.value, applied.schema);
  yield;
  const set = recursiveDifference(fields, rules.ignored(applied.apiVersion));
  owners.set(selfKey, { ...self, set });
  yield;
  const merged: Versioned = { ...applied, value: mergeObjects(live.value, applied.value, applied.schema) };
  yield;
  const next = yield* prune(merged, owners, last, versions);
  yield;
  yield* moveOwnership(owners, selfKey, new Comparer(live, next, rules, versions), force);
  yield;
  return equalJson(live.value, next.value) ? undefined : next.value;
}

function* reconcileOwners(live: Versioned, owners: Owners, versions: Versions): Steps<void> {
  for (const [key, owner] of owners) {
    const at = versions.at(live, owner.apiVersion);
    // The version no longer exists, so the entry is dropped.
    if (at === undefined) owners.delete(key);
    else owners.set(key, withSet(owner, reconcileSet(owner.set, at.schema)));
    yield;
  }
}

/** Compares two objects in the versions of owners, at most once for each. */
class Comparer {
  readonly #live: Versioned;
  readonly #next: Versioned;
  readonly #rules: Rules;
  readonly #versions: Versions;
  readonly #known = new Map<string, Comparison>();

  constructor(live: Versioned, next: Versioned, rules: Rules, versions: Versions) {
    this.#live = live;
    this.#next = next;
    this.#rules = rules;
    this.#versions = versions;
  }

  /** Undefined if one of the objects cannot be converted to the version. */
  *at(apiVersion: string): Steps<Comparison | undefined> {
    const known = this.#known.get(apiVersion);
    if (known !== undefined) return known;
    const before = this.#versions.at(this.#live, apiVersion, 'failed to convert old object: ');
    const after = this.#versions.at(this.#next, apiVersion, 'failed to convert new object: ');
    if (before === undefined || after === undefined) return undefined;
    const comparison = yield* compareSteps(before.value, after.value, after.schema, this.#rules.ignored(apiVersion));
    yield;
    this.#known.set(apiVersion, comparison);
    return comparison;
  }
}

/** Removes the changed and removed fields from all other owners, and drops owners without fields. */
function* moveOwnership(owners: Owners, selfKey: string | undefined, comparer: Comparer, force: boolean): Steps<void> {
  const conflicts: Conflicts = new Map();
  const losses: [key: string, owner: Owner, comparison: Comparison][] = [];
  for (const [key, owner] of owners) {
    if (key === selfKey) continue;
    const comparison = yield* comparer.at(owner.apiVersion);
    if (comparison === undefined) {
      owners.delete(key);
      continue;
    }
    losses.push([key, owner, comparison]);
    const touched = intersection(owner.set, union(comparison.modified, comparison.added));
    if (!isEmptySet(touched)) conflicts.set(key, touched);
    yield;
  }
  if (!force && conflicts.size > 0) throw new ConflictError(conflicts, owners);
  for (const [key, owner, comparison] of losses) {
    const taken = conflicts.get(key);
    const kept = difference(taken === undefined ? owner.set : difference(owner.set, taken), comparison.removed);
    owners.set(key, withSet(owner, kept));
    yield;
  }
  for (const [key, owner] of owners) if (isEmptySet(owner.set)) owners.delete(key);
}

/**
 * Removes the fields that the manager applied last time and no manager owns now.
 *
 * Removing an item removes all its fields. Fields of other owners are then restored, and so are fields without an owner
 * that the manager never applied (such as defaults).
 */
function* prune(merged: Versioned, owners: Owners, last: Owner | undefined, versions: Versions): Steps<Versioned> {
  if (last === undefined || isEmptySet(last.set)) return merged;
  const then = versions.at(
    merged,
    last.apiVersion,
    'failed to prune fields: failed to convert merged object to last applied version: ',
  );
  if (then === undefined) return merged;
  const owned = new Map<string, FieldSet>();
  for (const owner of owners.values()) {
    owned.set(owner.apiVersion, union(owned.get(owner.apiVersion) ?? emptySet, owner.set));
    yield;
  }
  // The common case: everything applied before still has an owner, so nothing is removed.
  if (isEmptySet(difference(last.set, owned.get(then.apiVersion) ?? emptySet))) return merged;

  yield;
  const lastNamed = withNamedFields(last.set, then.schema);
  yield;
  const all = namedFieldsOf(then);
  yield;
  let pruned: Versioned = { ...then, value: removeFields(then.value, lastNamed, then.schema) };
  // Start with the pruned version, because a conversion may need the fields that others own in it.
  const order = [...owned.keys()].sort((a, b) => Number(b === then.apiVersion) - Number(a === then.apiVersion));
  let whole = then;
  for (const apiVersion of order) {
    const failure = 'failed to prune fields: failed add back owned items: failed to convert';
    const wholeAt = versions.at(whole, apiVersion, `${failure} merged object at version ${apiVersion}: `);
    const prunedAt = versions.at(pruned, apiVersion, `${failure} pruned object at version ${apiVersion}: `);
    if (wholeAt === undefined || prunedAt === undefined) continue;
    yield;
    const kept = union(namedFieldsOf(prunedAt), withNamedFields(owned.get(apiVersion)!, wholeAt.schema));
    yield;
    pruned = without(wholeAt, difference(wholeAt === then ? all : namedFieldsOf(wholeAt), kept));
    whole = wholeAt;
  }
  const prunedThen = versions.at(pruned, then.apiVersion);
  if (prunedThen === undefined) return merged;
  yield;
  const gone = intersection(difference(all, namedFieldsOf(prunedThen)), lastNamed);
  yield;
  const result = without(then, gone);
  return versions.at(result, merged.apiVersion, 'failed to prune fields: ') ?? merged;
}

function namedFieldsOf(o: Versioned): FieldSet {
  return withNamedFields(fieldsOf(o.value, o.schema), o.schema);
}

function without(o: Versioned, gone: FieldSet): Versioned {
  return { ...o, value: removeFields(o.value, gone, o.schema) };
}
