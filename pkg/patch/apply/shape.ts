import {
  GoValue,
  getOwn,
  goFormat,
  goJsonString,
  goQuote,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../../api/index.js';
import {
  type AnySchema,
  type Field,
  type ListSchema,
  type ScalarSchema,
  type Schema,
  type StructSchema,
  scalarZero,
} from '../../schema/index.js';
import { type PathElement, valueElement, valueJson } from './element.js';

/** A schema, or undefined for an undeclared member. */
export type Node = Schema | undefined;

/**
 * The type without a schema (preserved unknown fields, custom resources without a schema): maps merge by key, lists are
 * atomic.
 */
export const deduced: AnySchema = { kind: 'any', form: 'json' };

/** Reports whether a struct may have fields that it does not declare. */
export const isOpen = (schema: StructSchema): boolean => schema.preserveUnknown || schema.tracksUnknown === true;

/** The schema of a member of a struct, a map or an unknown value. */
export function childSchema(schema: Node, name: string): Node {
  switch (schema?.kind) {
    case 'struct':
      return schema.byName.get(name)?.schema ?? (isOpen(schema) ? deduced : undefined);
    case 'map':
      return schema.values;
    case 'any':
      return schema.form === 'rawExtension' ? schema : deduced;
    default:
      return undefined;
  }
}

const byElement = new WeakMap<StructSchema, Map<PathElement, Schema>>();

/** The schema below a path element, if it has one. */
export function elementSchema(schema: Node, element: PathElement): Node {
  if (element.charCodeAt(0) !== 0x66) {
    return schema?.kind === 'list' && element.charCodeAt(0) === 0x6b ? schema.items : undefined;
  }
  if (schema?.kind !== 'struct') return childSchema(schema, element.slice(2));
  let fields = byElement.get(schema);
  if (fields === undefined) {
    fields = new Map(schema.fields.map((f) => [`f:${f.name}`, f.schema]));
    byElement.set(schema, fields);
  }
  return fields.get(element) ?? (isOpen(schema) ? deduced : undefined);
}

/** Reports whether a container is atomic: owned, compared and replaced as a whole. */
export function isAtomic(schema: Schema): boolean {
  switch (schema.kind) {
    case 'struct':
    case 'map':
      return schema.atomic;
    case 'list':
      return schema.listType === 'atomic';
    case 'any':
      return schema.form === 'rawExtension';
    default:
      return false;
  }
}

/** The values of a scalar field. Times, quantities, int-or-strings and texts with a format allow any scalar here; other checks refuse them. */
export function scalarClass(schema: ScalarSchema): 'numeric' | 'string' | 'boolean' | 'untyped' {
  switch (schema.type) {
    case 'int32':
    case 'int64':
    case 'float64':
      return 'numeric';
    case 'bool':
      return 'boolean';
    case 'string':
      return schema.formatted === true ? 'untyped' : 'string';
    case 'bytes':
    case 'duration':
      return 'string';
    default:
      return 'untyped';
  }
}

/** An object with members, or undefined: null, a missing value and every other type count as no object. */
export function asMap(v: JsonValue | undefined): JsonObject | undefined {
  return isObject(v) ? v : undefined;
}

/** The error for a list item without an identity, with the message of kube-apiserver. */
export class ElementError extends Error {}

interface KeyField {
  readonly name: string;
  /** `"name":` */
  readonly text: string;
  /** The value that counts for an item without the field; undefined if none does. */
  readonly default: JsonValue | undefined;
}

const keyFields = new WeakMap<ListSchema, readonly KeyField[]>();

function keyFieldsOf(list: ListSchema): readonly KeyField[] {
  let fields = keyFields.get(list);
  if (fields === undefined) {
    const byName = list.items.kind === 'struct' ? list.items.byName : undefined;
    fields = [...list.keys].sort().map((name) => ({
      name,
      text: `${goJsonString(name)}:`,
      default: keyDefault(byName?.get(name)),
    }));
    keyFields.set(list, fields);
  }
  return fields;
}

/**
 * The declared default, or the zero value of a field that is always written (such fields have it as their documented
 * default).
 */
function keyDefault(field: Field | undefined): JsonValue | undefined {
  if (field === undefined || field.default !== undefined) return field?.default;
  if (field.omitEmpty || field.pointer || field.proto === 0 || field.schema.kind !== 'scalar') return undefined;
  return scalarZero(field.schema);
}

/** Whether every item has an identity, because a key that is absent has a value that counts. */
export function keysHaveDefaults(list: ListSchema): boolean {
  return keyFieldsOf(list).some((field) => field.default !== undefined);
}

/** Returns the identity of an item of an associative list. Throws ElementError. */
export function listElement(list: ListSchema, item: JsonValue): PathElement {
  if (list.listType === 'set') return setElement(item);
  if (item === null) throw new ElementError('associative list with keys may not have a null element');
  if (!isObject(item) || item instanceof GoValue)
    throw new ElementError('associative list with keys may not have non-map elements');
  let key = '';
  for (const field of keyFieldsOf(list)) {
    const own = getOwn(item, field.name);
    const value = own === undefined ? field.default : own;
    if (value !== undefined) key += `${key === '' ? 'k:{' : ','}${field.text}${valueJson(value)}`;
  }
  if (key !== '') return `${key}}`;
  const names = list.keys.map(goQuote).join(' ');
  throw new ElementError(
    `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  );
}

function setElement(item: JsonValue): PathElement {
  if (isObject(item) && !(item instanceof GoValue))
    throw new ElementError("associative list without keys has an element that's a map type");
  if (Array.isArray(item)) throw new ElementError('not supported: associative list with lists as elements');
  if (item === null) throw new ElementError("associative list without keys has an element that's an explicit null");
  return valueElement(item);
}

/** Formats a value as in type errors. */
export function shown(v: JsonValue): string {
  return `&{${goFormat(v)}}`;
}
