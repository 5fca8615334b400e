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
  const later = new PutOff();
  // Most objects have no field of a disabled feature; only for those that do, the stored one is examined.
  const disabled = new Set<Field>();
  const find: Visitor = (_holder, field) => {
    if (!(field.featureGate as string).split(',').every(enabled)) disabled.add(field);
  };
  visit(object, schema, find, later);
  yield* later.steps();
  if (disabled.size === 0) return;
  if (old !== undefined) {
    const keep: Visitor = (holder, field, isCounted) => {
      if (isCounted && isSet(getOwn(holder, field.name))) disabled.delete(field);
    };
    visit(old, schema, keep, later);
    yield* later.steps();
  }
  const drop: Visitor = (holder, field, isCounted) => {
    if (isCounted && disabled.has(field)) removeField(holder, field.name);
  };
  visit(object, schema, drop, later);
  yield* later.steps();
}

/**
 * Structs of which one field counts, whatever else is set: kube-apiserver looks for the user of files in the first of these fields
 * only, and validation refuses the others.
 */
const FIRST_OF: Readonly<Record<string, readonly string[]>> = {
  'core/v1.Volume': ['secret', 'configMap', 'downwardAPI', 'projected'],
  'core/v1.VolumeProjection': [
    'secret',
    'downwardAPI',
    'configMap',
    'serviceAccountToken',
    'clusterTrustBundle',
    'podCertificate',
  ],
};
/** The first of the rival fields of a struct that a value has. */
function firstPresent(value: JsonObject, schema: StructSchema): string | undefined {
  const rivals = FIRST_OF[schema.name ?? ''];
  return rivals?.find((name) => isPresent(value, name));
}

/** Whether a field is a rival of `first` that does not count. */
const isBehind = (first: string | undefined, field: Field, schema: StructSchema): boolean =>
  field.name !== first && FIRST_OF[schema.name ?? '']?.includes(field.name) === true;

const FIRST_OF_GATE = 'AtomicWriteVolumeUserFields';

/** The templates of claims in a stateful set keep the fields of disabled features. */
const keepsGated = (field: Field): boolean => field.name === 'volumeClaimTemplates';

const sizeOf = (value: JsonValue): number => (isObject(value) ? Object.keys(value).length : 1);

/** Reports whether a struct is dropped with its last field. All others are kept when they are empty. */
const isDroppedEmpty = (schema: Schema): boolean => schema.kind === 'struct' && schema.name === 'core/v1.Lifecycle';

/** Reports whether a field is used: absent, null and empty values are not. */
function isSet(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return false;
  return Array.isArray(value) ? value.length > 0 : true;
}

/** A struct behind a pointer, which may be empty. */
function isPresent(holder: JsonObject, name: string): boolean {
  const value = getOwn(holder, name);
  return value !== undefined && value !== null;
}

/** `isCounted` is false for a field of a struct that is passed over (`FIRST_OF`), as long as no earlier one is dropped. */
type Visitor = (holder: JsonObject, field: Field, isCounted: boolean) => void;

/** Returns all gated fields of the value. `passed`: it is no first field of `FIRST_OF`. */
function visit(value: JsonValue, schema: Schema, seen: Visitor, later: PutOff, passed = false): void {
  if (schema.kind === 'struct') {
    if (!isObject(value)) return;
    const { own, descend } = plan(schema);
    for (const field of own) {
      if (asGiven(value, field.name) === undefined) continue;
      seen(value, field, !(passed && field.featureGate === FIRST_OF_GATE));
    }
    const first = firstPresent(value, schema);
    for (const field of descend) {
      if (keepsGated(field)) continue;
      const inner = getOwn(value, field.name);
      if (inner === undefined || inner === null) continue;
      const had = isDroppedEmpty(field.schema) && sizeOf(inner) > 0;
      visit(inner, field.schema, seen, later, passed || isBehind(first, field, schema));
      if (had && sizeOf(inner) === 0) delete value[field.name];
    }
  } else if (schema.kind === 'list') {
    if (Array.isArray(value)) later.each(value, (item) => visit(item, schema.items, seen, later, passed));
  } else if (schema.kind === 'map') {
    if (isObject(value))
      later.each(Object.keys(value), (key) => visit(value[key] as JsonValue, schema.values, seen, later, passed));
  }
}
