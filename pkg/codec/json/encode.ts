import { type JsonObject, type JsonValue, remembersEmpty } from '../../api/index.js';
import { type Steps, sortInPlace } from '../../base/index.js';
import {
  compilePerSchema,
  type ListSchema,
  leftOutWhenZero,
  type MapSchema,
  type Schema,
  type StructSchema,
  scalarZero,
} from '../../schema/index.js';
import { writeString, writeValue } from './write.js';

/**
 * Writes the canonical JSON of an object: fields in the order of their declaration (kind, apiVersion, metadata first),
 * map keys sorted, zero values omitted or written as in Go, no white space, no line break at the end. The same object
 * gives the same bytes on every peer. Fields that are not in the schema are dropped, or, if the schema preserves them,
 * written last and sorted.
 */
export function encodeJson(schema: StructSchema, object: JsonObject): Buffer {
  return Buffer.from(writerOf(schema)(object));
}

/**
 * Writes the stored form of an object: canonical JSON without `metadata.resourceVersion`, which each reader inserts at
 * the beginning of the metadata (splice.ts). It begins with `{"kind":"X","apiVersion":"Y","metadata":{`.
 */
export function encodeStored(schema: StructSchema, object: JsonObject): Buffer {
  return encodeJson(schema, withoutVersion(object));
}

function withoutVersion(object: JsonObject): JsonObject {
  const metadata = object['metadata'] as JsonObject | undefined;
  if (metadata?.['resourceVersion'] === undefined) return object;
  const { resourceVersion: _, ...stored } = metadata;
  return { ...object, metadata: stored };
}

/** `encodeJson` in steps. */
export function* encodeJsonSteps(schema: StructSchema, object: JsonObject): Steps<Buffer> {
  if (isSmall(object)) return encodeJson(schema, object);
  const buffers: Buffer[] = [];
  let text = '';
  for (const piece of piecesOf(schema)(object)) {
    text += piece;
    if (text.length < PIECE_CHARACTERS) continue;
    buffers.push(Buffer.from(text));
    text = '';
    yield;
  }
  buffers.push(Buffer.from(text));
  yield;
  return Buffer.concat(buffers);
}

export interface StoredForm {
  readonly bytes: Buffer;
  /**
   * Whether parsing the bytes gives an object equal to the given one, with map keys in the same order. False if that is not known.
   */
  readonly isExact: boolean;
}

/** `encodeStored` in steps. */
export function* storedSteps(schema: StructSchema, object: JsonObject): Steps<StoredForm> {
  const stored = withoutVersion(object);
  if (!isSmall(stored)) return { bytes: yield* encodeJsonSteps(schema, stored), isExact: false };
  differs = false;
  const bytes = encodeJson(schema, stored);
  return { bytes, isExact: !differs };
}

/**
 * Whether a writer has met something that reads differently from what it was given: a member that is left out or filled in, keys in
 * another order, a number that needs an exact reader. Valid during one synchronous write.
 */
let differs = false;

/** Returns a text that does not read as the value it stands for. */
function replaced(text: string): string {
  differs = true;
  return text;
}

/** A piece of this length takes a fraction of a millisecond. */
const PIECE_CHARACTERS = 16 * 1024;

/** Values with up to this many members and items are written at once. */
const SMALL_VALUES = 500;

/** Reports whether a value is written at once. It looks at no more than `SMALL_VALUES` members and items. */
function isSmall(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null || leftAfter(value, SMALL_VALUES) >= 0;
}

/** Returns how much of `left` remains after counting the members and items of a value; negative if it is not enough. */
function leftAfter(value: JsonValue, left: number): number {
  if (typeof value !== 'object' || value === null) return left;
  let rest = left;
  if (Array.isArray(value)) {
    rest -= value.length;
    for (let i = 0; i < value.length && rest >= 0; i++) rest = leftAfter(value[i]!, rest);
    return rest;
  }
  for (const key in value) {
    if (--rest < 0) return rest;
    rest = leftAfter(value[key]!, rest);
  }
  return rest;
}

type Writer = (value: JsonValue) => string;

interface FieldWriter {
  readonly index: number;
  readonly name: string;
  /** `"name":` */
  readonly key: string;
  readonly write: Writer;
  readonly schema: Schema;
  readonly leftOut: boolean;
  /** The text of a missing or null field, with its key; '' if it is omitted. */
  readonly zero: () => string;
  readonly dropZero: boolean;
}

const { now: writerOf, later } = compilePerSchema<string>({
  struct,
  map,
  list,
  scalar: ({ type }) =>
    type === 'string' || type === 'bytes' || type.endsWith('ime')
      ? (v) => (typeof v === 'string' ? writeString(v) : replaced('null'))
      : writeScalar,
  any: (schema) => (schema.either === undefined ? writeAny : either(schema.either.object)),
});

function writeScalar(value: JsonValue): string {
  if (!isReadAlike(value)) differs = true;
  return writeValue(value);
}

/** A value without a schema is written as it is. */
function writeAny(value: JsonValue): string {
  if (!differs && !isReadAlike(value)) differs = true;
  return writeValue(value);
}

/** Reports whether a plain JSON reader returns the value as it is. */
function isReadAlike(value: JsonValue): boolean {
  if (typeof value === 'number') return Math.abs(value) < LONG_NUMBER;
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint' && value !== undefined;
  if (Array.isArray(value)) return value.every(isReadAlike);
  if (remembersEmpty(value)) return false;
  for (const key in value) if (!isReadAlike(value[key]!)) return false;
  return true;
}

/** Numbers from here on have 16 digits and may be int64 values that a double cannot represent. */
const LONG_NUMBER = 1e15;

function fieldWriter(schema: StructSchema, index: number): FieldWriter {
  const field = schema.fields[index]!;
  const leftOut = leftOutWhenZero(schema, field);
  const key = `${writeString(field.name)}:`;
  const inner = field.schema;
  const zero = leftOut
    ? () => ''
    : inner.kind === 'struct' && !field.pointer
      ? () => key + writerOf(inner)({})
      : () => key + (field.pointer ? 'null' : writeValue(scalarZero(inner)));
  return {
    index,
    name: field.name,
    key,
    write: later(inner),
    schema: inner,
    leftOut,
    zero,
    dropZero: leftOut && !field.pointer,
  };
}

/** The fields of a value in the order of their declaration, and the keys that its schema does not know and preserves, sorted. */
interface Members {
  readonly found: readonly FieldWriter[];
  readonly unknown: readonly string[];
}

function membersIn(schema: StructSchema): (value: JsonObject) => Members {
  const fields = schema.fields.map((_, i) => fieldWriter(schema, i));
  const byName = new Map(fields.map((f) => [f.name, f]));
  const always = fields.filter((f) => !f.leftOut);
  return (value) => {
    const found: FieldWriter[] = [];
    let unknown: string[] | undefined;
    let missing = always.length;
    for (const key in value) {
      const field = byName.get(key);
      if (field === undefined) {
        differs = true;
        if (schema.preserveUnknown) {
          unknown ??= [];
          unknown.push(key);
        }
        continue;
      }
      found.push(field);
      if (!field.leftOut) missing--;
    }
    if (missing > 0) {
      differs = true;
      for (const field of always) if (!Object.hasOwn(value, field.name)) found.push(field);
    }
    return { found: sortInPlace(found, byIndex), unknown: unknown?.sort() ?? NONE };
  };
}

const NONE: readonly string[] = [];
const byIndex = (a: FieldWriter, b: FieldWriter): number => a.index - b.index;

function struct(schema: StructSchema): Writer {
  const membersOf = membersIn(schema);
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return replaced('null');
    if (!differs && remembersEmpty(value)) differs = true;
    const { found, unknown } = membersOf(value);
    let out = '';
    for (const field of found) {
      const text = member(field, value[field.name]);
      if (text !== '') out += out === '' ? text : `,${text}`;
    }
    for (const key of unknown) {
      out += `${out === '' ? '' : ','}${writeString(key)}:${writeSorted(value[key]!)}`;
    }
    return `{${out}}`;
  };
}

/** Writes a value without a schema with sorted keys, so that equal values have the same text. */
function writeSorted(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return writeValue(value);
  if (Array.isArray(value)) return `[${value.map(writeSorted).join(',')}]`;
  return `{${sortedKeys(value)
    .map((key) => `${writeString(key)}:${writeSorted(value[key]!)}`)
    .join(',')}}`;
}

const NULL = 'null';

/** Returns `"key":value`, or '' for an omitted field. */
function member(field: FieldWriter, value: JsonValue | undefined): string {
  if (value === undefined || value === null) {
    const zero = field.zero();
    return value === null && zero.length === field.key.length + NULL.length && zero.endsWith(NULL)
      ? zero
      : replaced(zero);
  }
  if (field.dropZero && (value === '' || value === 0 || value === false || value === 0n || isEmpty(value)))
    return replaced('');
  return field.key + field.write(value);
}

function isEmpty(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}

function map(schema: MapSchema): Writer {
  const write = elementWriter(schema.values);
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return replaced('null');
    const keys = sortedKeys(value);
    if (!differs && !isInOrder(value, keys)) differs = true;
    let out = '';
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]!;
      out += i === 0 ? '' : ',';
      out += `${writeString(key)}:${write(value[key]!)}`;
    }
    return `{${out}}`;
  };
}

function list(schema: ListSchema): Writer {
  const write = elementWriter(schema.items);
  return (value) => {
    if (!Array.isArray(value)) return replaced('null');
    let out = '';
    for (let i = 0; i < value.length; i++) out += (i === 0 ? '' : ',') + write(value[i]!);
    return `[${out}]`;
  };
}

/** Elements are written even if they are zero. */
function elementWriter(schema: Schema): Writer {
  const write = later(schema);
  if (schema.kind === 'struct') return (v) => (v === null ? replaced(write({})) : write(v));
  if (schema.kind === 'scalar' && schema.type === 'bytes') return (v) => (v === null ? replaced('""') : write(v));
  const zero = writeValue(scalarZero(schema));
  return (v) => (v === null ? replaced(zero) : write(v));
}

function either(object: StructSchema): Writer {
  const write = later(object);
  return (value) => {
    if (typeof value !== 'object' || value === null) return writeValue(value);
    if (!Array.isArray(value)) return write(value);
    return `[${value.map((v) => (typeof v === 'string' ? writeString(v) : write(v))).join(',')}]`;
  };
}

const ASTRAL = /[\ud800-\udfff]/;

/** Sorts keys by their UTF-8 bytes, as Go sorts maps. */
export function sortedKeys(value: JsonObject): string[] {
  const keys = Object.keys(value);
  if (keys.length < 2) return keys;
  sortInPlace(keys, byUnits);
  // UTF-16 order differs from UTF-8 order only between surrogates and the characters from U+E000 on.
  for (const key of keys) if (ASTRAL.test(key)) return keys.sort(byBytes);
  return keys;
}

const byUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

function isInOrder(value: JsonObject, keys: readonly string[]): boolean {
  let i = 0;
  for (const key in value) if (key !== keys[i++]) return false;
  return true;
}

/** The text of a large value in pieces. What is in it and small is written at once. */
const { now: piecesOf } = compilePerSchema<Iterable<string>>({
  struct: structPieces,
  map: mapPieces,
  list: listPieces,
  scalar: (schema) => (value) => [writerOf(schema)(value)],
  any: (schema) => (value) => [writerOf(schema)(value)],
});

function structPieces(schema: StructSchema): (value: JsonValue) => Iterable<string> {
  const membersOf = membersIn(schema);
  return function* (value) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      yield 'null';
      return;
    }
    const { found, unknown } = membersOf(value);
    let before = '{';
    for (const field of found) {
      const inner = value[field.name];
      if (inner === undefined || isSmall(inner)) {
        const text = member(field, inner);
        if (text === '') continue;
        yield before + text;
      } else {
        yield before + field.key;
        yield* piecesOf(field.schema)(inner);
      }
      before = ',';
    }
    for (const key of unknown) {
      yield `${before}${writeString(key)}:${writeSorted(value[key]!)}`;
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  };
}

function listPieces(schema: ListSchema): (value: JsonValue) => Iterable<string> {
  const write = elementWriter(schema.items);
  return function* (value) {
    if (Array.isArray(value)) yield* elements(value, write, schema.items);
    else yield 'null';
  };
}

function mapPieces(schema: MapSchema): (value: JsonValue) => Iterable<string> {
  const write = elementWriter(schema.values);
  return function* (value) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      yield 'null';
      return;
    }
    const keys = sortedKeys(value);
    const values = keys.map((key) => value[key]!);
    yield* elements(values, write, schema.values, keys);
  };
}

/** The elements of a list, or with their keys of a map, with the brackets. */
function* elements(
  values: readonly JsonValue[],
  write: Writer,
  schema: Schema,
  keys?: readonly string[],
): Iterable<string> {
  let text = keys === undefined ? '[' : '{';
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (i > 0) text += ',';
    if (keys !== undefined) text += `${writeString(keys[i]!)}:`;
    if (isSmall(value)) text += write(value);
    else {
      yield text;
      yield* piecesOf(schema)(value);
      text = '';
    }
    if (text.length < PIECE_CHARACTERS) continue;
    yield text;
    text = '';
  }
  yield text + (keys === undefined ? ']' : '}');
}
