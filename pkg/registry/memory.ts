import type { StoredObject } from '../cache/index.js';
import type { TrackedResource } from '../patch/index.js';
import type { Parts } from './forms.js';

/**
 * What a server computes for a served resource once, or keeps for a short time. It is a part of the resource, so two servers in one
 * process share none of it, and it goes with the resource.
 */
export interface ResourceMemory {
  /** The names of encodings in the version of the resource. Each is one string, shared by all objects that keep an encoding. */
  readonly encodings: Readonly<Record<'json' | 'protobuf' | 'cbor', string>>;
  /** The last rows and metadata that watches delivered, by form. */
  readonly rows: Map<string, RowMemory>;
  /** What field ownership uses, by subresource. */
  readonly tracked: Map<string, TrackedResource>;
}

/** Returns the row of an object, and makes it if it is not among the last ones. */
export type RowMemory = (o: StoredObject, make: (o: StoredObject) => Parts) => Parts;

export function resourceMemory(apiVersion: string): ResourceMemory {
  return {
    encodings: { json: `json ${apiVersion}`, protobuf: `protobuf ${apiVersion}`, cbor: `cbor ${apiVersion}` },
    rows: new Map(),
    tracked: new Map(),
  };
}
