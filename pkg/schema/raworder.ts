import { compareText, isObject, type JsonObject, type JsonValue, setOwn } from '../api/index.js';
import { planner } from './reach.js';
import type { Field, Schema, StructSchema } from './types.js';

/** Reports whether a field has opaque objects, which kube-apiserver keeps as text. */
const isRaw = ({ schema }: Field): boolean => {
  const at = schema.kind === 'list' ? schema.items : schema;
  return at.kind === 'any' && at.form === 'rawExtension';
};

const { plan, reaches } = planner(isRaw);

/**
 * Sorts the keys of the opaque objects in `o`, in place, as a body of YAML, a strategic merge patch and apply do: kube-apiserver writes
 * their text anew. A body of JSON keeps its order, and so do protobuf and the other patches.
 */
export function sortRawExtensions(o: JsonObject, schema: StructSchema): void {
  const { own, descend } = plan(schema);
  for (const { name } of own) {
    const value = o[name];
    if (value !== undefined) setOwn(o, name, inKeyOrder(value));
  }
  for (const { name, schema: below } of descend) sortBelow(o[name], below);
}

function sortBelow(value: JsonValue | undefined, schema: Schema): void {
  if (!reaches(schema)) return;
  if (Array.isArray(value) && schema.kind === 'list') for (const item of value) sortBelow(item, schema.items);
  else if (isObject(value) && schema.kind === 'map') for (const v of Object.values(value)) sortBelow(v, schema.values);
  else if (isObject(value) && schema.kind === 'struct') sortRawExtensions(value, schema);
}

/** Returns a copy of a value whose objects have their keys in the order of Go's maps in JSON. */
export function inKeyOrder<T extends JsonValue>(value: T): T;
export function inKeyOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inKeyOrder);
  if (!isObject(value)) return value;
  const sorted: JsonObject = {};
  for (const key of Object.keys(value).sort(compareText)) setOwn(sorted, key, inKeyOrder(value[key]!));
  return sorted;
}
