import {
  compareQuantities,
  equalJson,
  goJson,
  isObject,
  type JsonObject,
  type JsonValue,
  parseQuantity,
} from '../api/index.js';
import { typeByName } from './load.js';
import { planner } from './reach.js';
import type { Schema, StructSchema } from './types.js';

/** Reports whether values of this schema have an equality of their own. */
function isSpecial(schema: Schema): boolean {
  switch (schema.kind) {
    case 'scalar':
      return schema.type === 'quantity';
    case 'any':
      return schema.form === 'rawExtension';
    case 'list':
      return isSpecial(schema.items);
    case 'map':
      return isSpecial(schema.values);
    case 'struct':
      return false;
  }
}

const { plan, reaches } = planner(({ schema }) => isSpecial(schema));

/**
 * Compares values of a type by their meaning, as kube-apiserver compares a new object with the stored one: quantities are numbers
 * (`2.` is `2000m`), and opaque objects are texts, so that another order of keys is a change.
 *
 * @param type `core/v1.PodSpec`, or `[]core/v1.PersistentVolumeClaim`
 */
export function equalAs(type: string, a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  const isList = type.startsWith('[]');
  const schema = typeByName(isList ? type.slice(2) : type);
  if (!isList || !Array.isArray(a) || !Array.isArray(b)) return equalBy(schema, a, b);
  return a.length === b.length && a.every((item, i) => equalBy(schema, item, b[i]));
}

export function equalBy(schema: Schema, a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (!isSpecial(schema) && !reaches(schema)) return equalJson(a, b);
  switch (schema.kind) {
    case 'scalar':
      return equalQuantities(a, b);
    case 'any':
      return a !== undefined && b !== undefined && goJson(a, 'asTheyStand') === goJson(b, 'asTheyStand');
    case 'list':
      if (!Array.isArray(a) || !Array.isArray(b)) return false;
      return a.length === b.length && a.every((item, i) => equalBy(schema.items, item, b[i]));
    case 'map':
      return isObject(a) && isObject(b) && equalMembers(a, b, () => schema.values);
    case 'struct':
      return isObject(a) && isObject(b) && equalStructs(schema, a, b);
  }
}

function equalStructs(schema: StructSchema, a: JsonObject, b: JsonObject): boolean {
  const special = new Map(plan(schema).all.map((field) => [field.name, field.schema]));
  return equalMembers(a, b, (key) => special.get(key));
}

function equalMembers(a: JsonObject, b: JsonObject, schemaOf: (key: string) => Schema | undefined): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => {
    if (!Object.hasOwn(b, key)) return false;
    const schema = schemaOf(key);
    return schema === undefined ? equalJson(a[key], b[key]) : equalBy(schema, a[key], b[key]);
  });
}

function equalQuantities(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return equalJson(a, b);
  const [x, y] = [parseQuantity(a), parseQuantity(b)];
  return x !== undefined && y !== undefined && compareQuantities(x, y) === 0;
}
