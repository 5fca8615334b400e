import { asGiven, getOwn, isObject, type JsonObject, type JsonValue, removeField } from '../api/index.js';
import { PutOff, type Steps } from '../base/index.js';
import { planner } from './reach.js';
import type { Field, Schema, StructSchema } from './types.js';

const { plan, reaches } = planner((field) => field.featureGate !== undefined);

/**
 * Drops fields of disabled features, in place and in steps, unless the stored object uses the field already: an object written while a feature was
 * enabled can still be changed after it is disabled.
 *
 * `enabled` is called for each gate of a field. It must return true for unknown gates, whose features are always enabled by now.
 */
export function* dropDisabledFields(
  object: JsonObject,
  schema: StructSchema,
  enabled: (gate: string) => boolean,
  old?: JsonObject,
): Steps<void> {
  if (!reaches(schema)) return;
  const inUse = new Set<Field>();
  const later = new PutOff();
  if (old !== undefined) {
    const note: Visitor = (holder, field) => {
      if (isSet(getOwn(holder, field.name))) inUse.add(field);
    };
    visit(old, schema, note, later);
    yield* later.steps();
  }
  const drop: Visitor = (holder, field) => {
    if (!inUse.has(field) && !(field.featureGate as string).split(',').every(enabled)) removeField(holder, field.name);
  };
  visit(object, schema, drop, later);
  yield* later.steps();
}

const sizeOf = (value: JsonValue): number => (isObject(value) ? Object.keys(value).length : 1);

/** Reports whether a struct is dropped with its last field. All others are kept when they are empty. */
const isDroppedEmpty = (schema: Schema): boolean => schema.kind === 'struct' && schema.name === 'core/v1.Lifecycle';

/** Reports whether a field is used: absent, null and empty values are not. */
function isSet(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return false;
  return Array.isArray(value) ? value.length > 0 : true;
}

type Visitor = (holder: JsonObject, field: Field) => void;

/** Returns all gated fields of the value. */
function visit(value: JsonValue, schema: Schema, seen: Visitor, later: PutOff): void {
  if (schema.kind === 'struct') {
    if (!isObject(value)) return;
    const { own, descend } = plan(schema);
    for (const field of own) if (asGiven(value, field.name) !== undefined) seen(value, field);
    for (const field of descend) {
      const inner = getOwn(value, field.name);
      if (inner === undefined || inner === null) continue;
      const had = sizeOf(inner);
      visit(inner, field.schema, seen, later);
      if (had > 0 && sizeOf(inner) === 0 && isDroppedEmpty(field.schema)) delete value[field.name];
    }
  } else if (schema.kind === 'list') {
    if (Array.isArray(value)) later.each(value, (item) => visit(item, schema.items, seen, later));
  } else if (schema.kind === 'map') {
    if (isObject(value))
      later.each(Object.keys(value), (key) => visit(value[key] as JsonValue, schema.values, seen, later));
  }
}
