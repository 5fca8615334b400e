import { type JsonObject, type JsonValue, setOwn } from '../api/index.js';
import type { Field, Schema, StructSchema } from './types.js';

/**
 * Go's zero values, which decide what the reference writes. Objects in memory are in *normal form*: a field is there exactly
 * when the reference would write it, with the value it would write. Worked example, a Deployment decoded from
 * `{"spec":{"paused":false}}`: `paused` goes (omitempty, false), `metadata`, `status` and `spec.strategy` come as `{}`
 * (Go structs are never "empty"), `spec.selector` comes as null (a pointer without omitempty). That a field was given as `[]` or `{}`
 * and is not there for it is remembered beside the object (`rememberEmpty`): some rules of the reference ask for it.
 */

/** Is this type a struct in Go? `omitempty` has no effect on a field that holds one by value. */
function isGoStruct(schema: Schema): boolean {
  switch (schema.kind) {
    case 'struct':
      return true;
    case 'any':
      return true;
    case 'scalar':
      return GO_STRUCTS.has(schema.type);
    default:
      return false;
  }
}

const GO_STRUCTS: ReadonlySet<string> = new Set(['time', 'microTime', 'duration', 'quantity', 'intOrString']);

/** Is the field absent from JSON when it holds its zero value? */
export function leftOutWhenZero(owner: StructSchema, field: Field): boolean {
  if (!field.omitEmpty) return false;
  if (field.pointer || !isGoStruct(field.schema)) return true;
  // The one field of the API that says omitzero.
  return field.name === 'creationTimestamp' && owner.name === 'meta/v1.ObjectMeta';
}

/** Is a field holding `null`, `[]` or `{}` of a list or map the same as one left out? */
export function isContainer(schema: Schema): boolean {
  return schema.kind === 'list' || schema.kind === 'map';
}

/** The zero of Go's own strings, booleans and numbers; undefined for every other type. */
export function plainZero(schema: Schema): JsonValue | undefined {
  if (schema.kind !== 'scalar') return undefined;
  switch (schema.type) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'float64':
      return 0;
    default:
      return undefined;
  }
}

/** The zero of everything but structs, whose zero depends on their fields. Lists, maps, pointers and times are null. */
export function scalarZero(schema: Schema): JsonValue {
  if (schema.kind === 'scalar') {
    if (schema.type === 'intOrString') return 0;
    if (schema.type === 'quantity') return '0';
    if (schema.type === 'duration') return '0s';
  }
  return plainZero(schema) ?? null;
}

const zeros = new WeakMap<StructSchema, JsonObject>();

/**
 * An object of which nothing is set, in normal form: what is always written is there (`status: {}`, `containers: null`,
 * `eventTime: null`). Shared: do not change.
 */
export function zeroObject(schema: StructSchema): JsonObject {
  let zero = zeros.get(schema);
  if (zero === undefined) {
    zero = {};
    for (const field of schema.fields) {
      if (leftOutWhenZero(schema, field)) continue;
      const inner = field.schema;
      setOwn(zero, field.name, inner.kind === 'struct' && !field.pointer ? zeroObject(inner) : zeroOf(field));
    }
    zeros.set(schema, zero);
  }
  return zero;
}

const zeroOf = (field: Field): JsonValue => (field.pointer ? null : scalarZero(field.schema));
