import { type JsonArray, type JsonObject, type JsonValue, parseDuration } from '../../api/index.js';
import type {
  AnySchema,
  Field,
  ListSchema,
  MapSchema,
  ScalarSchema,
  Schema,
  StructSchema,
} from '../../schema/index.js';
import { sortedKeys } from '../json/encode.js';
import { writeValue } from '../json/write.js';
import { timeParts } from '../scalar/time.js';
import { Verbatim } from './verbatim.js';
import { BackwardWriter } from './writer.js';

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;

/**
 * Encodes an object as a protobuf message with the same bytes as Go's generated code: fields in ascending number,
 * scalars that are not pointers even if zero, structs by value even if empty, map entries sorted by key. No envelope
 * (envelope.ts).
 */
export function encodeProtobuf(schema: StructSchema, object: JsonObject): Buffer {
  const writer = new BackwardWriter();
  messageOf(schema)(writer, object);
  return writer.finish();
}

/** Writes a value without tag and length. */
type Write = (w: BackwardWriter, value: JsonValue) => void;
/** Writes a field of a struct with its tag, or nothing if it is absent. */
type WriteField = (w: BackwardWriter, owner: JsonObject) => void;

const messages = new WeakMap<StructSchema, (w: BackwardWriter, value: JsonObject) => void>();

function messageOf(schema: StructSchema): (w: BackwardWriter, value: JsonObject) => void {
  const known = messages.get(schema);
  if (known !== undefined) return known;
  const fields: { readonly proto: number; readonly write: WriteField }[] = [];
  let compiled: readonly WriteField[] | undefined;
  const message = (w: BackwardWriter, value: JsonObject): void => {
    compiled ??= fields.sort((a, b) => b.proto - a.proto).map((f) => f.write);
    for (const write of compiled) write(w, value);
  };
  messages.set(schema, message);
  for (const field of schema.fields) {
    if (field.proto > 0 && field.inlineIn === undefined) fields.push({ proto: field.proto, write: fieldWriter(field) });
  }
  for (const inline of schema.inlineMessages ?? []) {
    const inner = messageOf(inline.schema);
    fields.push({
      proto: inline.proto,
      write: (w, owner) => {
        const mark = w.length();
        inner(w, owner);
        closeMessage(w, mark, inline.proto);
      },
    });
  }
  return message;
}

function tag(w: BackwardWriter, proto: number, wireType: number): void {
  w.varint(proto * 8 + wireType);
}

function closeMessage(w: BackwardWriter, mark: number, proto: number): void {
  w.varint(w.length() - mark);
  tag(w, proto, BYTES);
}

const EMPTY: JsonObject = {};

const objectOr = (value: JsonValue | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : EMPTY;

function fieldWriter(field: Field): WriteField {
  const { name, proto, schema, pointer } = field;
  switch (schema.kind) {
    case 'list':
      return listField(name, proto, schema);
    case 'map':
      return mapField(name, proto, schema);
    default: {
      const write = element(schema, proto);
      // Nil byte strings are omitted, as nil pointers are.
      const optional = pointer || (schema.kind === 'scalar' && schema.type === 'bytes');
      return (w, owner) => {
        const value = owner[name];
        if (value !== undefined && value !== null) write(w, value);
        else if (!optional) write(w, null);
      };
    }
  }
}

function listField(name: string, proto: number, schema: ListSchema): WriteField {
  const items = element(schema.items, schema.boxed ? 1 : proto);
  const all = (w: BackwardWriter, list: JsonArray): void => {
    for (let i = list.length - 1; i >= 0; i--) items(w, list[i]!);
  };
  if (!schema.boxed) {
    return (w, owner) => {
      const list = owner[name];
      if (Array.isArray(list)) all(w, list);
    };
  }
  return (w, owner) => {
    const list = owner[name];
    if (!Array.isArray(list)) return;
    const mark = w.length();
    all(w, list);
    closeMessage(w, mark, proto);
  };
}

function mapField(name: string, proto: number, schema: MapSchema): WriteField {
  const write = element(schema.values, 2);
  return (w, owner) => {
    const map = objectOr(owner[name]);
    const keys = sortedKeys(map);
    for (let i = keys.length - 1; i >= 0; i--) {
      const mark = w.length();
      write(w, map[keys[i]!]!);
      text(w, keys[i]!);
      tag(w, 1, BYTES);
      closeMessage(w, mark, proto);
    }
  };
}

/** Writes one value with its tag; null is written as the zero value. */
function element(schema: Schema, proto: number): Write {
  switch (schema.kind) {
    case 'struct': {
      let message: ((w: BackwardWriter, value: JsonObject) => void) | undefined;
      return (w, value) => {
        message ??= messageOf(schema);
        const mark = w.length();
        message(w, objectOr(value));
        closeMessage(w, mark, proto);
      };
    }
    case 'list': {
      // A list inside a map or list is always a separate message.
      const items = element(schema.items, 1);
      return (w, value) => {
        const mark = w.length();
        if (Array.isArray(value)) for (let i = value.length - 1; i >= 0; i--) items(w, value[i]!);
        closeMessage(w, mark, proto);
      };
    }
    case 'scalar':
      return scalar(schema, proto);
    case 'any':
      return any(schema, proto);
    case 'map':
      throw new Error('codec: protobuf has no map of maps');
  }
}

/** Returns the size of a string with its length prefix. */
function text(w: BackwardWriter, value: string): void {
  const mark = w.length();
  w.utf8(value);
  w.varint(w.length() - mark);
}

/** Returns the size of bytes with their length prefix. */
function bytes(w: BackwardWriter, value: Buffer): void {
  w.bytes(value);
  w.varint(value.length);
}

function scalar(schema: ScalarSchema, proto: number): Write {
  const field = (wireType: number, write: Write): Write => {
    const key = proto * 8 + wireType;
    return (w, value) => {
      write(w, value);
      w.varint(key);
    };
  };
  const message = (write: Write): Write => {
    return (w, value) => {
      const mark = w.length();
      write(w, value);
      closeMessage(w, mark, proto);
    };
  };
  switch (schema.type) {
    case 'string':
      return field(BYTES, (w, v) => text(w, typeof v === 'string' ? v : ''));
    case 'bool':
      return field(VARINT, (w, v) => w.byte(v === true ? 1 : 0));
    case 'int32':
    case 'int64':
      return field(VARINT, (w, v) => w.signed(wholeNumber(v)));
    case 'float64':
      return field(FIXED64, (w, v) => w.double(Number(v ?? 0)));
    case 'bytes':
      return field(BYTES, (w, v) => bytes(w, Buffer.from(typeof v === 'string' ? v : '', 'base64')));
    case 'time':
    case 'microTime':
      return message(writeTime);
    case 'quantity':
      return message((w, v) => {
        text(w, typeof v === 'string' ? v : '0');
        tag(w, 1, BYTES);
      });
    case 'duration':
      return message((w, v) => {
        w.signed(typeof v === 'string' ? (parseDuration(v) ?? 0n) : 0n);
        tag(w, 1, VARINT);
      });
    case 'intOrString':
      return message(writeIntOrString);
  }
}

const wholeNumber = (v: JsonValue): number | bigint => (typeof v === 'number' || typeof v === 'bigint' ? v : 0);

function writeTime(w: BackwardWriter, value: JsonValue): void {
  if (typeof value !== 'string') return;
  const { seconds, nanos } = timeParts(value);
  w.varint(nanos);
  tag(w, 2, VARINT);
  w.signed(seconds);
  tag(w, 1, VARINT);
}

function writeIntOrString(w: BackwardWriter, value: JsonValue): void {
  const isString = typeof value === 'string';
  text(w, isString ? value : '');
  tag(w, 3, BYTES);
  w.signed(isString ? 0 : wholeNumber(value));
  tag(w, 2, VARINT);
  w.byte(isString ? 1 : 0);
  tag(w, 1, VARINT);
}

function any(schema: AnySchema, proto: number): Write {
  if (schema.either !== undefined) return either(schema.either.object, schema.either.or, proto);
  return (w, value) => {
    const mark = w.length();
    if (value !== null) {
      if (value instanceof Verbatim) bytes(w, value.json);
      else text(w, writeValue(value));
      tag(w, 1, BYTES);
    }
    closeMessage(w, mark, proto);
  };
}

/** `JSONSchemaPropsOr...`: an object is field 1 (2 beside a bool), the alternative is the other field. */
function either(object: StructSchema, or: 'list' | 'bool' | 'stringList', proto: number): Write {
  const inner = element(object, or === 'bool' ? 2 : 1);
  const other =
    or === 'list'
      ? element(object, 2)
      : element({ kind: 'scalar', type: or === 'bool' ? 'bool' : 'string' }, or === 'bool' ? 1 : 2);
  return (w, value) => {
    const mark = w.length();
    if (Array.isArray(value)) for (let i = value.length - 1; i >= 0; i--) other(w, value[i]!);
    else {
      const isObject = typeof value === 'object' && value !== null;
      if (isObject) inner(w, value);
      if (or === 'bool') other(w, isObject || value === true);
    }
    closeMessage(w, mark, proto);
  };
}
