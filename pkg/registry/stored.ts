import type { JsonObject } from '../api/index.js';
import { errors } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import { encodeCbor, encodeStoredProtobuf, readJson } from '../codec/index.js';
import type { ServedResource } from './catalogue.js';

/** Numbers of 16 digits and more may be int64 that a double cannot hold. */
const LONG_NUMBER = /[:[,]-?\d{16}/;

/** Stored bytes were encoded by this server and checked then: the quick way to read them. */
export const parseStored = (bytes: Buffer): JsonObject => parseText(bytes.toString());

function parseText(text: string): JsonObject {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text) as JsonObject;
  const exact = readJson(Buffer.from(text));
  if (!exact.ok) throw errors.storeRead(exact.message);
  return exact.value as JsonObject;
}

/** The protobuf message of an object, without the envelope: an item of a list. */
export function storedProtobuf(resource: ServedResource, stored: StoredObject): Buffer {
  return stored.encoding('protobuf', (o) => encodeStoredProtobuf(resource.type.schema, o.json, parseText));
}

/** The length of that message. */
export function storedProtobufBytes(resource: ServedResource, stored: StoredObject): number {
  return stored.encodedBytes('protobuf', (o) => encodeStoredProtobuf(resource.type.schema, o.json, parseText));
}

export function storedCbor(resource: ServedResource, stored: StoredObject): Buffer {
  return stored.encoding('cbor', (o) => encodeCbor(resource.type.schema, o.parse()));
}
