import type { JsonObject, Status, UserInfo } from '../api/index.js';
import type { Revision } from '../base/index.js';
import type { StoredObject } from '../cache/index.js';
import type { ServedResource } from './catalogue.js';
import type { ConnectionBehaviour, QueryValues, ScaleBehaviour, Strategy, VirtualHandler } from './resource.js';

/** What every request carries, made once by the pipeline. */
export interface RequestContext {
  readonly user: UserInfo;
  readonly userAgent: string;
  /** Milliseconds on the monotonic clock after which the response is 504. */
  readonly deadline: number;
  /** Adds a `Warning: 299` header to the response. */
  warn(text: string): void;
  /** Adds an annotation to the audit event of the request. */
  annotate(key: string, value: string): void;
  /** The request deletes a collection: admission sees each object, but no name. */
  readonly ofCollection?: true;
}

/** What all targets have in common. */
export interface TargetPlace {
  readonly resource: ServedResource;
  /** '' for cluster-scoped resources and for all namespaces. */
  readonly namespace: string;
  /** '' for collections. */
  readonly name: string;
  /** '' for the object itself. */
  readonly subresource: string;
}

/** The resource that a request names, resolved once (`target.ts`). */
export type Target = CollectionTarget | ItemTarget | VirtualTarget;

export interface CollectionTarget extends TargetPlace {
  readonly kind: 'collection';
  readonly rules: Strategy;
}

/** Targets with rules: those that create or change a stored object. */
export type RuledTarget = CollectionTarget | ObjectTarget | ScaleTarget;

/** An object, or a subresource of it. */
export type ItemTarget = ObjectTarget | ScaleTarget | ActionTarget | ConnectionTarget;

/** `status` reads and writes the whole object under rules of its own: status, and likewise finalize, resize and approval. */
export interface ObjectTarget extends TargetPlace {
  readonly kind: 'object' | 'status';
  readonly rules: Strategy;
}

/** `autoscaling/v1 Scale`, computed from the object and written back into it. */
export interface ScaleTarget extends TargetPlace {
  readonly kind: 'scale';
  /** Of the object. */
  readonly rules: Strategy;
  readonly scale: ScaleBehaviour;
}

/** Takes an object and answers with one (binding, eviction, token). */
export interface ActionTarget extends TargetPlace {
  readonly kind: 'action';
  readonly run: VirtualHandler;
}

/** A stream to a pod, node or service (log, exec, proxy). */
export interface ConnectionTarget extends TargetPlace {
  readonly kind: 'connection';
  readonly connection: ConnectionBehaviour;
}

/** A resource that is computed and not stored (reviews, componentstatuses). */
export interface VirtualTarget extends TargetPlace {
  readonly kind: 'virtual';
  readonly run: VirtualHandler;
}

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
}

/** An undecoded body: the registry decodes it as the kind of the target. */
export interface Body {
  readonly bytes: Buffer;
  readonly encoding: 'json' | 'yaml' | 'protobuf' | 'cbor';
}

export interface CreateRequest {
  readonly target: Target;
  readonly body: Body;
  readonly options: WriteOptions;
}

export interface UpdateRequest extends CreateRequest {}

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

export interface PatchRequest {
  readonly target: Target;
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
  readonly options: DeleteOptions;
}

export interface DeleteCollectionRequest {
  readonly target: Target;
  readonly list: ListOptions;
  readonly options: DeleteOptions;
}

export interface GetRequest {
  readonly target: Target;
  /** As the client wrote it: '' consistent, '0' any state, 'N' not older than N. */
  readonly resourceVersion: string;
}

export interface ConnectRequest {
  readonly target: Target;
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

/** The joined frames of some events. All watchers at the same position share them, so the bytes must not be changed. */
export interface Frames {
  payload: Buffer;
  readonly events: number;
  /**
   * The payload in the framing of a transport that needs one, so that it is framed once for all watches. The transport sets it, and
   * may make `payload` a view of it, so that the bytes are in memory once.
   */
  framed: Buffer | undefined;
}
