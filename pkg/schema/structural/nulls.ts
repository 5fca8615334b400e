import { isObject, type JsonObject, type JsonValue } from '../../api/index.js';
import type { Field, Schema, StructSchema } from '../types.js';

/**
 * Drops null fields that are not nullable, in place: in a custom resource such a null is the same as an absent field. It runs before
 * defaults, which then fill these fields. Items of lists stay, because null is an invalid type there.
 */
export function dropNulls(object: JsonObject, schema: StructSchema): void {
  for (const field of schema.fields) {
    if (!Object.hasOwn(object, field.name)) continue;
    const value = object[field.name] as JsonValue;
    if (value !== null) walk(value, field.schema);
    else if (!isNullable(field)) delete object[field.name];
  }
}

const isNullable = (field: Field): boolean => field.constraints?.nullable === true;

function walk(value: JsonValue, schema: Schema): void {
  if (schema.kind === 'struct' && isObject(value)) dropNulls(value, schema);
  else if (schema.kind === 'list' && Array.isArray(value)) for (const item of value) walk(item, schema.items);
  else if (schema.kind === 'map' && isObject(value)) {
    for (const key of Object.keys(value)) {
      if (value[key] === null && schema.values.constraints?.nullable !== true) delete value[key];
      else walk(value[key] as JsonValue, schema.values);
    }
  }
}
