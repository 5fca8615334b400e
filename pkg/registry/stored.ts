import type { JsonObject } from '../api/index.js';
import { errors } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import { encodeCbor, encodeJson, encodeProtobuf, encodeStoredProtobuf, readJson } from '../codec/index.js';
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

/** The object in the version that is served, the caller's own copy. */
export function servedObject(resource: ServedResource, stored: StoredObject): JsonObject {
  const o = stored.parse();
  resource.conversion?.fromStorage(o);
  return o;
}

/** Its canonical JSON in the version that is served: the stored bytes themselves where that is the storage version. */
export function servedJson(resource: ServedResource, stored: StoredObject): Buffer {
  if (resource.conversion === undefined) return stored.json;
  return stored.encoding(idsOf(resource).json, (s) => encodeJson(resource.type.schema, servedObject(resource, s)));
}

/** The message alone, without envelope: what a list's item is. */
export function servedProtobuf(resource: ServedResource, stored: StoredObject): Buffer {
  return stored.encoding(idsOf(resource).protobuf, (s) => protobufOf(resource, s));
}

/** How long that is. */
export function servedProtobufBytes(resource: ServedResource, stored: StoredObject): number {
  return stored.encodedBytes(idsOf(resource).protobuf, (s) => protobufOf(resource, s));
}

const protobufOf = (resource: ServedResource, stored: StoredObject): Buffer =>
  resource.conversion === undefined
    ? encodeStoredProtobuf(resource.type.schema, stored.json, parseText)
    : encodeProtobuf(resource.type.schema, servedObject(resource, stored));

export function servedCbor(resource: ServedResource, stored: StoredObject): Buffer {
  return stored.encoding(idsOf(resource).cbor, (s) => encodeCbor(resource.type.schema, servedObject(resource, s)));
}

/** Names of encodings, one string each however many objects remember them. */
const ids = new WeakMap<ServedResource, Readonly<Record<'json' | 'protobuf' | 'cbor', string>>>();

function idsOf(resource: ServedResource): Readonly<Record<'json' | 'protobuf' | 'cbor', string>> {
  let found = ids.get(resource);
  if (found === undefined) {
    const { apiVersion } = resource;
    found = { json: `json ${apiVersion}`, protobuf: `protobuf ${apiVersion}`, cbor: `cbor ${apiVersion}` };
    ids.set(resource, found);
  }
  return found;
}
