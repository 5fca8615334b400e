import { getOwn, isObject, type JsonObject, type JsonValue } from '../api/index.js';
import { planner } from './reach.js';
import type { Field, Schema, StructSchema } from './types.js';

const { plan, reaches } = planner((field) => field.featureGate !== undefined);

/**
 * Drops fields whose feature is off, in place, unless the stored object uses the same field somewhere already: an object
 * written while a feature was on can still be changed after it was turned off.
 *
 * `enabled` is asked for each gate that a field names, and must say true for gates it does not know: those of features that
 * are always on by now.
 */
export function dropDisabledFields(
  object: JsonObject,
  schema: StructSchema,
  enabled: (gate: string) => boolean,
  old?: JsonObject,
): void {
  if (!reaches(schema)) return;
  const inUse = new Set<Field>();
  if (old !== undefined) {
    visit(old, schema, (holder, field) => {
      if (isSet(getOwn(holder, field.name))) inUse.add(field);
    });
  }
  visit(object, schema, (holder, field) => {
    if (!inUse.has(field) && !(field.featureGate as string).split(',').every(enabled)) delete holder[field.name];
  });
}

/** Absent, null and empty are all the same as never used. */
function isSet(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return false;
  return Array.isArray(value) ? value.length > 0 : true;
}

type Visitor = (holder: JsonObject, field: Field) => void;

/** Every gated field that the value has. */
function visit(value: JsonValue, schema: Schema, seen: Visitor): void {
  if (schema.kind === 'struct') {
    if (!isObject(value)) return;
    const { own, descend } = plan(schema);
    for (const field of own) if (Object.hasOwn(value, field.name)) seen(value, field);
    for (const field of descend) {
      const inner = getOwn(value, field.name);
      if (inner !== undefined && inner !== null) visit(inner, field.schema, seen);
    }
  } else if (schema.kind === 'list') {
    if (Array.isArray(value)) for (const item of value) visit(item, schema.items, seen);
  } else if (schema.kind === 'map') {
    if (isObject(value)) for (const key of Object.keys(value)) visit(value[key] as JsonValue, schema.values, seen);
  }
}
