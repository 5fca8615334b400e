import type { JsonObject } from '../api/index.js';
import type { Revision } from '../base/index.js';
import type { StoredObject } from '../cache/index.js';
import type { ServedResource } from './catalogue.js';
import type { UserInfo } from './resource.js';

/** What every request brings along, made once by the pipeline. */
export interface RequestContext {
  readonly user: UserInfo;
  readonly userAgent: string;
  /** Milliseconds on the monotonic clock after which the answer is 504. */
  readonly deadline: number;
  /** Adds a `Warning: 299` header to the answer. */
  warn(text: string): void;
}

/** Which object or collection. `namespace` is '' for cluster-scoped resources and for "all namespaces". */
export interface Target {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly subresource: string;
}

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
}

/** A body as it came: the registry decodes it, because what it means depends on the target. */
export interface Body {
  readonly bytes: Buffer;
  readonly encoding: 'json' | 'yaml' | 'protobuf' | 'cbor';
}

export interface CreateRequest {
  readonly target: Target;
  /** Set only for subresources of a named item (`pods/x/binding`). */
  readonly name: string;
  readonly body: Body;
  readonly options: WriteOptions;
}

export interface UpdateRequest extends CreateRequest {}

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

export interface PatchRequest {
  readonly target: Target;
  readonly name: string;
  readonly type: PatchType;
  readonly body: Body;
  readonly force: boolean;
  readonly options: WriteOptions;
}

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly orphanDependents?: boolean;
  readonly ignoreStoreReadError: boolean;
}

export interface DeleteRequest {
  readonly target: Target;
  readonly name: string;
  readonly options: DeleteOptions;
}

/** As the client wrote them; the registry checks their combinations, because get, list, watch and deletecollection share the rules. */
export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly limit: number;
  readonly continue: string;
  readonly shardSelector: string;
}

export interface WatchOptions extends ListOptions {
  readonly allowBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  /** Of a watch on one object: its name, else ''. */
  readonly name: string;
}

/**
 * Answer of a write. `object` is either what is now stored (its bytes are shared with the cache) or, for dry runs, views and
 * virtual resources, a value to be encoded.
 */
export interface Written {
  readonly outcome: 'created' | 'updated' | 'unchanged';
  readonly object: Answer;
}

export type Answer = { readonly kind: 'stored'; readonly stored: StoredObject } | { readonly kind: 'value'; readonly value: JsonObject };

export type Deleted =
  /** Gone: a Status of success, or for some kinds the object. */
  | { readonly kind: 'deleted'; readonly uid: string; readonly object: Answer }
  /** Still there (finalizers, grace): the object with its deletionTimestamp. 202 when a foreground or orphan deletion is under way, else 200. */
  | { readonly kind: 'deleting'; readonly accepted: boolean; readonly object: Answer };

export interface ListResult {
  readonly revision: Revision;
  readonly continue: string;
  readonly remainingItemCount: number | undefined;
  readonly items: readonly StoredObject[];
}
