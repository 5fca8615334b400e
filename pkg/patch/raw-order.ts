import { compareText, getOwn, isObject, type JsonObject, type JsonValue, setOwn } from '../api/index.js';
import type { Schema, StructSchema } from '../schema/index.js';
import type { JsonPatch } from './json-patch.js';
import { arrayIndex, pointerTokens } from './pointer.js';

/**
 * The order of keys in opaque objects after a patch. kube-apiserver keeps them as text, and a JSON or merge patch writes those objects
 * anew, with sorted keys, that it enters. The data of a ControllerRevision is compared by its text.
 */

/** Sorts the opaque objects that a merge patch entered. `object` is changed in place. */
export function orderAfterMerge(object: JsonObject, current: JsonValue, patch: JsonValue, schema: StructSchema): void {
  if (!isObject(patch)) return;
  for (const [key, value] of Object.entries(patch)) {
    const below = schema.byName.get(key)?.schema;
    const merged = getOwn(object, key);
    const before = isObject(current) ? getOwn(current, key) : undefined;
    if (below === undefined || merged === undefined) continue;
    if (isRaw(below)) setOwn(object, key, mergedOrder(merged, before, value));
    // A merge patch replaces lists, and enters no object of a map that could have opaque fields.
    else if (below.kind === 'struct' && isObject(merged)) orderAfterMerge(merged, before ?? null, value, below);
  }
}

function mergedOrder(merged: JsonValue, before: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(before)) return inKeyOrder(merged);
  if (!isObject(patch) || !isObject(merged)) return merged;
  return sorted(merged, (key, value) => {
    const change = getOwn(patch, key);
    return change === undefined ? value : mergedOrder(value, getOwn(before, key), change);
  });
}

/** Sorts the opaque objects that the paths of a JSON patch lead into. `object` is changed in place. */
export function orderAfterOperations(object: JsonObject, operations: JsonPatch, schema: StructSchema): void {
  for (const operation of operations)
    for (const name of ['path', 'from'] as const) {
      const pointer = getOwn(operation, name);
      const tokens = typeof pointer === 'string' ? pointerTokens(pointer, 'reference') : undefined;
      if (tokens !== undefined) orderAlong(object, tokens, schema);
    }
}

/** Returns `value` with the objects on the way to the last token sorted, where they are opaque. */
function orderAlong(value: JsonValue | undefined, tokens: readonly string[], schema: Schema | undefined): void {
  const [token, ...rest] = tokens;
  if (token === undefined || rest.length === 0 || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (schema?.kind === 'list')
      orderAlong(value[arrayIndex(token, value.length, 'reference') ?? -1], rest, schema.items);
    return;
  }
  const below =
    schema?.kind === 'struct' ? schema.byName.get(token)?.schema : schema?.kind === 'map' ? schema.values : undefined;
  const member = getOwn(value, token);
  if (below === undefined || member === undefined) return;
  if (isRaw(below)) setOwn(value, token, orderedAlong(member, rest));
  else orderAlong(member, rest, below);
}

function orderedAlong(value: JsonValue, tokens: readonly string[]): JsonValue {
  const [token, ...rest] = tokens;
  if (token === undefined || typeof value !== 'object' || value === null) return value;
  if (isObject(value)) return sorted(value, (key, member) => (key === token ? orderedAlong(member, rest) : member));
  const at = arrayIndex(token, value.length, 'reference');
  return value.map((item, i) => (i === at ? orderedAlong(item, rest) : item));
}

const isRaw = (schema: Schema): boolean => schema.kind === 'any' && schema.form === 'rawExtension';

function sorted(o: JsonObject, member: (key: string, value: JsonValue) => JsonValue): JsonObject {
  const out: JsonObject = {};
  for (const key of Object.keys(o).sort(compareText)) setOwn(out, key, member(key, o[key]!));
  return out;
}

function inKeyOrder(v: JsonValue): JsonValue {
  if (Array.isArray(v)) return v.map(inKeyOrder);
  return isObject(v) ? sorted(v, (_, value) => inKeyOrder(value)) : v;
}
