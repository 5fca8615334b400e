import { type JsonArray, type JsonObject, type JsonValue, setOwn } from '../../api/index.js';
import type { ListSchema } from '../../schema/index.js';
import { fieldElement } from './element.js';
import { below, type FieldSet, hasElement, isEmptySet } from './field-set.js';
import { asMap, childSchema, isAtomic, listElement, type Node } from './shape.js';

/**
 * Returns the object without the members of a set; the object itself if nothing is removed. A container that loses its
 * last child becomes null, as in kube-apiserver; the decoder treats null as absent.
 */
export function removeFields(v: JsonObject, gone: FieldSet, schema: Node): JsonObject {
  return isEmptySet(gone) ? v : ((removeFrom(v, gone, schema) as JsonObject | null) ?? {});
}

function removeFrom(v: JsonValue, gone: FieldSet, schema: Node): JsonValue {
  if (schema === undefined || schema.kind === 'scalar') return v;
  if (Array.isArray(v)) {
    return schema.kind !== 'list' || v.length === 0 || isAtomic(schema) ? null : removeItems(v, gone, schema);
  }
  const map = asMap(v);
  if (map === undefined) return schema.kind === 'any' ? v : null;
  if (schema.kind === 'list' || isAtomic(schema) || Object.keys(map).length === 0) return null;
  return removeMembers(map, gone, schema);
}

function removeItems(list: JsonArray, gone: FieldSet, schema: ListSchema): JsonValue {
  let changed = false;
  const out: JsonArray = [];
  for (const item of list) {
    const element = listElement(schema, item);
    if (hasElement(gone, element)) {
      changed = true;
      continue;
    }
    const inner = below(gone, element);
    const kept = isEmptySet(inner) ? item : removeFrom(item, inner, schema.items);
    if (kept !== item) changed = true;
    out.push(kept);
  }
  return !changed ? list : out.length === 0 ? null : out;
}

function removeMembers(map: JsonObject, gone: FieldSet, schema: Node): JsonValue {
  let changed = false;
  let kept = 0;
  const out: JsonObject = {};
  for (const key of Object.keys(map)) {
    const element = fieldElement(key);
    const value = map[key]!;
    if (hasElement(gone, element)) {
      changed = true;
      continue;
    }
    const inner = below(gone, element);
    const rest = isEmptySet(inner) ? value : removeFrom(value, inner, childSchema(schema, key));
    if (rest !== value) changed = true;
    setOwn(out, key, rest);
    kept++;
  }
  return !changed ? map : kept === 0 ? null : out;
}
