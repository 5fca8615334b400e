import type { ApiError } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import type { TrackedResource } from '../patch/index.js';
import type { Parts } from './forms.js';

/**
 * Values that a server computes once for a served resource, or caches. They belong to the resource value, so two
 * servers in one process do not share them, and they are freed with it.
 */
export interface ResourceMemory {
  /** The names of encodings in the version of the resource. Each is one string, shared by all objects that keep an encoding. */
  readonly encodings: Readonly<Record<'json' | 'protobuf' | 'cbor', string>>;
  /** The last rows and metadata that watches delivered, by form. */
  readonly rows: Map<string, RowMemory>;
  /** The data of field ownership, by subresource. */
  readonly tracked: Map<string, TrackedResource>;
  /** The remote conversions that run. Watches of one event, and reads beside them, share one call. */
  readonly conversions: Map<StoredObject, Conversions>;
}

/** Converted objects in JSON, or why they could not be converted, by what they were converted from. */
export type Conversions = Promise<ReadonlyMap<StoredObject, Buffer | ApiError>>;

/** Returns the row of an object, and builds it if it is not cached. */
export type RowMemory = (o: StoredObject, make: (o: StoredObject) => Parts) => Parts;

export function resourceMemory(apiVersion: string): ResourceMemory {
  return {
    encodings: { json: `json ${apiVersion}`, protobuf: `protobuf ${apiVersion}`, cbor: `cbor ${apiVersion}` },
    rows: new Map(),
    tracked: new Map(),
    conversions: new Map(),
  };
}
