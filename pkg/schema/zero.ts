import { type JsonObject, type JsonValue, setOwn } from '../api/index.js';
import type { Field, Schema, StructSchema } from './types.js';

/**
 * Go's zero values, which decide what kube-apiserver writes. Objects in memory are in *normal form*: a field is present exactly if
 * kube-apiserver would write it, with the value it would write. For example, a Deployment decoded from `{"spec":{"paused":false}}`:
 * `paused` is dropped (omitempty, false), `metadata`, `status` and `spec.strategy` are added as `{}` (Go structs are never "empty"), and
 * `spec.selector` is added as null (a pointer without omitempty). An empty list or map that is dropped is remembered beside the object
 * (`rememberEmpty`), because some rules of kube-apiserver depend on it.
 */

/** Reports whether the type is a struct in Go. `omitempty` has no effect on a struct field that is not a pointer. */
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

/** Reports whether a zero value of the field is omitted from JSON. */
export function leftOutWhenZero(owner: StructSchema, field: Field): boolean {
  if (!field.omitEmpty) return false;
  if (field.pointer || !isGoStruct(field.schema)) return true;
  // The only field of the API with omitzero.
  return field.name === 'creationTimestamp' && owner.name === 'meta/v1.ObjectMeta';
}

/** Reports whether null, `[]` or `{}` in the field is the same as an absent field. */
export function isContainer(schema: Schema): boolean {
  return schema.kind === 'list' || schema.kind === 'map';
}

/** Returns the zero value of Go's strings, booleans and numbers; undefined for other types. */
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

/** Returns the zero value of any type but a struct, whose zero depends on its fields. Lists, maps, pointers and times are null. */
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
 * Returns an object without set fields in normal form: only fields that are always written are present (`status: {}`, `containers: null`,
 * `eventTime: null`). The object is shared and must not be changed.
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
