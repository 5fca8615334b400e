import { cloneJson, getOwn, goKindName, isObject, type JsonObject, type JsonValue, setOwn } from '../api/index.js';
import { type ScalarSchema, type Schema, type StructSchema, sortRawExtensions } from '../schema/index.js';
import { jsonTypeName } from './json-patch.js';

/**
 * Converts a merged tree of values to the types of its schema; strategic merge patch and apply do this instead of
 * decoding text. As in kube-apiserver, integers beyond 32 bits wrap in an int32 field, and whole numbers written as
 * floats become integers; all other values must have the right type.
 *
 * Returns the value (the same one if nothing changes), or the message for the first wrong type. Unknown fields, and
 * scalars with a syntax of their own (times, quantities, durations), are left to the decoder. The parts that `v` shares with `typed`, an
 * object of the schema's types, are not examined again.
 */
export function restoreTyped(
  v: JsonObject,
  schema: Schema,
  typed?: JsonObject,
): { readonly value: JsonObject } | { readonly error: string } {
  try {
    return { value: restore(v, schema, typed) as JsonObject };
  } catch (e) {
    if (e instanceof Misfit) return { error: e.message };
    throw e;
  }
}

/** A private copy of a restored tree. Opaque objects have the order of keys in which kube-apiserver writes them anew. */
export function typedCopy(v: JsonObject, schema: StructSchema | undefined): JsonObject {
  const copy = cloneJson(v);
  if (schema !== undefined) sortRawExtensions(copy, schema);
  return copy;
}

export type Restored = { readonly value: JsonObject } | { readonly error: string };

class Misfit extends Error {}

function restore(v: JsonValue, schema: Schema, typed: JsonValue | undefined): JsonValue {
  if (v === null || v === typed) return v;
  switch (schema.kind) {
    case 'any':
      return v;
    case 'scalar':
      return scalar(v, schema);
    case 'list': {
      if (!Array.isArray(v)) throw new Misfit(`cannot restore slice from ${goKindName(v)}`);
      let out = v;
      const typedItems = Array.isArray(typed) ? typed : [];
      for (let i = 0; i < v.length; i++) {
        const item = restore(v[i]!, schema.items, typedItems[i]);
        if (item === v[i]) continue;
        if (out === v) out = v.slice();
        out[i] = item;
      }
      return out;
    }
    case 'map':
      if (!isObject(v)) throw new Misfit(`cannot restore map from ${goKindName(v)}`);
      return members(v, Object.keys(v), () => schema.values, typed);
    case 'struct': {
      if (!isObject(v)) throw new Misfit(`cannot restore struct from: ${goKindName(v)}`);
      const keys = Object.keys(v).filter((k) => schema.byName.has(k));
      return members(v, keys, (k) => schema.byName.get(k)!.schema, typed);
    }
  }
}

function members(
  v: JsonObject,
  keys: readonly string[],
  schemaOf: (key: string) => Schema,
  typed: JsonValue | undefined,
): JsonObject {
  const typedMembers = isObject(typed) ? typed : {};
  let out = v;
  for (const key of keys) {
    const old = v[key]!;
    const value = restore(old, schemaOf(key), getOwn(typedMembers, key));
    if (value === old) continue;
    if (out === v) out = { ...v };
    setOwn(out, key, value);
  }
  return out;
}

function scalar(v: JsonValue, schema: ScalarSchema): JsonValue {
  const kind = goKindName(v);
  switch (schema.type) {
    case 'string':
      if (kind === 'string') return v;
      throw new Misfit(kind === 'int64' ? `cannot convert int64 to ${typeName(schema)}` : 'unrecognized type: string');
    case 'bool':
      if (kind === 'bool') return v;
      throw new Misfit('unrecognized type: bool');
    case 'bytes':
      return bytes(v, kind);
    case 'int32':
    case 'int64':
    case 'float64':
      if (kind === 'int64') return schema.type === 'int32' ? wrap32(v as number | bigint) : v;
      if (kind !== 'float64') throw new Misfit(`unrecognized type: ${schema.type}`);
      if (schema.type !== 'float64') throw new Misfit(`cannot convert float64 to ${typeName(schema)}`);
      return v;
    case 'intOrString':
      // It has a decoder of its own, which does not know the field.
      if (kind !== 'string' && !isInt32(v))
        throw new Misfit(`json: cannot unmarshal ${jsonKind(v)} into Go value of type int32`);
      return v;
    default:
      return v;
  }
}

const isInt32 = (v: JsonValue): boolean => typeof v === 'number' && (v | 0) === v;

/** The name of a value's JSON type, and a number itself, as Go's decoder names them. */
function jsonKind(v: JsonValue): string {
  return typeof v === 'number' || typeof v === 'bigint' ? `number ${v}` : jsonTypeName(v);
}

function wrap32(n: number | bigint): number {
  return typeof n === 'number' && n === (n | 0) ? n : Number(BigInt.asIntN(32, BigInt(n)));
}

/** Returns `v1.Protocol` for an alias of the core group, otherwise the plain name. */
function typeName(schema: ScalarSchema): string {
  if (schema.alias === undefined) return schema.type;
  return schema.alias.slice(schema.alias.lastIndexOf('/') + 1);
}

function bytes(v: JsonValue, kind: string): JsonValue {
  if (Array.isArray(v)) return Buffer.from(v.map(byte)).toString('base64');
  if (kind !== 'string') throw new Misfit(`cannot restore slice from ${kind}`);
  const at = badBase64(v as string);
  if (at !== undefined) throw new Misfit(`error decoding from json: illegal base64 data at input byte ${at}`);
  return v;
}

/** One of a list of bytes; null is 0. */
function byte(v: JsonValue): number {
  if (v === null) return 0;
  const kind = goKindName(v);
  if (kind === 'float64') throw new Misfit('cannot convert float64 to uint8');
  if (kind !== 'int64') throw new Misfit('unrecognized type: uint8');
  return typeof v === 'bigint' ? Number(BigInt.asUintN(8, v)) : (v as number) & 0xff;
}

/** Returns the position of the first error in standard base64 with padding; line breaks are skipped. */
function badBase64(text: string): number | undefined {
  if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return undefined;
  let quantum = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c === '\r' || c === '\n') continue;
    if (/[A-Za-z0-9+/]/.test(c)) {
      quantum = (quantum + 1) % 4;
      continue;
    }
    if (c !== '=' || quantum < 2) return i;
    const rest = text.slice(i + 1).replace(/[\r\n]/g, '');
    if (quantum === 2 && rest[0] !== '=') return rest === '' ? text.length : i + 1;
    const tail = quantum === 2 ? rest.slice(1) : rest;
    return tail === '' ? undefined : text.length - tail.length;
  }
  return quantum === 0 ? undefined : Math.max(0, text.length - quantum);
}
