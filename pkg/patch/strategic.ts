import {
  getOwn,
  goFormat,
  goQuote,
  goStringVerb,
  goTypeName,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  setOwn,
} from '../api/index.js';
import type { Schema, StructSchema } from '../schema/index.js';
import { PatchError } from './errors.js';
import { jsonTypeName, shallow } from './json-patch.js';
import { type ListRules, mergeList, orderList, withoutDirectives } from './strategic-lists.js';

/**
 * Strategic merge patch: a merge patch whose lists merge by the rules of the schema (`patchStrategy`, `patchMergeKey`) and
 * which carries directives:
 *
 * - `$patch: replace | delete` in a map: the patch map replaces the map, or the map becomes empty; in a list of maps:
 *   the list is replaced, or the entry with that merge key is removed. `merge` is the default and is refused.
 * - `$retainKeys: [...]`: other keys of the map are removed.
 * - `$deleteFromPrimitiveList/<list>: [...]`: these values are removed from a list of primitives.
 * - `$setElementOrder/<list>: [...]`: the order of the merged list; other live entries keep their order.
 *
 * Example: live `env: [A, B, C]`, patch `env: [{name: B, ..}, {name: Z, ..}]` gives `A B Z C`: entries of the patch in its order,
 * live-only ones before the first patch entry that followed them in the live list.
 */

const directiveMarker = '$patch';
const retainKeysMarker = '$retainKeys';
const deleteListPrefix = '$deleteFromPrimitiveList';
const elementOrderPrefix = '$setElementOrder';

/**
 * Applies a strategic merge patch. Neither argument is changed; unchanged parts are shared. Throws `badRequest`,
 * `rejected` and `malformed`. Values of a wrong type (a map instead of a list) are not checked here: `restoreTyped`
 * finds them.
 */
export function applyStrategicMergePatch(current: JsonObject, patch: JsonValue, schema: StructSchema): JsonObject {
  if (patch === null) return current;
  if (!isObject(patch)) {
    throw new PatchError(
      'badRequest',
      `json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type map[string]interface {}`,
    );
  }
  return mergeMap(current, patch, schema);
}

/** Merges one map of the patch into the live one; also used for two list entries with one merge key. */
function mergeMap(original: JsonObject, patch: JsonObject, schema: Schema): JsonObject {
  const directive = getOwn(patch, directiveMarker);
  if (directive !== undefined) return byDirective(directive, patch);
  const out = shallow(original);
  const rest = shallow(patch);
  retainKeys(out, rest);
  orderLists(out, rest, schema);
  for (const key of Object.keys(rest)) mergeMember(out, key, rest[key]!, schema);
  return out;
}

function byDirective(directive: JsonValue, patch: JsonObject): JsonObject {
  if (directive === 'delete') return {};
  if (directive !== 'replace') {
    throw new PatchError('malformed', `unknown patch type: ${goStringVerb(directive)} in map: ${goFormat(patch)}`);
  }
  const out = shallow(patch);
  delete out[directiveMarker];
  return out;
}

function mergeMember(out: JsonObject, name: string, value: JsonValue, schema: Schema): void {
  const isDeletion = name.startsWith(deleteListPrefix);
  const key = (isDeletion && listName(name, deleteListPrefix)) || name;
  if (value === null) {
    delete out[key];
    return;
  }
  const old = getOwn(out, key);
  if (old === undefined || containerKind(old) !== containerKind(value) || old === null) {
    if (isDeletion) return;
    setOrDrop(out, key, withoutDirectives(withoutNulls(value)));
    return;
  }
  if (isObject(old) && isObject(value)) {
    const rules = memberRules(schema, key);
    setOwn(out, key, rules.strategy === 'replace' ? value : mergeMap(old, value, rules.schema));
  } else if (Array.isArray(old) && Array.isArray(value)) {
    const rules = listRules(schema, key);
    setOwn(out, key, isDeletion || rules.strategy === 'merge' ? mergeList(old, value, rules, isDeletion) : value);
  } else setOrDrop(out, key, value);
}

/**
 * The patch as kube-apiserver shows it in an error about the result: its application removes directives from it. Not for patches that
 * cannot be applied.
 */
export function shownPatch(current: JsonObject, patch: JsonValue, schema: StructSchema): JsonValue {
  return isObject(patch) ? shownMap(current, patch, schema) : patch;
}

function shownMap(original: JsonObject, patch: JsonObject, schema: Schema): JsonObject {
  const directive = getOwn(patch, directiveMarker);
  const out = shallow(patch);
  if (directive === 'replace') delete out[directiveMarker];
  if (directive !== undefined) return out;
  delete out[retainKeysMarker];
  for (const name of Object.keys(out).filter((key) => key.startsWith(elementOrderPrefix))) {
    delete out[name];
    delete out[listName(name, elementOrderPrefix)];
  }
  for (const [name, value] of Object.entries(out)) {
    if (value === null || name.startsWith(deleteListPrefix)) continue;
    const old = getOwn(original, name);
    if (old === undefined || old === null || containerKind(old) !== containerKind(value))
      setOwn(out, name, withoutDirectives(withoutNulls(value)) ?? value);
    else if (isObject(old) && isObject(value)) {
      const rules = memberRules(schema, name);
      if (rules.strategy !== 'replace') setOwn(out, name, shownMap(old, value, rules.schema));
    }
  }
  return out;
}

function setOrDrop(out: JsonObject, key: string, value: JsonValue | undefined): void {
  if (value === undefined) delete out[key];
  else setOwn(out, key, value);
}

function containerKind(v: JsonValue): string {
  return Array.isArray(v) ? 'list' : isObject(v) ? 'map' : 'scalar';
}

/** Validates and applies `$retainKeys`: it must list every key that the patch sets; other live keys are dropped. */
function retainKeys(out: JsonObject, patch: JsonObject): void {
  const list = getOwn(patch, retainKeysMarker);
  if (list === undefined) return;
  delete patch[retainKeysMarker];
  const bad = () => new PatchError('badRequest', 'invalid patch format of retainKeys');
  if (!Array.isArray(list)) throw bad();
  const keep = new Set<JsonValue>(list);
  for (const key of Object.keys(patch)) {
    const directive = key.startsWith(deleteListPrefix) || key.startsWith(elementOrderPrefix);
    if (patch[key] !== null && !directive && !keep.has(key)) throw bad();
  }
  for (const key of Object.keys(out)) if (!keep.has(key)) delete out[key];
}

/** Applies every `$setElementOrder/<list>` together with the list of that name, and removes both from the patch. */
function orderLists(out: JsonObject, patch: JsonObject, schema: Schema): void {
  for (const name of Object.keys(patch)) {
    if (!name.startsWith(elementOrderPrefix)) continue;
    const order = asList(patch[name]!);
    delete patch[name];
    const key = listName(name, elementOrderPrefix);
    const live = getOwn(out, key);
    const patched = getOwn(patch, key);
    const liveList = live === undefined ? undefined : asList(live);
    const patchList = patched === undefined ? undefined : asList(patched);
    const merged = orderList(liveList, patchList, order, listRules(schema, key));
    if (merged === undefined) continue;
    setOwn(out, key, merged);
    delete patch[key];
  }
}

function asList(v: JsonValue): JsonArray {
  if (Array.isArray(v)) return v;
  const got = v === null ? '%!s(<nil>)' : goTypeName(v);
  throw new PatchError('malformed', `expected a []interface {}, but received a ${got}`);
}

/** Returns the list name of a directive key: `$setElementOrder/env` gives `env`. */
function listName(directive: string, prefix: string): string {
  const slash = directive.indexOf('/');
  if (slash === prefix.length) return directive.slice(slash + 1);
  throw new PatchError(
    'badRequest',
    prefix === deleteListPrefix
      ? 'invalid patch format of primitive list'
      : 'invalid patch format of setElementOrder list',
  );
}

/** Returns the value without null members, at any depth; null list items stay. */
function withoutNulls(v: JsonValue): JsonValue {
  if (Array.isArray(v)) return v.map(withoutNulls);
  if (!isObject(v)) return v;
  const out: JsonObject = {};
  for (const key of Object.keys(v)) if (v[key] !== null) setOwn(out, key, withoutNulls(v[key]!));
  return out;
}

interface MemberRules {
  readonly schema: Schema;
  readonly strategy: string;
  readonly mergeKey: string;
}

function memberRules(schema: Schema, key: string): MemberRules {
  if (schema.kind === 'struct') {
    const field = schema.byName.get(key);
    if (field !== undefined) {
      const strategy = field.patchStrategy.find((s) => s !== 'retainKeys') ?? '';
      return { schema: field.schema, strategy, mergeKey: field.patchMergeKey ?? '' };
    }
  }
  const name = structName(schema);
  throw new PatchError(
    'malformed',
    name === undefined
      ? `merging an object in json but data type is not struct, instead is: ${schema.kind === 'list' ? 'slice' : schema.kind}`
      : `unable to find api field in struct ${name} for the json field ${goQuote(key)}`,
  );
}

function listRules(schema: Schema, key: string): ListRules {
  const { schema: list, strategy, mergeKey } = memberRules(schema, key);
  if (list.kind !== 'list') throw new PatchError('malformed', 'expected slice or array type, but got: struct');
  return { strategy, mergeKey, mergeEntry: (live, patch) => mergeMap(live, patch, list.items) };
}

const anyNames = { rawExtension: 'RawExtension', fieldsV1: 'FieldsV1', json: 'JSON' } as const;

function structName(schema: Schema): string | undefined {
  if (schema.kind === 'any') return anyNames[schema.form];
  return schema.kind === 'struct' ? schema.name.slice(schema.name.lastIndexOf('.') + 1) : undefined;
}
