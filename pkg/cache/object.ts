import type { JsonObject } from '../api/index.js';
import type { Revision } from '../base/index.js';

/**
 * One version of one object, immutable. Its bytes are complete canonical JSON in the storage version, resourceVersion
 * included, and lie outside the JavaScript heap.
 */
export interface StoredObject {
  readonly key: string;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly revision: Revision;
  readonly createRevision: Revision;
  /** A view of the bytes, made at each call: never written into, keep it no longer than needed. */
  readonly json: Buffer;
  /** Parsed anew at each call; the caller owns the tree. */
  parse(): JsonObject;
}
