import type { JsonArray, JsonObject, JsonValue } from '../../api/index.js';
import type { PutOff } from '../../base/index.js';
import type { ListSchema } from '../../schema/index.js';
import { declaredElement, fieldElement, type PathElement } from './element.js';
import { asMember, emptySet, type FieldSet, leaf, type MutableSet } from './field-set.js';
import { asMap, childSchema, ElementError, isAtomic, listElement, type Node } from './shape.js';

/**
 * Returns the fields that an applier of the object owns: all leaves, list items and map entries, and of the structs only empty ones. Items
 * without identity are omitted (a validated object has none).
 */
export function fieldsOf(v: JsonObject, schema: Node): FieldSet {
  return mentioned(v, schema) ?? emptySet;
}

function mentioned(v: JsonValue, schema: Node): FieldSet | undefined {
  if (schema === undefined) return undefined;
  if (schema.kind === 'scalar' || isAtomic(schema)) return leaf;
  if (Array.isArray(v)) return schema.kind === 'list' ? mentionedItems(v, schema) : leaf;
  const map = asMap(v);
  // A scalar of unknown type is a leaf; null and values of the wrong type have no path of their own.
  if (map === undefined) return schema.kind === 'any' && v !== null ? leaf : undefined;
  if (schema.kind === 'list') return undefined;
  let out: MutableSet | undefined;
  for (const key of Object.keys(map)) {
    const value = map[key]!;
    const isField = schema.kind === 'struct' && schema.byName.has(key);
    let node = mentioned(value, childSchema(schema, key));
    if (!isField || value === null || isEmptyMap(value)) node = asMember(node);
    if (node === undefined) continue;
    out ??= {};
    out[isField ? declaredElement(key) : fieldElement(key)] = node;
  }
  return out;
}

function isEmptyMap(v: JsonValue): boolean {
  const map = asMap(v);
  if (map === undefined) return false;
  for (const _ in map) return false;
  return true;
}

function mentionedItems(list: JsonArray, schema: ListSchema): FieldSet | undefined {
  let out: MutableSet | undefined;
  for (const item of list) {
    const element = elementOf(schema, item);
    if (element === undefined) continue;
    out ??= {};
    // Duplicates are owned as a whole, because their fields cannot be distinguished.
    out[element] = out[element] === undefined ? asMember(mentioned(item, schema.items)) : leaf;
  }
  return out;
}

/** Returns the identity of an item; undefined if it has none. */
export function elementOf(schema: ListSchema, item: JsonValue): PathElement | undefined {
  try {
    return listElement(schema, item);
  } catch (e) {
    if (e instanceof ElementError) return undefined;
    throw e;
  }
}

/**
 * Groups the items of an associative list by identity, in order of first appearance. Items without identity are left
 * out.
 */
export function itemsByElement(list: JsonArray, schema: ListSchema): Map<PathElement, JsonValue[]> {
  const found = new Map<PathElement, JsonValue[]>();
  for (const item of list) {
    const element = elementOf(schema, item);
    if (element === undefined) continue;
    const same = found.get(element);
    if (same === undefined) found.set(element, [item]);
    else same.push(item);
  }
  return found;
}

/**
 * Returns every field of a value, including containers, as owned by the manager that adds the value in an update.
 * Unlike in `fieldsOf`, every level has a `.` member. Long lists and maps are put off: the set is complete after the steps of `later`.
 */
export function everythingIn(v: JsonValue, schema: Node, later: PutOff): FieldSet {
  if (schema === undefined || schema.kind === 'scalar' || isAtomic(schema)) return leaf;
  if (Array.isArray(v)) {
    if (schema.kind !== 'list' || v.length === 0) return leaf;
    const out: MutableSet = { '.': leaf };
    later.each(v, (item) => {
      const element = elementOf(schema, item);
      if (element === undefined) return;
      out[element] = out[element] === undefined ? everythingIn(item, schema.items, later) : leaf;
    });
    return out;
  }
  const map = asMap(v);
  if (map === undefined || schema.kind === 'list') return leaf;
  const keys = Object.keys(map);
  if (keys.length === 0) return leaf;
  const out: MutableSet = { '.': leaf };
  const isStruct = schema.kind === 'struct';
  later.each(keys, (key) => {
    const child = childSchema(schema, key);
    if (child === undefined) return;
    out[isStruct ? declaredElement(key) : fieldElement(key)] = everythingIn(map[key]!, child, later);
  });
  return out;
}
