import { equalJson, getOwn, isObject, type JsonObject, type JsonValue } from '../../api/index.js';
import type { ListSchema, Schema } from '../types.js';

/**
 * Reports whether a value is the stored one as far as the schema can compare them (ratcheting). As in kube-apiserver, a keyed list may have
 * another order, and an object with a field that its schema does not declare is never unchanged. Other lists are compared as a whole.
 */
export function isUnchanged(value: JsonValue, old: JsonValue | undefined, schema: Schema | undefined): boolean {
  if (old === undefined || schema === undefined) return false;
  if (isObject(value)) return isObject(old) && sameMembers(value, old, schema);
  if (schema.kind !== 'list' || schema.listType !== 'map' || !Array.isArray(value)) return equalJson(value, old);
  if (!Array.isArray(old) || old.length !== value.length) return false;
  const before = itemsByKey(old, schema);
  return value.every((item) => isUnchanged(item, before.get(keyText(item, schema)), schema.items));
}

function sameMembers(value: JsonObject, old: JsonObject, schema: Schema): boolean {
  const keys = Object.keys(value);
  if (keys.length !== Object.keys(old).length) return false;
  return keys.every((key) => isUnchanged(value[key]!, getOwn(old, key), memberSchema(schema, key)));
}

/** The fields that an embedded object has without declaring them. */
const IMPLIED: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

function memberSchema(schema: Schema, key: string): Schema | undefined {
  if (schema.kind === 'map') return schema.values.kind === 'any' && schema.values.closed ? undefined : schema.values;
  if (schema.kind !== 'struct' || (schema.embeddedResource && IMPLIED.has(key))) return undefined;
  return schema.byName.get(key)?.schema;
}

/** The items of a keyed list by their keys; the first one of several. */
export const itemsByKey = (list: readonly JsonValue[], schema: ListSchema): ReadonlyMap<string, JsonValue> =>
  new Map(list.map((item) => [keyText(item, schema), item] as const).reverse());

/** Returns the values of the key fields by name; an absent field has its default. */
export function keysOf(item: JsonValue, { keys, items }: ListSchema): JsonValue {
  if (!isObject(item)) return item;
  const found: JsonObject = {};
  for (const key of [...keys].sort()) {
    const byDefault = items.kind === 'struct' ? items.byName.get(key)?.default : undefined;
    const value = getOwn(item, key) ?? byDefault;
    if (value !== undefined) found[key] = value;
  }
  return found;
}

/** The identity of an item of a list as a text: its keys, or the whole item of a list without keys. */
export function keyText(item: JsonValue, schema: ListSchema): string {
  return text(schema.listType === 'map' ? keysOf(item, schema) : item);
}

const text = (value: JsonValue): string =>
  JSON.stringify(value, (_, v: unknown) => {
    if (typeof v === 'bigint') return `${v}n`;
    if (typeof v !== 'object' || v === null || Array.isArray(v)) return v;
    return Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1));
  });
