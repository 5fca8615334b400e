import { getOwn, isObject, type JsonObject, type JsonValue, textAt } from '../../api/index.js';
import type { Constraints, Field, ListType, ScalarType, Schema, StructSchema } from '../types.js';
import { isTextFormat } from './formats.js';
import { objectFields } from './objectfields.js';
import { isNumberFormat } from './valuetype.js';

/**
 * Compiles the structural schema of a version of a custom resource (`openAPIV3Schema`) into the form of the built-in types. The schema must
 * be valid; invalid parts become opaque values. `name` is the name of the type, `<group>/<version>.<Kind>`. CEL rules and descriptions are
 * not a part of this form. Nothing of `schema` but default values is kept.
 */
export function compileStructuralSchema(schema: JsonObject, name: string): StructSchema {
  return struct({ ...schema, 'x-kubernetes-embedded-resource': true }, name, false);
}

/** `around`: a value around this one preserves unknown fields. */
function compile(schema: JsonObject, name: string, around: boolean): Schema {
  const constraints = constraintsOf(schema);
  const preserves = preservesUnknown(schema);
  const open = around || preserves;
  const more = {
    ...(preserves && { preserveUnknown: true as const }),
    ...(constraints !== undefined && { constraints }),
  };
  if (schema['x-kubernetes-int-or-string'] === true)
    return { kind: 'scalar', type: 'intOrString', untyped: true, ...more };
  switch (schema['type']) {
    case 'object': {
      const values = schema['additionalProperties'];
      if (values !== undefined && values !== false) {
        const inner: Schema = isObject(values) ? compile(values, `${name}{}`, open) : UNDECLARED;
        return { kind: 'map', values: inner, atomic: schema['x-kubernetes-map-type'] === 'atomic', ...more };
      }
      return struct(schema, name, around);
    }
    case 'array': {
      const items = schema['items'];
      const listType = schema['x-kubernetes-list-type'];
      return {
        kind: 'list',
        items: isObject(items) ? compile(items, `${name}[]`, open) : ANYTHING,
        listType: (listType as ListType | undefined) ?? 'atomic',
        keys: strings(schema['x-kubernetes-list-map-keys']),
        ...(listType === undefined && { undeclared: true }),
        ...more,
      };
    }
    default: {
      const type = SCALARS.get(schema['type'] as string);
      if (type === undefined) return constraints === undefined ? ANYTHING : { ...ANYTHING, constraints };
      const plain = isFormatted(schema) ? FORMATTED : PLAIN.get(type)!;
      return constraints === undefined && !preserves ? plain : { ...plain, ...more };
    }
  }
}

const ANYTHING: Schema = { kind: 'any', form: 'json' };
const UNDECLARED: Schema = { kind: 'any', form: 'json', closed: true };

/** `format: byte` remains text, because custom resources are stored as JSON. */
const SCALARS: ReadonlyMap<string, ScalarType> = new Map<string, ScalarType>([
  ['string', 'string'],
  ['boolean', 'bool'],
  ['integer', 'int64'],
  ['number', 'float64'],
]);

/** One value for each scalar without constraints. */
const PLAIN: ReadonlyMap<ScalarType, Schema> = new Map(
  [...SCALARS.values()].map((type) => [type, { kind: 'scalar', type }]),
);
const FORMATTED: Schema = { kind: 'scalar', type: 'string', formatted: true };
const NONE: readonly never[] = [];

const preservesUnknown = (schema: JsonObject): boolean => schema['x-kubernetes-preserve-unknown-fields'] === true;

function struct(schema: JsonObject, name: string, open: boolean): StructSchema {
  const preserveUnknown = preservesUnknown(schema);
  const required = new Set(strings(schema['required']));
  const declared = schema['properties'];
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const fields: Field[] = embedded ? objectFields() : [];
  if (isObject(declared)) {
    for (const key of Object.keys(declared)) {
      if (embedded && OBJECT_FIELDS.has(key)) continue;
      const property = declared[key];
      if (isObject(property))
        fields.push(
          fieldOf(key, property, required.has(key), compile(property, `${name}.${key}`, open || preserveUnknown)),
        );
    }
  }
  const undeclared = [...required].filter((field) => !fields.some((f) => f.name === field));
  const constraints = constraintsOf(schema);
  return {
    kind: 'struct',
    name,
    fields,
    byName: new Map(fields.map((f) => [f.name, f])),
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    preserveUnknown,
    // An apply may set any member of an object without properties, and owns it, although it is dropped.
    ...((open || fields.length === 0) && { tracksUnknown: true }),
    embeddedResource: embedded,
    unions: NONE,
    ...(undeclared.length > 0 && { requiredUndeclared: undeclared }),
    ...(constraints !== undefined && { constraints }),
  };
}

const OBJECT_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

const NULLABLE: Constraints = { nullable: true };

/** In a custom resource an absent field always differs from a zero one. */
function fieldOf(name: string, schema: JsonObject, required: boolean, compiled: Schema): Field {
  const byDefault = getOwn(schema, 'default');
  return {
    name,
    schema: compiled,
    proto: 0,
    required,
    omitEmpty: true,
    pointer: true,
    patchStrategy: NONE,
    deprecated: false,
    ...(byDefault !== undefined && { default: byDefault }),
    ...(schema['nullable'] === true && { constraints: NULLABLE }),
  };
}

const NUMBERS = [
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
] as const;
const FLAGS = ['exclusiveMinimum', 'exclusiveMaximum', 'uniqueItems', 'nullable'] as const;
const COMBINATIONS = ['allOf', 'anyOf', 'oneOf'] as const;

const BOUNDS = ['minimum', 'maximum', 'multipleOf'] as const;

/** The bounds of an integer that are no integers of its format; undefined if there are none. */
function misfitsOf(schema: JsonObject): Constraints['misfits'] {
  if (schema['type'] !== 'integer') return undefined;
  const format = textAt(schema, 'format');
  const bits = format === 'int32' ? 31 : 63;
  const fits = (n: number): boolean => Number.isInteger(n) && n >= -(2 ** bits) && n < 2 ** bits;
  const keys = BOUNDS.filter((key) => typeof schema[key] === 'number' && !fits(schema[key]));
  if (keys.length === 0) return undefined;
  return { type: isNumberFormat(format) ? `integer with format ${format}` : 'integer (default format)', keys };
}

/** Returns the constraints of the value itself; undefined if there are none. */
function constraintsOf(schema: JsonObject): Constraints | undefined {
  const found: { -readonly [K in keyof Constraints]: Constraints[K] } = {};
  for (const key of NUMBERS) if (typeof schema[key] === 'number') found[key] = schema[key];
  const misfits = misfitsOf(schema);
  if (misfits !== undefined) found.misfits = misfits;
  for (const key of FLAGS) if (schema[key] === true) found[key] = true;
  if (typeof schema['pattern'] === 'string') found.pattern = schema['pattern'];
  const format = schema['format'];
  if (typeof format === 'string' && isFormatOf(format, schema['type'])) found.format = format;
  if (Array.isArray(schema['enum'])) found.enum = schema['enum'];
  for (const key of COMBINATIONS) {
    const list = schema[key];
    if (Array.isArray(list)) found[key] = list.filter(isObject).map(insideOf);
  }
  if (isObject(schema['not'])) found.not = insideOf(schema['not']);
  return Object.keys(found).length === 0 ? undefined : found;
}

/** An unknown format counts here, too. */
function isFormatted(schema: JsonObject): boolean {
  const format = schema['format'] ?? '';
  return schema['type'] === 'string' && format !== '' && format !== 'byte';
}

/** Reports whether a type has a format. kube-apiserver ignores the format of another type. A value of any type, and an integer or string, may have a format of texts. */
export function isFormatOf(format: string, type: JsonValue | undefined): boolean {
  if (type === 'integer') return format === 'int32' || format === 'int64';
  if (type === 'number') return format === 'float' || format === 'double';
  return (type === undefined || type === 'string') && isTextFormat(format);
}

/** Returns the constraints of a branch of a combination, for the value and its members. */
function insideOf(schema: JsonObject): Constraints {
  const required = strings(schema['required']);
  const properties = schema['properties'];
  const additionalProperties = schema['additionalProperties'];
  const items = schema['items'];
  return {
    ...constraintsOf(schema),
    ...(typeof schema['type'] === 'string' && { type: schema['type'] }),
    ...(required.length > 0 && { required }),
    ...(isObject(properties) && {
      properties: new Map(Object.entries(properties).map(([k, v]) => [k, isObject(v) ? insideOf(v) : {}])),
    }),
    ...(isObject(additionalProperties) && { additionalProperties: insideOf(additionalProperties) }),
    ...(isObject(items) && { items: insideOf(items) }),
  };
}

function strings(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((v): v is string => typeof v === 'string') : [];
}
