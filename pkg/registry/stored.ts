import type { JsonObject } from '../api/index.js';
import { errors } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import { decodeJson, encodeCbor, encodeStoredProtobuf, readJson } from '../codec/index.js';
import type { StructSchema } from '../schema/index.js';
import type { ServedResource } from './servedresources.js';

/** Matches numbers of 16 digits and more, which may be int64 values that a double cannot represent. */
const LONG_NUMBER = /[:[,]-?\d{16}/;

/** Parses stored bytes. The server checked them when it encoded them, so the fast parser is sufficient. */
export const parseStored = (bytes: Buffer): JsonObject => parseText(bytes.toString());

function parseText(text: string): JsonObject {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text) as JsonObject;
  const exact = readJson(Buffer.from(text));
  if (!exact.ok) throw errors.storeRead(exact.message);
  return exact.value as JsonObject;
}

/** The same of bytes whose type has doubles: a large integer is one there, and not an int64. */
export function parseStoredAs(schema: StructSchema, bytes: Buffer): JsonObject {
  const text = bytes.toString();
  if (!LONG_NUMBER.test(text)) return JSON.parse(text) as JsonObject;
  const decoded = decodeJson(schema, bytes);
  if (!decoded.ok) throw errors.storeRead(decoded.message);
  return decoded.object;
}

/** Returns the protobuf message of an object without the envelope, as in a list. */
export function storedProtobuf(resource: ServedResource, stored: StoredObject): Buffer {
  return stored.encoding('protobuf', (o) => protobufOf(resource, o));
}

/** Returns the length of that message in bytes. */
export function storedProtobufBytes(resource: ServedResource, stored: StoredObject): number {
  return stored.encodedBytes('protobuf', (o) => protobufOf(resource, o));
}

/** Controllers and selectors have read most objects that were just written, so that their value need not be parsed again. */
function protobufOf(resource: ServedResource, o: StoredObject): Buffer {
  return encodeStoredProtobuf(resource.type.schema, o.json, { value: o.keptValue(), parse: parseText });
}

export function storedCbor(resource: ServedResource, stored: StoredObject): Buffer {
  return stored.encoding('cbor', (o) => encodeCbor(resource.type.schema, o.parse()));
}
