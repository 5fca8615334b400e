import { formatDuration, type JsonArray, type JsonObject, type JsonValue, setOwn } from '../../api/index.js';
import { finish, type Steps } from '../../base/index.js';
import {
  type AnySchema,
  type Field,
  type ListSchema,
  type ScalarSchema,
  type Schema,
  type StructSchema,
  scalarZero,
} from '../../schema/index.js';
import { type Decoded, nothingStrict, readJsonBody } from '../json/decode.js';
import { normaliseSteps } from '../json/normal.js';
import { codecLimits } from '../limits.js';
import { canonicalQuantityText } from '../scalar/quantity.js';
import { timeOfParts } from '../scalar/time.js';
import { ProtobufFailure, Reader } from './reader.js';

/**
 * Decodes a protobuf message (without envelope) to an object in normal form. Unknown fields are skipped, even under
 * Strict, as in kube-apiserver. A field may be repeated: the last scalar wins, messages merge, lists and maps grow.
 */
export function decodeProtobuf(schema: StructSchema, message: Buffer): Decoded {
  return finish(protobufSteps(schema, message));
}

/** `decodeProtobuf` in steps. */
export function* protobufSteps(schema: StructSchema, message: Buffer): Steps<Decoded> {
  const object: JsonObject = {};
  try {
    const reader = new Reader(message);
    yield* reader.steps(() => messageOf(schema)(reader, object));
  } catch (failure) {
    if (failure instanceof ProtobufFailure) return { ok: false, message: failure.message };
    throw failure;
  }
  yield;
  const { clean, value } = yield* normaliseSteps(schema, object);
  return clean
    ? { ok: true, object: value as JsonObject, strict: nothingStrict }
    : { ok: false, message: `proto: ${schema.name} has a value out of the range of its type` };
}

type ReadField = (r: Reader, owner: JsonObject, wireType: number) => void;
type ReadMessage = (r: Reader, owner: JsonObject) => void;

const messages = new WeakMap<StructSchema, ReadMessage>();

function messageOf(schema: StructSchema): ReadMessage {
  const known = messages.get(schema);
  if (known !== undefined) return known;
  const fields: ReadField[] = [];
  const typeName = schema.name.slice(schema.name.lastIndexOf('.') + 1);
  const message: ReadMessage = (r, owner) => {
    while (r.at < r.end) {
      if (r.isStepOver()) {
        r.putOff(() => void message(r, owner));
        r.at = r.end;
        return;
      }
      r.count();
      const tag = r.varint();
      const proto = Math.floor(tag / 8);
      if (proto <= 0 || tag % 8 === 4) {
        r.fail(
          proto <= 0
            ? `proto: ${typeName}: illegal tag ${proto} (wire type ${tag})`
            : `proto: ${typeName}: wiretype end group for non-group`,
        );
      }
      const read = fields[proto];
      if (read === undefined) r.skip(tag);
      else read(r, owner, tag % 8);
    }
  };
  messages.set(schema, message);
  for (const field of schema.fields) {
    if (field.proto > 0 && field.inlineIn === undefined) fields[field.proto] = fieldReader(field);
  }
  for (const inline of schema.inlineMessages ?? []) {
    const inner = messageOf(inline.schema);
    fields[inline.proto] = (r, owner, wireType) => {
      expectWire(r, wireType, BYTES, inline.schema.name);
      const outer = r.enter();
      inner(r, owner);
      r.leave(outer);
    };
  }
  return message;
}

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;

function expectWire(r: Reader, wireType: number, expected: number, name: string): void {
  if (wireType !== expected) r.fail(`proto: wrong wireType = ${wireType} for field ${name}`);
}

function fieldReader(field: Field): ReadField {
  const { name, schema } = field;
  switch (schema.kind) {
    case 'list':
      return listField(name, schema);
    case 'map': {
      const value = valueReader(schema.values);
      const zero = mapZero(schema.values);
      return (r, owner, wireType) => {
        expectWire(r, wireType, BYTES, name);
        owner[name] ??= {};
        const map = owner[name] as JsonObject;
        let key = '';
        let held: JsonValue | undefined;
        const outer = r.enter();
        while (r.at < r.end) {
          const tag = r.varint();
          if (tag === 8 + BYTES) key = r.text();
          else if (tag >= 16 && tag < 24) held = value(r, tag % 8, held, name);
          else r.skip(tag);
        }
        r.leave(outer);
        setOwn(map, key, held ?? zero());
        r.countEntry(map);
      };
    }
    default: {
      if (schema.kind === 'any' && schema.either === undefined) return rawField(name);
      const value = valueReader(schema);
      return (r, owner, wireType) => {
        owner[name] = value(r, wireType, owner[name], name);
      };
    }
  }
}

/** Returns the value of a map entry without a value. */
function mapZero(schema: Schema): () => JsonValue {
  if (schema.kind === 'struct') return () => ({});
  if (schema.kind === 'list') return () => null;
  const zero = schema.kind === 'scalar' && schema.type === 'bytes' ? '' : scalarZero(schema);
  return () => zero;
}

function listField(name: string, schema: ListSchema): ReadField {
  const item = valueReader(schema.items);
  const packable = schema.items.kind === 'scalar' && PACKABLE.has(schema.items.type);
  const wire = packable ? VARINT : BYTES;
  return (r, owner, wireType) => {
    owner[name] ??= [];
    const list = owner[name] as JsonArray;
    if (schema.boxed) {
      expectWire(r, wireType, BYTES, name);
      readItems(r, list, item);
    } else if (packable && wireType === BYTES) {
      const outer = r.enter();
      while (r.at < r.end) {
        r.count();
        list.push(item(r, wire, undefined, name));
      }
      r.leave(outer);
    } else list.push(item(r, wireType, undefined, name));
  };
}

const PACKABLE: ReadonlySet<string> = new Set(['bool', 'int32', 'int64']);

/** The message of a named list: `items` = 1. */
function readItems(r: Reader, list: JsonArray, item: ReadValue): void {
  const outer = r.enter();
  while (r.at < r.end) {
    r.count();
    const tag = r.varint();
    if (Math.floor(tag / 8) === 1) list.push(item(r, tag % 8, undefined, 'items'));
    else r.skip(tag);
  }
  r.leave(outer);
}

/** Reads one value after its tag; `held` is the value of an earlier occurrence. */
type ReadValue = (r: Reader, wireType: number, held: JsonValue | undefined, name: string) => JsonValue;

function valueReader(schema: Schema): ReadValue {
  switch (schema.kind) {
    case 'struct': {
      let inner: ReadMessage | undefined;
      return (r, wireType, held, name) => {
        inner ??= messageOf(schema);
        const read = inner;
        expectWire(r, wireType, BYTES, name);
        const object = (held ?? {}) as JsonObject;
        const outer = r.enter();
        read(r, object);
        r.leave(outer);
        return object;
      };
    }
    case 'list': {
      const item = valueReader(schema.items);
      return (r, wireType, held, name) => {
        expectWire(r, wireType, BYTES, name);
        const list = (held ?? []) as JsonArray;
        readItems(r, list, item);
        return list.length === 0 ? null : list;
      };
    }
    case 'scalar':
      return scalar(schema);
    case 'any':
      return any(schema);
    case 'map':
      throw new Error('codec: protobuf has no map of maps');
  }
}

function scalar(schema: ScalarSchema): ReadValue {
  const of = (wire: number, read: (r: Reader) => JsonValue): ReadValue => {
    return (r, wireType, _held, name) => {
      if (wireType !== wire) expectWire(r, wireType, wire, name);
      return read(r);
    };
  };
  switch (schema.type) {
    case 'string':
      return of(BYTES, (r) => r.text());
    case 'bool':
      return of(VARINT, (r) => r.varint() !== 0);
    case 'int32':
      return of(VARINT, (r) => r.int32());
    case 'int64':
      return of(VARINT, (r) => r.int64());
    case 'float64':
      return of(FIXED64, (r) => {
        const value = r.double();
        return Number.isFinite(value) ? value : r.fail('proto: number has no JSON representation');
      });
    case 'bytes':
      return of(BYTES, (r) => r.bytes().toString('base64'));
    case 'time':
      return of(BYTES, (r) => readTime(r, false));
    case 'microTime':
      return of(BYTES, (r) => readTime(r, true));
    case 'quantity':
      return of(BYTES, readQuantityMessage);
    case 'duration':
      return of(BYTES, (r) => {
        let nanos: number | bigint = 0;
        eachField(r, (tag) => {
          if (tag !== 8) return false;
          nanos = r.int64();
          return true;
        });
        return formatDuration(BigInt(nanos));
      });
    case 'intOrString':
      return of(BYTES, readIntOrString);
  }
}

/** Reads a nested message; `read` reports whether it consumed the value after `tag`. */
function eachField(r: Reader, read: (tag: number) => boolean): void {
  const outer = r.enter();
  while (r.at < r.end) {
    const tag = r.varint();
    if (!read(tag)) r.skip(tag);
  }
  r.leave(outer);
}

const ZERO_TIME_SECONDS = -62_135_596_800;

function readTime(r: Reader, micro: boolean): JsonValue {
  let seconds: number | bigint | undefined;
  let nanos = 0;
  eachField(r, (tag) => {
    if (tag === 8) seconds = r.int64();
    else if (tag === 16) nanos = r.int32();
    else return false;
    return true;
  });
  if (seconds === undefined && nanos === 0) return null;
  if (Number(seconds) === ZERO_TIME_SECONDS && nanos === 0) return null;
  return timeOfParts(Number(seconds ?? 0), nanos, micro) ?? r.fail('proto: time out of range');
}

function readQuantityMessage(r: Reader): JsonValue {
  let text = '0';
  eachField(r, (tag) => {
    if (tag !== 8 + BYTES) return false;
    text = r.text();
    return true;
  });
  const read = canonicalQuantityText(text);
  return read.ok ? read.text : r.fail(read.message);
}

function readIntOrString(r: Reader): JsonValue {
  let isString = false;
  let number = 0;
  let text = '';
  eachField(r, (tag) => {
    if (tag === 8) isString = r.varint() === 1;
    else if (tag === 16) number = r.int32();
    else if (tag === 24 + BYTES) text = r.text();
    else return false;
    return true;
  });
  return isString ? text : number;
}

function any(schema: AnySchema): ReadValue {
  const { either } = schema;
  if (either !== undefined) return eitherReader(either.object, either.or);
  return (r, wireType, _held, name) => finish(readRaw(r, rawBytes(r, wireType, name)));
}

/** A field without a schema. A large value is read in steps. */
function rawField(name: string): ReadField {
  return (r, owner, wireType) => {
    const raw = rawBytes(r, wireType, name);
    if (raw === undefined || raw.length < codecLimits.countedBytesMin) owner[name] = finish(readRaw(r, raw));
    else
      r.putOff(function* () {
        owner[name] = yield* readRaw(r, raw);
      });
  };
}

/** The JSON text of a value without a schema. */
function rawBytes(r: Reader, wireType: number, name: string): Buffer | undefined {
  expectWire(r, wireType, BYTES, name);
  let raw: Buffer | undefined;
  eachField(r, (tag) => {
    if (tag !== 8 + BYTES) return false;
    raw = r.bytes();
    return true;
  });
  return raw;
}

function* readRaw(r: Reader, raw: Buffer | undefined): Steps<JsonValue> {
  if (raw === undefined || raw.length === 0) return null;
  const read = yield* readJsonBody(raw);
  return read.ok ? read.value : r.fail(read.message);
}

function eitherReader(object: StructSchema, or: 'list' | 'bool' | 'stringList'): ReadValue {
  const inner = valueReader(object);
  const schemaField = or === 'bool' ? 2 : 1;
  return (r, wireType, _held, name) => {
    expectWire(r, wireType, BYTES, name);
    let schema: JsonValue | undefined;
    let allows = false;
    const others: JsonArray = [];
    eachField(r, (tag) => {
      const proto = Math.floor(tag / 8);
      if (proto === schemaField) schema = inner(r, tag % 8, schema, name);
      else if (or === 'bool' && tag === 8) allows = r.varint() !== 0;
      else if (or === 'list' && proto === 2) others.push(inner(r, tag % 8, undefined, name));
      else if (or === 'stringList' && tag === 16 + BYTES) others.push(r.text());
      else return false;
      return true;
    });
    return schema ?? (or === 'bool' ? allows : others);
  };
}
