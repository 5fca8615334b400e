import {
  type FieldError,
  FieldErrors,
  FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../../api/index.js';
import type { Constraints, Field, ListSchema, ScalarSchema, Schema, StructSchema } from '../types.js';
import { checkConstraints, notInEnum } from './constraints.js';
import { isUnchanged, itemsByKey, keysOf, keyText } from './unchanged.js';
import { checkValueType, inRange, isWhole, outOfRange } from './valuetype.js';

/**
 * Validates an object against its schema: types, required fields, limits, enums, formats, patterns, combinations, and
 * the uniqueness of items in sets and keyed lists. The messages are those of kube-apiserver for custom resources.
 *
 * With `old`, the stored object, unchanged values are not validated again, so that a stricter schema does not make
 * stored objects immutable (ratcheting). Items of keyed lists are compared with the item of the same key. If another
 * list changed, all its items are validated.
 *
 * Items of long lists and maps may be put off (`FieldErrors.each`).
 */
export function validateStructure(object: JsonObject, schema: StructSchema, old?: JsonObject): FieldErrors {
  const errors = new FieldErrors();
  const duplicates = new FieldErrors();
  visitStruct(object, old, schema, FieldPath.root, { errors, duplicates });
  addDuplicates(duplicates, errors, schema, old);
  return errors;
}

/** Adds the duplicates when all are found. An object that had duplicates may keep them and get others. */
function addDuplicates(duplicates: FieldErrors, to: FieldErrors, schema: StructSchema, old?: JsonObject): void {
  to.after(() => {
    if (!duplicates.empty && !(old !== undefined && hasDuplicates(old, schema))) to.addAll(duplicates.list);
  });
}

/**
 * Validates only the status of an object, which is all that an update of the status subresource can change. kube-apiserver has a validator of
 * its own for it: messages name paths within the status, and errors of it as a whole have its path.
 */
export function validateStatus(object: JsonObject, schema: StructSchema, old: JsonObject | undefined): FieldErrors {
  const errors = new FieldErrors();
  const duplicates = new FieldErrors();
  const field = schema.fields.find(({ name }) => name === STATUS);
  const status = getOwn(object, STATUS);
  if (field !== undefined && status !== undefined) {
    const before = old === undefined ? undefined : getOwn(old, STATUS);
    visit(status, before, field.schema, FieldPath.root, { errors, duplicates });
  }
  addDuplicates(duplicates, errors, schema, old);
  return errors;
}

const STATUS = 'status';

/** Returns an error of `validateStatus` with the path of the field in the object. */
export function inStatus({ type, field, message }: FieldError): FieldError {
  const isWhole = field === '' || field === '<nil>';
  return { type, message, field: isWhole ? STATUS : field.startsWith('[') ? STATUS + field : `${STATUS}.${field}` };
}

/** Validates a value that stands alone, such as a default, with its path as it is shown. Duplicates are allowed. */
export function validateValue(value: JsonValue, schema: Schema, path: FieldPath): FieldErrors {
  const errors = new FieldErrors();
  visit(value, undefined, schema, path, { errors, duplicates: new FieldErrors() });
  return errors;
}

function hasDuplicates(object: JsonObject, schema: StructSchema): boolean {
  const found = { errors: new FieldErrors(), duplicates: new FieldErrors() };
  visitStruct(object, undefined, schema, FieldPath.root, found);
  found.errors.finish();
  return found.duplicates.list.length > 0;
}

interface Found {
  readonly errors: FieldErrors;
  /** Repeated items of sets and keyed lists. */
  readonly duplicates: FieldErrors;
}

function visit(value: JsonValue, old: JsonValue | undefined, schema: Schema, path: FieldPath, found: Found): void {
  const { errors } = found;
  if (isUnchanged(value, old, schema)) return;
  const { constraints } = schema;
  if (value === null && constraints?.nullable === true) {
    // An enumeration admits no null, not even if it has one.
    if (constraints.enum !== undefined) notInEnum(value, constraints.enum, path, errors);
    return;
  }
  // What does not depend on the type is checked for a value of another type too.
  if (!checkType(value, schema, path, errors)) {
    check(value, constraints, path, errors);
    return;
  }
  if (schema.kind === 'scalar') checkRange(value, schema, path, errors);
  if (schema.kind === 'struct') {
    visitStruct(value as JsonObject, isObject(old) ? old : undefined, schema, path, found);
    return;
  }
  if (schema.kind === 'list') visitList(value as JsonValue[], old, schema, path, found);
  check(value, constraints, path, errors);
  if (schema.kind === 'map') {
    errors.each(Object.keys(value as JsonObject), (key) => {
      const before = isObject(old) ? getOwn(old, key) : undefined;
      visit((value as JsonObject)[key] as JsonValue, before, schema.values, path.child(key), found);
    });
  }
}

function check(value: JsonValue, constraints: Constraints | undefined, path: FieldPath, errors: FieldErrors): void {
  if (constraints !== undefined) checkConstraints(value, constraints, path, errors);
}

function visitStruct(
  object: JsonObject,
  old: JsonObject | undefined,
  schema: StructSchema,
  path: FieldPath,
  found: Found,
): void {
  const { errors } = found;
  check(object, schema.constraints, path, errors);
  for (const field of schema.fields) {
    const value = getOwn(object, field.name);
    if (value === undefined) {
      if (field.required) errors.required(path.child(field.name));
    } else if (!(schema.embeddedResource && ruledElsewhere(field))) {
      visit(
        value,
        old === undefined ? undefined : getOwn(old, field.name),
        field.schema,
        path.child(field.name),
        found,
      );
    }
  }
  for (const name of schema.requiredUndeclared ?? [])
    if (getOwn(object, name) === undefined) errors.required(path.child(name));
}

/** Metadata is not validated here, because names, labels and the like have their own rules. */
const ruledElsewhere = (field: Field): boolean => field.name === 'metadata';

function visitList(
  list: readonly JsonValue[],
  old: JsonValue | undefined,
  schema: ListSchema,
  path: FieldPath,
  found: Found,
): void {
  const before = schema.listType === 'map' && Array.isArray(old) ? itemsByKey(old, schema) : undefined;
  found.errors.each(list, (item, i) => {
    visit(item, before?.get(keyText(item, schema)), schema.items, path.index(i), found);
  });
  if (schema.listType !== 'atomic') checkUnique(list, schema, path, found.duplicates);
}

/** Reports each duplicate value once, at its second occurrence, or the first item of a keyed list that is no object. */
function checkUnique(list: readonly JsonValue[], schema: ListSchema, path: FieldPath, errors: FieldErrors): void {
  const plain = schema.listType === 'map' ? list.findIndex((item) => item !== null && !isObject(item)) : -1;
  if (plain >= 0) {
    errors.invalid(path.index(plain), list[plain]!, 'must be an object for an array of list-type map');
    return;
  }
  const times = new Map<string, number>();
  list.forEach((item, i) => {
    const key = keyText(item, schema);
    const count = times.get(key) ?? 0;
    times.set(key, count + 1);
    if (count === 1) errors.duplicate(path.index(i), schema.listType === 'map' ? keysOf(item, schema) : item);
  });
}

/** Reports whether the value has the type of the schema. */
function checkType(value: JsonValue, schema: Schema, path: FieldPath, errors: FieldErrors): boolean {
  return checkValueType(value, { type: typeName(schema), format: schema.constraints?.format }, path, errors);
}

const FLOAT_MAX = 3.4028234663852886e38;

/** Returns the type that a schema requires; undefined for any type. */
function typeName(schema: Schema): string | undefined {
  switch (schema.kind) {
    case 'struct':
    case 'map':
      return 'object';
    case 'list':
      return 'array';
    case 'any':
      return schema.form === 'json' ? undefined : 'object';
    case 'scalar':
      return SCALAR_NAMES[schema.type];
  }
}

const SCALAR_NAMES = {
  string: 'string',
  bytes: 'string',
  time: 'string',
  microTime: 'string',
  duration: 'string',
  quantity: 'string',
  bool: 'boolean',
  int32: 'integer',
  int64: 'integer',
  float64: 'number',
  intOrString: 'integer,string',
} as const satisfies Record<ScalarSchema['type'], string>;

const INT32 = { min: -(2n ** 31n), max: 2n ** 31n - 1n } as const;

/** Reports a number that is too large for its format. */
function checkRange(value: JsonValue, schema: ScalarSchema, path: FieldPath, errors: FieldErrors): void {
  if (schema.constraints?.format === 'float' && typeof value === 'number' && Math.abs(value) > FLOAT_MAX) {
    outOfRange('number with format float', path, errors);
    return;
  }
  const narrow = schema.type === 'int32' || schema.constraints?.format === 'int32';
  if (narrow && isWhole(value) && !inRange(value, INT32)) outOfRange('integer with format int32', path, errors);
}
