import type {
  AnyFields,
  FieldErrors,
  GroupVersionKind,
  JsonArray,
  JsonObject,
  JsonValue,
  Shaped,
  UserInfo,
} from '../api/index.js';
import type { Scheduler, Steps, World } from '../base/index.js';
import type { Compare, Op } from '../storage/index.js';
import type { RegistryMetrics } from './metrics.js';

/**
 * A built-in resource: one file in `builtin/` states everything that is special about it, and `declare` makes a `Kind` of it.
 * What the schema states (fields, list types, defaults by marker, protobuf numbers) is not repeated here.
 *
 * `T` is the shape of the kind in its storage version (`ResourceDeclaration<shapes.CoreV1Pod>`): a misspelt field then does not
 * compile. Rules are declared as methods, because a declaration of any shape is one of unknown shape.
 */
export interface ResourceDeclaration<T = AnyFields> {
  readonly group: string;
  /** Plural, lower case: the name in URLs, e.g. `deployments`. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  /** All versions, in any order; discovery sorts them. */
  readonly versions: readonly DeclaredVersion[];
  /** The version in which objects are stored; one of `versions`. */
  readonly storageVersion: string;
  /** The version that discovery's `storageVersionHash` is built from, if kube-apiserver stores another one that is not served. */
  readonly hashedVersion?: string;
  readonly namespaced: boolean;
  /** The resource is served only while this feature is on, whatever `--runtime-config` says. */
  readonly featureGate?: string;
  /** `v1.33+; use discovery.k8s.io/v1 EndpointSlice`: the deprecation warning of a kind whose type declares none. */
  readonly deprecated?: string;
  /** Fields of an object without content (a bookmark), in addition to the zero values of its schema. */
  readonly emptyObject?: JsonObject;
  /** Annotations that kube-apiserver keeps in fields of their own, so that metadata without the object lack them. */
  readonly hiddenAnnotations?: readonly string[];
  /** Returns the reason why a decoded object is unreadable, if any: a string in it is malformed. */
  unreadable?(o: Shaped<T>): string | undefined;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Default: all eight for a stored resource, `create` for a virtual one. */
  readonly verbs?: readonly Verb[];
  readonly subresources?: Readonly<Record<string, Subresource<T>>>;
  readonly strategy: Strategy<T>;
  /** Table columns, all of them, as `kubectl get` shows them. Default: `Name` and `Created At`. */
  readonly table?: TableDeclaration<T>;
  /** Field selectors beyond metadata.name and metadata.namespace: label -> value of an object. */
  readonly selectableFields?: Readonly<Record<string, SelectableField<T>['read']>>;
  /** Whether `metadata.namespace` is a field selector of a namespaced kind; the default is true. */
  readonly selectsNamespace?: boolean;
  /** The message for an unknown field selector; the default depends on whether `selectableFields` is empty. */
  readonly unknownFieldLabel?: (label: string, version: string) => string;
  /**
   * The selectable field that most watches use (`spec.nodeName` of pods). Events are offered only to watches that may
   * select them.
   */
  readonly hotField?: string;
  /**
   * Key below /registry/ if it differs from the resource's name (as in etcd: `services/specs`, `events`, `minions`).
   */
  readonly storagePrefix?: string;
  /** Serves requests without a stored object (reviews, componentstatuses); such a resource is not stored. */
  readonly virtual?: VirtualHandler;
}

/** Reads the value of a field for selectors. */
export interface SelectableField<T = AnyFields> {
  read(o: Shaped<T>): string;
}

/** A version of a resource. Its type is the built-in one of the same group, version and kind. */
export interface DeclaredVersion {
  /** The group, if the version belongs to another one than the resource (events in `events.k8s.io`). */
  readonly group?: string;
  readonly version: string;
  /** Field selectors of this version -> names in `selectableFields`, if they differ; others are then not supported. */
  readonly fieldLabels?: Readonly<Record<string, string>>;
  /**
   * Conversion to and from the storage version, if they differ in more than apiVersion. In place, on a private copy.
   */
  readonly toStorage?: (o: JsonObject) => void;
  readonly fromStorage?: (o: JsonObject) => void;
  /** The defaults of this version instead of `Strategy.defaults`. The object is in the storage version. */
  readonly defaults?: (o: JsonObject) => void;
  /** The path in this version of a field of the storage version. Errors of the validation markers have it. */
  readonly fieldPath?: (stored: string) => string;
}

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** A path below an item: `status`, `scale`, `finalize`, `binding`, `eviction`, ... */
export interface Subresource<T = AnyFields> {
  readonly verbs: readonly Verb[];
  /**
   * The kind that it takes and returns, if it is not the resource's own (`autoscaling/v1 Scale`, `policy/v1 Eviction`).
   */
  readonly kind?: GroupVersionKind;
  /** A response as a Table is not acceptable. Actions never have one. */
  readonly withoutTable?: true;
  readonly behaviour: SubresourceBehaviour<T>;
}

export type SubresourceBehaviour<T = AnyFields> =
  /** Reads and writes the whole object; `strategy` decides what a write may change. */
  | { readonly kind: 'status'; readonly strategy: Strategy<T> }
  | ScaleBehaviour
  /** Takes an object and returns one. `defaults` of the object's kind belong to the manager of the request. */
  | { readonly kind: 'action'; readonly run: VirtualHandler; readonly defaults?: (body: JsonObject) => void }
  | ConnectionBehaviour;

/** What a scale is read for. Only a GET is refused if the object has no replicas: an update may set them, and the answer to it is sent as it is. */
export type ScaleUse = 'get' | 'base' | 'answer';

/** A small object that is computed from the whole one and written back into it. */
export interface ScaleBehaviour {
  readonly kind: 'scale';
  readonly read: (whole: JsonObject, use?: ScaleUse) => JsonObject;
  /** Changes `whole` in place. */
  readonly write: (whole: JsonObject, scale: JsonObject, errors: FieldErrors) => void;
  /** The field of the whole object with the desired replicas. Its owners are the owners of the scale's replicas. */
  readonly replicasPath: readonly string[];
}

/** A stream to a backend, for any method. The server does not read the body. */
export interface ConnectionBehaviour {
  readonly kind: 'connection';
  readonly open: ConnectionHandler;
  /** The Accept header must allow an encoding of the API. */
  readonly negotiates: boolean;
}

/** Returns where the request goes. Throws to refuse it. Undefined if there is no backend and this is not an error. */
export type ConnectionHandler = (request: ConnectionRequest) => Promise<Backend | undefined>;

/** The server that a connection goes to. */
export interface Backend {
  /** A `log` is a text that the backend sends; a `stream` needs another protocol than HTTP; a `proxy` takes any request. */
  readonly kind: 'log' | 'stream' | 'proxy';
  /** `https://192.0.2.7:10250` */
  readonly origin: string;
  /** The path at the backend; of a log and a stream with its query. '' for the root without a slash. */
  readonly path: string;
  /** Whether it is a kubelet: only these get the server's credentials, and only their certificates are verified. */
  readonly isKubelet: boolean;
  /** The client asked not to verify the certificate. */
  readonly insecure?: boolean;
}

export interface ConnectionRequest {
  readonly context: WriteContext;
  readonly namespace: string;
  readonly name: string;
  /** The path after the subresource, '' or with its slash. Only a proxy has one. */
  readonly path: string;
  readonly parameters: QueryValues;
  /** The types of addresses by which kubelets are reached, the preferred ones first. */
  readonly addressTypes: readonly string[];
  readonly objects: Objects;
}

/** The query parameters of a request. */
export interface QueryValues {
  /** The first value, '' if absent. */
  text(name: string): string;
  /** Every value, in order. */
  all(name: string): readonly string[];
  has(name: string): boolean;
  /** Undefined if absent; throws 400 if the value is not an integer. */
  integer(name: string): number | undefined;
}

export type VirtualHandler = (request: VirtualRequest) => Promise<JsonObject>;

export interface VirtualRequest {
  readonly context: WriteContext;
  readonly verb: Verb;
  readonly namespace: string;
  readonly name: string;
  readonly body: JsonObject | undefined;
  readonly objects: Objects;
}

/**
 * Stored objects for an action: the verbs of a client, under the same rules, on behalf of the user of the request. As in kube-apiserver,
 * admission sees the action and not its writes: who may bind and evict pods need not be allowed to update and delete them.
 */
export interface Objects {
  /** A consistent read, in the storage version. Others read the same value: it must not be changed. */
  get(at: ObjectPlace): Promise<JsonObject | undefined>;
  list(at: Omit<ObjectPlace, 'name'>): readonly JsonObject[];
  /**
   * Changes an object in place, and retries on conflict; 404 if it does not exist. `strategy` replaces the rules of the kind (or, with
   * `subresource`, those of the subresource), because an action may make changes that clients may not.
   */
  change(at: ObjectPlace, how: ObjectChange): Promise<JsonObject>;
  remove(
    at: ObjectPlace,
    how: {
      readonly dryRun: boolean;
      readonly gracePeriodSeconds?: number;
      readonly preconditions?: Preconditions;
      readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
      readonly orphanDependents?: boolean;
    },
  ): Promise<void>;
}

export interface ObjectPlace {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface ObjectChange {
  readonly dryRun: boolean;
  readonly subresource?: string;
  readonly strategy?: Strategy;
  readonly preconditions?: Preconditions;
  /** The field manager that owns what the change sets; absent: owners stay as they are. */
  readonly fieldManager?: string;
  /** kube-apiserver makes this change by a request to itself, so admission sees it. */
  readonly ownRequest?: true;
  readonly edit: (o: JsonObject) => void;
}

export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** The context of a rule. Random values and times are drawn here, before a write is proposed. */
export interface WriteContext {
  readonly world: World;
  /** Lets other work run during a long validation. */
  readonly scheduler: Scheduler;
  readonly metrics?: Pick<RegistryMetrics, 'allocations' | 'rulesCompiled' | 'rulesEvaluated'>;
  readonly user: UserInfo;
  /** The verb under which the request was authorized: `update`, `patch`; '' in the server's own requests. */
  readonly verb: string;
  readonly namespace: string;
  readonly dryRun: boolean;
  /** The group of the request's version: events are in two groups. */
  readonly group: string;
  /** The version of the request. Objects of built-in kinds reach a strategy in the storage version, custom resources in this one. */
  readonly version: string;
  /** '' for the object itself. */
  readonly subresource: string;
  /** The name of a new object is made from its generateName. */
  readonly namedByServer?: boolean;
  featureEnabled(gate: string): boolean;
  /** The value of a label of the object's namespace, from the cache. */
  namespaceLabel(key: string): string | undefined;
  /** Adds a `Warning: 299` header. */
  warn(text: string): void;
  /** Adds an annotation to the audit event of the request. */
  annotate(key: string, value: string): void;
}

/**
 * The rules of one kind, grouped by concern. `write.ts` runs them in one order for all kinds: defaults, mutating admission,
 * prepare, allocate, validate, warn, validating admission, complete, encode, transaction. All functions
 * change the object in place, and are synchronous except those that may take longer and return steps or a promise.
 */
export interface Strategy<T = AnyFields> {
  /**
   * Defaults that the schema does not state. They run on every decoded body and on every stored object. Idempotent. `now`: Unix
   * milliseconds, undefined for an object that is not being written, which then gets no defaults that depend on the time.
   */
  defaults?(o: Shaped<T>, now: number | undefined): void;
  /** More defaults, each behind the feature gate of its key. */
  readonly gatedDefaults?: Readonly<Record<string, DefaultRule<T>['set']>>;
  readonly create?: CreateRules<T>;
  readonly update?: UpdateRules<T>;
  /** Fills in fields that follow from a valid object, as reading it back would. Idempotent. */
  complete?(o: Shaped<T>): void;
  /** Adds warnings; in steps if there may be many items to look at. `old` is undefined on create. */
  warn?(o: Shaped<T>, old: Shaped<T> | undefined, context: WriteContext): Steps<void> | undefined | void;
  readonly storage?: StorageRules;
  readonly deletion?: DeletionRules<T>;
  readonly compatibility?: CompatibilityRules;
  /** Whether a condition of a validation marker (`ifEnabled`) holds, where that is more than the feature gate of its name. */
  validationOption?(name: string, old: Shaped<T> | undefined): boolean | undefined;
}

export interface CreateRules<T = AnyFields> {
  /** Throws if no object is created now, whatever admission thinks of it. */
  allow?(o: Shaped<T>): void;
  /** The rules of metadata apply only to an object in which `validate` finds nothing wrong. */
  readonly metaLast?: boolean;
  /** The rule for `metadata.name` of `o`; returns one message per violation. Default: DNS-1123 subdomain. */
  validateName?(name: string, prefix: boolean, o: Shaped<T>): readonly string[];
  /** The name of an object with a generateName is that, without random characters. */
  readonly keepsGenerateName?: boolean;
  /** A new object has the generation that the client sent, or none. */
  readonly keepsGeneration?: boolean;
  /**
   * Clears what a client may not set (status) and sets what the server owns; in steps if it may take longer than a time slice.
   * `write.ts` sets `metadata.generation`.
   */
  prepare?(o: Shaped<T>, context: WriteContext): Steps<void> | undefined | void;
  /** Validation that may take longer than a time slice is in steps, or returns a promise. */
  validate?(o: Shaped<T>, errors: FieldErrors, context: WriteContext): Promise<void> | Steps<void> | undefined | void;
}

export type FieldPaths = readonly (readonly string[])[];

/** The fields that a write in the version `request` takes from no owner in the version `owner`. */
export type ResetFields = (owner: string, request: string) => FieldPaths;

export interface UpdateRules<T = AnyFields> {
  /** PUT to a name that does not exist creates the object. */
  readonly allowCreate?: boolean;
  /** PUT without a resourceVersion overwrites: in every version, or in some. Default true. */
  readonly allowUnconditional?: boolean | ((version: string) => boolean);
  /**
   * Decides whether an update raises `metadata.generation`: `spec` when the spec differs, `none` never (a new object then has no
   * generation either). Default: any difference outside metadata and status.
   */
  readonly generation?: 'spec' | 'none' | GenerationRule<T>['raises'];
  /** The generation is decided before disabled fields are dropped and `prepare` runs: a dropped field is a change. */
  readonly generationOfSent?: boolean;
  /** Fields that writes to this resource or subresource neither own nor take from owners: paths like `['status']`. */
  readonly resetFields?: FieldPaths | ResetFields;
  /** Restores the fields that this write may not change: the status from `old`, or everything but the status. In steps as on create. */
  prepare?(o: Shaped<T>, old: Shaped<T>, context: WriteContext): Steps<void> | undefined | void;
  /** Validates the change itself: its errors come before those of the rules of create about metadata (`checksUpdateLikeNew`). */
  validateChange?(o: Shaped<T>, old: Shaped<T>, errors: FieldErrors): void;
  /** Default: `create.validate`. */
  validate?(
    o: Shaped<T>,
    old: Shaped<T>,
    errors: FieldErrors,
    context: WriteContext,
  ): Promise<void> | Steps<void> | undefined | void;
}

export interface DefaultRule<T = AnyFields> {
  set(o: Shaped<T>): void;
}

export interface GenerationRule<T = AnyFields> {
  raises(o: Shaped<T>, old: Shaped<T>): boolean;
}

export interface StorageRules {
  /**
   * Allocates values that must be unique in the cluster (cluster IPs, node ports) in the transaction of the write: it
   * may change the object and returns comparisons and operations to add. If one of the comparisons fails, it runs again
   * on fresh state. As in kube-apiserver it runs before validation, on an object that may be invalid: nothing is allocated if
   * the write is refused later.
   */
  allocate?(change: Change, store: Reader, context: WriteContext): Promise<TxnPart>;
  /** Seconds after its last write until an object expires: the store then deletes it through the log (events). */
  readonly ttlSeconds?: number;
}

export interface DeletionRules<T = AnyFields> {
  /** The reason why the object of this name may not be deleted, or undefined. */
  refuse?(name: string): string | undefined;
  /** The grace period in seconds, or undefined to delete at once. May change the object; `delete.ts` sets deletionTimestamp. */
  gracePeriod?(o: Shaped<T>, requested: number | undefined, context: WriteContext): number | undefined;
  /** Further changes to an object whose deletion was requested and is pending (a namespace becomes Terminating). */
  mark?(o: Shaped<T>, context: WriteContext): void;
  /** Keeps an object whose finalizers are gone and whose grace period is over (`spec.finalizers` of a namespace). */
  blocked?(o: Shaped<T>): boolean;
  /** A further deletion of an object that is marked and blocked changes nothing. */
  readonly marksOnce?: boolean;
  /** Propagation when the request names none. `Unsupported`: nothing can depend on this kind, and the request's policy is ignored. */
  readonly propagation?: 'Background' | 'Orphan' | 'Unsupported';
  /** The warning for a request that relies on the default propagation. */
  readonly propagationWarning?: string;
  /** The response to a completed deletion is the object, not a Status: in every version, or in some. */
  readonly returnsObject?: boolean | ((version: string) => boolean);
}

/** Differences between kinds whose only reason is compatibility with kube-apiserver. */
export interface CompatibilityRules {
  /** An update also runs the rules of metadata of create. `always`: its name rule reads fields that an update may change. */
  readonly checksUpdateLikeNew?: boolean | 'always';
  /**
   * An update reports an error as often as its rules find it (kinds without declarative validation: API services, definitions, custom
   * objects).
   */
  readonly repeatsErrors?: boolean;
  /** Finalizers may be any qualified name: one without a domain need not be a well-known name. `update`: only then. */
  readonly anyFinalizers?: boolean | 'update';
  /** A pending deletion sets deletionTimestamp, but neither a grace period nor the generation (namespaces, definitions). */
  readonly plainDeletion?: boolean;
  /**
   * A failed deletion precondition is reported by resource name, in the short form, which begins with this text (namespaces,
   * definitions).
   */
  readonly plainPreconditions?: string;
  /** kube-apiserver reads the kind without its watch cache (events): errors about a resourceVersion of a read differ. */
  readonly uncached?: boolean;
  /** The kind has no unsafe deletion: it is an internal error. */
  readonly noUnsafeDeletion?: boolean;
}

export interface Change {
  readonly object: JsonObject | undefined;
  readonly old: JsonObject | undefined;
}

/** Comparisons and operations to add to the transaction of a write. */
export interface TxnPart {
  readonly compares: readonly Compare[];
  readonly ops: readonly Op[];
}

/** Reads keys other than those of objects, for `allocate`. */
export interface Reader {
  /** Modification revision and value, or undefined if absent. From a state at least as new as the request. */
  get(key: string): Promise<{ readonly revision: number; readonly value: Uint8Array } | undefined>;
  /** Keys with a prefix, in order. */
  keys(prefix: string): Promise<readonly string[]>;
  /** Values with a prefix, in the order of their keys. For prefixes with few keys. */
  values(prefix: string): Promise<readonly Uint8Array[]>;
}

export interface TableDeclaration<T = AnyFields> {
  readonly columns: readonly TableColumn[];
  /** An empty list has null for its rows, as with kube-apiserver's default columns. */
  readonly nullWithoutRows?: boolean;
  /** Every event of a watch has the columns, not only the first. */
  readonly columnsInEachEvent?: boolean;
  /** Cells of one object, as many as there are columns. `now` in milliseconds, for ages. */
  cells(o: Shaped<T>, now: number): readonly JsonValue[];
  /** The conditions of a row, if it has any: whether the object has completed. */
  conditions?(o: Shaped<T>): JsonArray | undefined;
}

export interface TableColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description: string;
  /** 0 is always shown, 1 with `-o wide`. */
  readonly priority: number;
}
