import type { FieldErrors, GroupVersion, JsonObject, JsonValue } from '../api/index.js';
import type { World } from '../base/index.js';
import type { Compare, Op } from '../storage/index.js';

/**
 * A resource is a declaration (DESIGN decision 9): one file in `builtin/` a kind says everything the shared path needs to
 * know, and the shared path never asks which kind it has before it. What the schema says (fields, list types, defaults by marker,
 * protobuf numbers) is not repeated here.
 */
export interface ResourceDeclaration {
  readonly group: string;
  /** Plural, lower case: the name in URLs, e.g. `deployments`. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  /** Every version that the project knows, any order; discovery sorts them. */
  readonly versions: readonly DeclaredVersion[];
  /** The version in which objects are stored; one of `versions`. */
  readonly storageVersion: string;
  readonly namespaced: boolean;
  /** `v1.33+; use discovery.k8s.io/v1 EndpointSlice`: what the warning says about this kind, where its schema does not know. */
  readonly deprecated?: string;
  /** What an object with nothing in it (a bookmark) shows beyond the zero values of its schema. */
  readonly emptyObject?: JsonObject;
  /** Why an object of the right form cannot be read all the same: a text in it that has to be something else. */
  readonly unreadable?: (o: JsonObject) => string | undefined;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Default: all eight of a stored resource. Virtual resources (reviews) declare `['create']`. */
  readonly verbs?: readonly Verb[];
  readonly subresources?: Readonly<Record<string, Subresource>>;
  readonly strategy: Strategy;
  /** Table columns after which `Age` is NOT implied: list all, as `kubectl get` shows them. Absent: Name and Age (`Created At`). */
  readonly table?: TableDeclaration;
  /** Field selectors beyond metadata.name and metadata.namespace: label -> value of an object. */
  readonly selectableFields?: Readonly<Record<string, (o: JsonObject) => string>>;
  /** The sentence for a field selector that is not one of them; default by whether there are any. */
  readonly unknownFieldLabel?: (label: string, version: string) => string;
  /** A selectable field by which most watchers select (`spec.nodeName` of pods): events are offered only to those concerned. */
  readonly hotField?: string;
  /** Key below /registry/, when it is not the resource's name (as in etcd: `services/specs`, `events`, `minions`). */
  readonly storagePrefix?: string;
  /** Answers a request that has no stored object (reviews, componentstatuses); such a resource is not stored. */
  readonly virtual?: VirtualHandler;
}

export interface DeclaredVersion {
  /** When the version belongs to another group than the resource itself (events in `events.k8s.io`). */
  readonly group?: string;
  readonly version: string;
  /** Package of the facts that holds the type, e.g. `apps/v1`; the schema is `<package>.<kind>`. */
  readonly schema: string;
  /** Field selectors of this version -> names in `selectableFields`, where they differ; those not named here are not supported. */
  readonly fieldLabels?: Readonly<Record<string, string>>;
  /** To and from the storage version, where they differ by more than apiVersion. In place on a private copy. */
  readonly toStorage?: (o: JsonObject) => void;
  readonly fromStorage?: (o: JsonObject) => void;
}

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** What is below an item: `status`, `scale`, `finalize`, `binding`, `eviction`, ... */
export interface Subresource {
  readonly verbs: readonly Verb[];
  /** The kind that it takes and gives, when it is not the resource's own (`autoscaling/v1 Scale`, `policy/v1 Eviction`). */
  readonly kind?: GroupVersion & { readonly kind: string; readonly schema: string };
  readonly behaviour: SubresourceBehaviour;
}

export type SubresourceBehaviour =
  /** Reads and writes the whole object, but only `strategy` of its own decides what may change. */
  | { readonly kind: 'part'; readonly strategy: Strategy }
  /** A small object computed from the whole and written back into it. */
  | {
      readonly kind: 'view';
      readonly read: (whole: JsonObject) => JsonObject;
      /** Changes `whole` in place. */
      readonly write: (whole: JsonObject, view: JsonObject, errors: FieldErrors) => void;
    }
  /** Takes an object, answers with one. */
  | { readonly kind: 'action'; readonly run: VirtualHandler }
  /** A way to somewhere else, whatever the method: the body is not ours to read. `negotiates`: an answer of our own form is asked for. */
  | { readonly kind: 'connection'; readonly open: ConnectionHandler; readonly negotiates: boolean };

/** Refuses, or resolves where there is nothing to connect to and nothing wrong with that. */
export type ConnectionHandler = (request: ConnectionRequest) => Promise<void>;

export interface ConnectionRequest {
  readonly context: WriteContext;
  readonly namespace: string;
  readonly name: string;
  readonly parameters: QueryValues;
  readonly objects: Objects;
}

/** What stands in a request's query. */
export interface QueryValues {
  /** The first value, '' when absent. */
  text(name: string): string;
  has(name: string): boolean;
  /** Undefined when absent; throws 400 on what is no whole number. */
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

/** Stored objects as an action sees them: the verbs of a client, decided by the same rules, in the name of who asked. */
export interface Objects {
  /** As new as anything acknowledged. In the storage version; the caller's own copy. */
  get(at: ObjectPlace): Promise<JsonObject | undefined>;
  list(at: Omit<ObjectPlace, 'name'>): readonly JsonObject[];
  /**
   * Changes an object in place, again as long as others are quicker; 404 when it is not there. `strategy` replaces the kind's own
   * (or, with `subresource`, that of a part of it): an action may do what no client may.
   */
  change(at: ObjectPlace, how: ObjectChange): Promise<JsonObject>;
  remove(
    at: ObjectPlace,
    how: { readonly dryRun: boolean; readonly gracePeriodSeconds?: number; readonly preconditions?: Preconditions },
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
  readonly edit: (o: JsonObject) => void;
}

export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** What a rule may know beside the object. Facts are drawn here, before a write is proposed (STYLE 4). */
export interface WriteContext {
  readonly world: World;
  readonly user: UserInfo;
  readonly namespace: string;
  readonly dryRun: boolean;
  /** Of the version the client speaks: events are in two. */
  readonly group: string;
  /** The version the client speaks; objects reach a strategy in the STORAGE version unless a rule says otherwise. */
  readonly version: string;
  /** '' for the object itself. */
  readonly subresource: string;
  featureEnabled(gate: string): boolean;
  /** The value of a label of the namespace that the object lives in, as the cache has it. */
  namespaceLabel(key: string): string | undefined;
  /** Adds a `Warning: 299` header. */
  warn(text: string): void;
}

export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/**
 * What a kind means, in the order in which a write runs through it (the order itself is in `write.ts`, one file for all):
 * defaults -> prepare -> mutating admission -> validate -> validating admission -> reserve -> encode -> txn.
 * All functions are synchronous and change the object they are given in place, save `reserve`.
 */
export interface Strategy {
  /** Defaults beyond the schema's markers, as versioned defaulting does: on every decoded body and stored object alike. Idempotent. */
  readonly defaults?: (o: JsonObject) => void;
  /** Clears what a client may not set (status), sets what the server owns. `metadata.generation` is the shared path's. */
  readonly prepareForCreate?: (o: JsonObject, context: WriteContext) => void;
  /** Copies over what this write may not change (status from `old`, or all but status). */
  readonly prepareForUpdate?: (o: JsonObject, old: JsonObject, context: WriteContext) => void;
  readonly validate?: (o: JsonObject, errors: FieldErrors, context: WriteContext) => void;
  readonly validateUpdate?: (o: JsonObject, old: JsonObject, errors: FieldErrors, context: WriteContext) => void;
  /** Fills in what follows from the object once it was judged: as reading it back would. Idempotent. */
  readonly complete?: (o: JsonObject) => void;
  readonly warn?: (o: JsonObject, old: JsonObject | undefined, context: WriteContext) => void;
  /** Name rule of `metadata.name`; default DNS-1123 subdomain. Returns sentences. */
  readonly validateName?: (name: string, prefix: boolean) => readonly string[];
  /** PUT to a name that does not exist creates it. */
  readonly createOnUpdate?: boolean;
  /** PUT without a resourceVersion overwrites. Default true. */
  readonly unconditionalUpdate?: boolean;
  /** Fields that are the same when only they differ from `old` do not raise the generation; default: everything but metadata and status raises it. */
  readonly generation?: 'spec' | 'none' | ((o: JsonObject, old: JsonObject) => boolean);
  /** Fields that apply must not own in this (sub)resource: paths like `['status']`. */
  readonly resetFields?: readonly (readonly string[])[];
  /** Deletion that takes time (pods): seconds of grace, or undefined to delete at once. May change the object (deletionTimestamp is the shared path's). */
  readonly gracePeriod?: (o: JsonObject, requested: number | undefined, context: WriteContext) => number | undefined;
  /** What else changes when deletion is first asked for and the object stays for now (a namespace becomes Terminating). In place. */
  readonly markDeleted?: (o: JsonObject, context: WriteContext) => void;
  /** Holds an object back from being removed beyond finalizers and grace (a namespace's own finalizers; one not yet marked). */
  readonly holds?: (o: JsonObject) => boolean;
  /** Why the object of this name may not be deleted; undefined: it may. */
  readonly undeletable?: (name: string) => string | undefined;
  /** A deletion whose preconditions are not met is refused by the name of the resource, in fewer words (namespaces). */
  readonly plainPreconditions?: boolean;
  /** A deletion is answered with the object that is gone, not with a Status. */
  readonly returnsDeleted?: boolean;
  /**
   * An update is checked like a new object too: what is wrong with its metadata is then told once more. `twice`: and only so, the
   * kind's own rules of changes leave the metadata alone.
   */
  readonly checksUpdateLikeNew?: boolean | 'twice';
  /** Finalizers may be any qualified names: those without a domain need not be well known. */
  readonly anyFinalizers?: boolean;
  /** Default propagation when the client names none. `Unsupported`: nothing ever depends on it, whatever the client names. */
  readonly defaultPropagation?: 'Background' | 'Orphan' | 'Unsupported';
  /** What a client is told that deletes without saying what becomes of the dependents. */
  readonly defaultPropagationWarning?: string;
  /** Seconds after which an object expires through the log (events: 3600). */
  readonly ttlSeconds?: number;
  /**
   * Takes what must be unique across the cluster (cluster IPs, node ports) in the same transaction: may change the object,
   * returns compares and ops to go with the write. A conflict on one of its compares runs it again with fresh state.
   */
  readonly reserve?: (change: Change, store: Reader, context: WriteContext) => Promise<Reservation>;
}

export interface Change {
  readonly object: JsonObject | undefined;
  readonly old: JsonObject | undefined;
}

export interface Reservation {
  readonly compares: readonly Compare[];
  readonly ops: readonly Op[];
}

/** Keys beside the objects themselves, for `reserve`. */
export interface Reader {
  /** Modification revision and value, or undefined when absent. From a state at least as new as the request. */
  get(key: string): Promise<{ readonly revision: number; readonly value: Uint8Array } | undefined>;
  /** Keys with a prefix, in order. */
  keys(prefix: string): Promise<readonly string[]>;
}

export interface TableDeclaration {
  readonly columns: readonly TableColumn[];
  /** Cells of one object, as many as there are columns. `now` in milliseconds, for ages. */
  readonly cells: (o: JsonObject, now: number) => readonly JsonValue[];
}

export interface TableColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description: string;
  /** 0 is always shown, 1 with `-o wide`. */
  readonly priority: number;
}
