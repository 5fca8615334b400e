import type { JsonObject, RequestSelectors, Status, UserInfo, WebhookCalls } from '../api/index.js';
import type { Revision, Slice } from '../base/index.js';
import type { StoredObject } from '../cache/index.js';
import type { ConnectionBehaviour, ConnectionRequest, ScaleBehaviour, Strategy, VirtualHandler } from './resource.js';
import type { ServedResource } from './servedresources.js';

/** The context of a request, created once by the pipeline. */
export interface RequestContext {
  readonly user: UserInfo;
  readonly userAgent: string;
  /** The verb under which the request was authorized; absent in the server's own requests. */
  readonly verb?: string;
  /** Milliseconds on the monotonic clock after which the response is 504. */
  readonly deadline: number;
  /** Aborted when the client has disconnected; absent in the server's own requests. */
  readonly signal?: AbortSignal | undefined;
  /** Adds a `Warning: 299` header to the response. */
  warn(text: string): void;
  /** Adds an annotation to the audit event of the request; with the level 'Request' only if the event has the object of the request. */
  annotate(key: string, value: string | (() => string), level?: 'Request'): void;
  /** Reports the time of a call to webhooks, for the audit events of slow requests; absent in the server's own requests. */
  took?(calls: WebhookCalls, milliseconds: number): void;
  /** Receives the decoded object of the body, for the audit; absent if nothing is recorded of the body. */
  readonly bodyRecord?: BodyRecord | undefined;
  /** The time of the request in the current turn. Absent: each stage of a write has its own. */
  readonly slice?: Slice;
  /** The selectors of a list, watch or deletecollection, if they were parsed before. */
  readonly selectors?: RequestSelectors | undefined;
  /** The request deletes a collection: admission sees each object, but no name. */
  readonly ofCollection?: true;
}

export interface BodyRecord {
  decoded(body: DecodedBody): void;
}

/** The object of a body. `object` makes a copy of it with the defaults of its version. */
export interface DecodedBody {
  readonly meta: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  object(): JsonObject;
}

/** The properties of all targets. */
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

/** A subresource that reads and writes the whole object under its own rules: status, finalize, resize, approval. */
export interface ObjectTarget extends TargetPlace {
  readonly kind: 'object' | 'status';
  readonly rules: Strategy;
}

/** `autoscaling/v1 Scale`, computed from the object and written back into it. */
export interface ScaleTarget extends TargetPlace {
  readonly kind: 'scale';
  /** The rules of the object. */
  readonly rules: Strategy;
  readonly scale: ScaleBehaviour;
}

/** A subresource that takes an object and returns one (binding, eviction, token). */
export interface ActionTarget extends TargetPlace {
  readonly kind: 'action';
  readonly run: VirtualHandler;
  readonly defaults?: (body: JsonObject) => void;
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
  /** The deletion is a part of an action, which has passed admission itself. */
  readonly partOfAction?: boolean;
}

export interface DeleteCollectionRequest {
  readonly target: Target;
  readonly list: ListOptions;
  readonly options: DeleteOptions;
  /**
   * Called when the objects are listed; if it rejects, nothing is deleted. With it, exactly the listed objects are deleted, not others that
   * have their names by then.
   */
  readonly confirm?: () => Promise<void>;
}

export interface GetRequest {
  readonly target: Target;
  /** As in the request: '' is a consistent read, '0' any state, 'N' a state not older than N. */
  readonly resourceVersion: string;
}

export interface ConnectRequest extends Pick<ConnectionRequest, 'path' | 'parameters' | 'addressTypes'> {
  readonly target: Target;
}

export interface ListRequest {
  readonly target: Target;
  readonly options: ListOptions;
}

export interface WatchRequest {
  readonly target: Target;
  readonly options: WatchOptions;
  /** The form of the events. */
  readonly representation: Representation;
  /** Each event is a WebSocket message. */
  readonly websocket?: boolean;
}

/**
 * The parameters as in the request ('' is absent, limit 0 is no limit). The registry validates their combinations, because list, watch and
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
  /** For a watch. A list validates the parameter and ignores it. */
  readonly sendInitialEvents: boolean | undefined;
}

export interface WatchOptions extends ListOptions {
  readonly allowBookmarks: boolean;
  /** Only the path requests a watch: as in kube-apiserver, the options are then validated as those of a list, and have no defaults. */
  readonly byPath?: boolean;
  /** The name for a watch of one object, else ''. */
  readonly name: string;
}

/** The negotiated form of a response. */
export interface Representation {
  readonly encoding: 'json' | 'yaml' | 'protobuf' | 'cbor';
  /** `table` and `metadata` (PartialObjectMetadata) are the `as=` forms. */
  readonly form: 'object' | 'table' | 'metadata';
  /** Version of meta.k8s.io for Table and PartialObjectMetadata; 'v1' where `form` is 'object'. */
  readonly metaVersion: 'v1' | 'v1beta1';
  /** The objects in the rows of a Table. */
  readonly includeObject: 'None' | 'Metadata' | 'Object';
  readonly pretty: boolean;
}

/**
 * The result of a write: the stored object, whose bytes are shared with the cache, or a value to encode (for dry runs, views and virtual
 * resources).
 */
export interface Written {
  readonly outcome: 'created' | 'updated' | 'unchanged';
  readonly object: Answer;
}

/** A `value` is complete: it has its kind and apiVersion, in the requested version. */
export type Answer =
  | { readonly kind: 'stored'; readonly stored: StoredObject }
  | { readonly kind: 'value'; readonly value: JsonObject };

export type Deleted =
  /** The object was deleted. The response is a Status of success, or the object for kinds that declare this. */
  | { readonly kind: 'deleted'; readonly status: Status }
  | { readonly kind: 'deletedObject'; readonly object: Answer }
  /** The object was marked (finalizers, grace period). The response is the object with its deletionTimestamp: 202 if `accepted`, else 200. */
  | { readonly kind: 'deleting'; readonly accepted: boolean; readonly object: Answer };

export interface ListResult {
  readonly revision: Revision;
  /** '' on the last page. */
  readonly continue: string;
  readonly remainingItemCount: number | undefined;
  readonly items: readonly StoredObject[];
  /** The complete list of a virtual resource; `items` is then empty. */
  readonly value?: JsonObject;
}

/**
 * A watch is a position in the shared log without a buffer. The connection takes events as fast as it can write them.
 *
 *     const pump = () => { for (let f; !full && (f = stream.take(max)) !== undefined; ) write(f.payload); };
 *     stream.onReady(pump); pump();
 */
export interface EventStream {
  /**
   * Returns the pending events, joined: about `maxBytes` at most, but at least one event; undefined if there are none.
   * It returns earlier if `enough` requests a yield: an empty result means that the scan is not complete.
   */
  take(maxBytes: number, enough?: () => boolean): Frames | undefined;
  /** Calls `f` once when events are available after a `take` that returned undefined, and when the stream ends. */
  onReady(f: () => void): void;
  /** Makes a bookmark due, if the client allows bookmarks and the stream has come further than its start. */
  bookmark(): void;
  /** The stream ends after the events that `take` still returns. A stream that fails ends with an ERROR event. */
  readonly ended: boolean;
  close(): void;
}

/**
 * The joined watch frames of several events. All watchers at the same position share them, so the bytes must not be
 * changed.
 */
export interface Frames {
  payload: Buffer;
  readonly events: number;
  /** The payload is an ERROR event. Its object is a Status in every representation. */
  readonly error?: true;
  /**
   * The payload in the framing of a transport that needs one, built once for all watches. The transport sets it, and
   * may make `payload` a view of it, so that the bytes are in memory once.
   */
  framed: Buffer | undefined;
}
