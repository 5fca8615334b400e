import type { JsonObject, Status } from '../api/index.js';
import type { Revision } from '../base/index.js';
import type { StoredObject } from '../cache/index.js';
import type { ServedResource } from './catalogue.js';
import type { QueryValues, UserInfo } from './resource.js';

/** What every request brings along, made once by the pipeline. */
export interface RequestContext {
  readonly user: UserInfo;
  readonly userAgent: string;
  /** Milliseconds on the monotonic clock after which the answer is 504. */
  readonly deadline: number;
  /** Adds a `Warning: 299` header to the answer. */
  warn(text: string): void;
}

/**
 * Which object or collection. `namespace` is '' for cluster-scoped resources and for "all namespaces"; `subresource` is ''
 * for the object itself.
 */
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

export interface DeleteCollectionRequest {
  readonly target: Target;
  readonly list: ListOptions;
  readonly options: DeleteOptions;
}

export interface GetRequest {
  readonly target: Target;
  readonly name: string;
  /** '' consistent, '0' whatever is here, 'N' not older than. As the client wrote it. */
  readonly resourceVersion: string;
}

/** Of a subresource that is a connection. */
export interface ConnectRequest {
  readonly target: Target;
  readonly name: string;
  readonly parameters: QueryValues;
}

export interface ListRequest {
  readonly target: Target;
  readonly options: ListOptions;
}

export interface WatchRequest {
  readonly target: Target;
  readonly options: WatchOptions;
  /** Events are framed in this form. */
  readonly representation: Representation;
  /** Each event is framed as a message over WebSocket. */
  readonly websocket?: boolean;
}

/**
 * As the client wrote them ('' = absent, limit 0 = none); the registry checks their combinations, because list, watch and
 * deletecollection share the rules.
 */
export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly limit: number;
  readonly continue: string;
  readonly shardSelector: string;
  /** Of a list (it makes no difference but to be refused there) and of a watch. */
  readonly sendInitialEvents: boolean | undefined;
}

export interface WatchOptions extends ListOptions {
  readonly allowBookmarks: boolean;
  /** Of a watch on one object: its name, else ''. */
  readonly name: string;
}

/** In what form an answer goes out, as negotiated. */
export interface Representation {
  readonly encoding: 'json' | 'yaml' | 'protobuf' | 'cbor';
  /** `table` and `metadata` (PartialObjectMetadata) are the `as=` forms. */
  readonly form: 'object' | 'table' | 'metadata';
  /** Version of meta.k8s.io for Table and PartialObjectMetadata; 'v1' where `form` is 'object'. */
  readonly metaVersion: 'v1' | 'v1beta1';
  /** What a Table's rows hold. */
  readonly includeObject: 'None' | 'Metadata' | 'Object';
  readonly pretty: boolean;
}

/**
 * Answer of a write. `object` is either what is now stored (its bytes are shared with the cache) or, for dry runs, views and
 * virtual resources, a value to be encoded.
 */
export interface Written {
  readonly outcome: 'created' | 'updated' | 'unchanged';
  readonly object: Answer;
}

/** A `value` is complete: it has its kind and apiVersion, in the version the client asked for. */
export type Answer =
  | { readonly kind: 'stored'; readonly stored: StoredObject }
  | { readonly kind: 'value'; readonly value: JsonObject };

export type Deleted =
  /** Gone: answered with a Status of success (`status`), or, for the kinds that declare so, with the object. */
  | { readonly kind: 'deleted'; readonly status: Status }
  | { readonly kind: 'deletedObject'; readonly object: Answer }
  /** Still there (finalizers, grace): the object with its deletionTimestamp. 202 when `accepted`, else 200. */
  | { readonly kind: 'deleting'; readonly accepted: boolean; readonly object: Answer };

export interface ListResult {
  readonly revision: Revision;
  /** '' when nothing follows. */
  readonly continue: string;
  readonly remainingItemCount: number | undefined;
  readonly items: readonly StoredObject[];
  /** Of a virtual resource: the whole list, complete; `items` is then empty. */
  readonly value?: JsonObject;
}

/**
 * A watch, pulled by the connection at its own pace. Nothing is buffered for it: it is a position in the shared log.
 *
 *     const pump = () => { for (let f; !full && (f = stream.take(max)) !== undefined; ) write(f.payload); };
 *     stream.onReady(pump); pump();
 */
export interface EventStream {
  /**
   * All that is pending, joined, about `maxBytes` at most (one event always fits); undefined when nothing is. Less than that
   * once `enough` says so: no events at all mean that there is more to look through.
   */
  take(maxBytes: number, enough?: () => boolean): Frames | undefined;
  /** `f` is called once each time something can be taken after a `take` that gave undefined, and when the stream ends. */
  onReady(f: () => void): void;
  /** Nothing follows (after what `take` still gives). A stream that fails ends with an ERROR event of its own. */
  readonly ended: boolean;
  close(): void;
}

/** Frames of events, shared between all watchers at the same position: never written into. */
export interface Frames {
  readonly payload: Buffer;
  /** The same bytes as one HTTP/1.1 chunk: size line, payload, CRLF. */
  readonly chunk: Buffer;
  readonly events: number;
}
