import { cloneJson, getOwn, isObject, type JsonObject, type JsonValue, setOwn } from '../api/index.js';
import { finish, PutOff, type Steps } from '../base/index.js';
import { planner } from './reach.js';
import type { Field, Schema, StructSchema } from './types.js';

const { plan, reaches } = planner((field) => field.default !== undefined && !invisible(field));

/**
 * Applies declared defaults (`+default=` of built-in types, `default:` of custom resources), in place. A default inside an absent struct is
 * not applied. Null counts as absent unless the field is nullable; so does the zero value of a field that does not distinguish zero from
 * absent. Idempotent.
 */
export function applySchemaDefaults(object: JsonObject, schema: StructSchema): void {
  finish(schemaDefaultSteps(object, schema));
}

/** `applySchemaDefaults` in steps. */
export function* schemaDefaultSteps(object: JsonObject, schema: StructSchema): Steps<void> {
  if (!reaches(schema)) return;
  const later = new PutOff();
  walk(object, schema, later);
  yield* later.steps();
}

/** Reports whether the default is the zero value of a field that is omitted when zero, and so has no effect. */
function invisible(field: Field): boolean {
  return !field.pointer && field.omitEmpty && isZero(field.default);
}

function walk(value: JsonValue, schema: Schema, later: PutOff): void {
  switch (schema.kind) {
    case 'struct':
      if (isObject(value)) walkStruct(value, schema, later);
      return;
    case 'list':
      if (Array.isArray(value)) later.each(value, (item) => walk(item, schema.items, later));
      return;
    case 'map':
      if (isObject(value)) later.each(Object.keys(value), (key) => walk(value[key] as JsonValue, schema.values, later));
      return;
    case 'any':
      walkEither(value, schema.either?.object, later);
      return;
    case 'scalar':
      return;
  }
}

function walkEither(value: JsonValue, object: StructSchema | undefined, later: PutOff): void {
  if (object === undefined) return;
  if (isObject(value)) walkStruct(value, object, later);
  else if (Array.isArray(value)) later.each(value, (item) => walk(item, object, later));
}

function walkStruct(object: JsonObject, schema: StructSchema, later: PutOff): void {
  const { own, descend } = plan(schema);
  for (const field of own) {
    const value = getOwn(object, field.name);
    if (counts(value, field)) continue;
    setOwn(object, field.name, cloneJson(field.default as JsonValue));
  }
  for (const field of descend) {
    const value = getOwn(object, field.name);
    if (value !== undefined && value !== null) walk(value, field.schema, later);
  }
}

/** Reports whether the value is set. */
function counts(value: JsonValue | undefined, field: Field): boolean {
  if (value === undefined) return false;
  if (value === null) return field.constraints?.nullable === true;
  return field.pointer || !isZero(value);
}

function isZero(value: JsonValue | undefined): boolean {
  return value === '' || value === 0 || value === false || value === 0n;
}
