import type { Steps } from '../base/index.js';
import type { GroupVersionKind, GroupVersionResource } from './group.js';
import type { JsonObject } from './json.js';
import type { UserInfo } from './request.js';
import type { GroupResourceName } from './status.js';

/**
 * The admission contract: the view that admission steps (built-in plug-ins, policies, webhooks) have of a write, and
 * the changes that a step may make. The registry runs every step's `mutate` before validation, every `validate` after
 * it, and every `transact` last, in the order of the chain.
 */

export type AdmissionOperation = 'create' | 'update' | 'delete' | 'connect';

/** A kind and its resource in one version. */
export interface AdmissionSubject {
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
}

/** Mutating webhooks are called one after another, validating ones at the same time. */
export type WebhookCalls = 'mutating-webhook' | 'validating-webhook';

/** One write or connect request in the admission chain. */
export interface AdmissionRequest {
  readonly operation: AdmissionOperation;
  /**
   * The resource as in the request. `kind` is that of the body: `autoscaling/v1 Scale` for `deployments/scale`, `v1
   * PodExecOptions` for `pods/exec`.
   */
  readonly requested: AdmissionSubject;
  /** The resource as stored. The same as `requested` if the body is not of the stored kind. */
  readonly stored: AdmissionSubject;
  /** The requested resource, as errors name it. */
  readonly groupResource: GroupResourceName;
  /** '' for the object itself. */
  readonly subresource: string;
  /** '' for cluster-scoped resources. */
  readonly namespace: string;
  /** '' while `metadata.generateName` has not produced a name yet. */
  readonly name: string;
  /** CreateOptions, UpdateOptions or DeleteOptions of meta.k8s.io/v1, by the operation (a patch that creates has CreateOptions); `{}` for connect. */
  readonly options: JsonObject;
  readonly dryRun: boolean;
  /** Milliseconds on the monotonic clock after which the request ends. */
  readonly deadline: number;
  /** Aborted when the client has disconnected; undefined in the server's own requests. */
  readonly signal: AbortSignal | undefined;
  readonly user: UserInfo;
  /**
   * In the version in which the write is decided (see `pkg/registry/hub.ts`); of a scale subresource the Scale; of a connection its options. Undefined for delete. A mutating step
   * may change it in place if the result is complete (defaults included); a step whose change comes from outside calls `replace`.
   */
  readonly object: JsonObject | undefined;
  /** Undefined for create and connect. */
  readonly old: JsonObject | undefined;
  /**
   * The versions in which `inVersion` can return the objects, including the stored one: for `matchPolicy: Equivalent`.
   */
  readonly equivalents: readonly AdmissionSubject[];
  /** Copies of `object` and `old` in another version, or undefined when the kind does not have it. */
  inVersion(apiVersion: string): Promise<AdmissionObjects | undefined>;
  /**
   * Replaces the request's object by `object`, in any version of the kind: prunes unknown fields, applies defaults, converts to
   * the version of `object`, and restores managed fields that the change made invalid. With `strict` an unknown field is an error.
   * Only during `mutate`.
   */
  replace(object: JsonObject, options?: { readonly strict: boolean }): Promise<void>;
  /**
   * Merges an apply configuration into `live`, the object in the version of the configuration, and replaces the
   * request's object by the result. Ownership is not tracked. Only during `mutate`.
   */
  merge(live: JsonObject, configuration: JsonObject): Promise<void>;
  /** Runs long work in the time slices of the request. */
  run<T>(work: Steps<T>): T | Promise<T>;
  /** Adds a `Warning: 299` header to the response. */
  warn(text: string): void;
  /**
   * Adds an annotation to the audit event; the key is `<plug-in>.admission.k8s.io/<what>`. A key that is no qualified name with a prefix is
   * ignored. With the level 'Request' only to events that have the object of the request: for values with content of objects.
   */
  annotate(key: string, value: string | (() => string), level?: 'Request'): void;
  /** Reports the time of a call to webhooks, for the audit events of slow requests. */
  took?(calls: WebhookCalls, milliseconds: number): void;
  readonly reinvocation: Reinvocation;
}

export interface AdmissionObjects {
  readonly subject: AdmissionSubject;
  readonly object: JsonObject | undefined;
  readonly old: JsonObject | undefined;
}

/**
 * A step that changed an object may request that the mutating steps run again, because earlier steps did not see the change. They
 * run at most twice. A step keeps its state between the two runs in `state`, under its own name.
 */
export interface Reinvocation {
  /** True in the second run. */
  readonly active: boolean;
  request(): void;
  readonly state: Map<string, unknown>;
}

/** A step of the chain. It rejects a request by throwing an `ApiError`. */
export interface AdmissionStep {
  readonly name: string;
  /** Whether it may create the namespace of the request: such steps run before that is looked up. */
  readonly makesNamespaces?: boolean;
  /** The operations that it handles, for the metrics of admission plug-ins; absent for a step that is not one. */
  readonly operations?: readonly AdmissionOperation[];
  /**
   * Whether the step has anything to do with a request: `mutate` and `validate` are called for no others. Absent: with all. Asynchronous steps
   * have it, so that a write does not wait for promises of steps that do nothing.
   */
  readonly concerns?: (request: AdmissionRequest) => boolean;
  readonly mutate?: (request: AdmissionRequest) => void | Promise<void>;
  /** Validates the object that will be stored. It must not change it. */
  readonly validate?: (request: AdmissionRequest) => void | Promise<void>;
  /**
   * Adds to the transaction of the write. If another write changed one of the objects in the addition, the whole
   * decision is repeated, including this step. Not called for a dry run that was already refused.
   */
  readonly transact?: (request: AdmissionRequest) => TxnAddition | undefined | Promise<TxnAddition | undefined>;
}

/** Objects that must not have changed since they were read, and new states of objects, as part of one transaction. */
export interface TxnAddition {
  /** Objects in the storage version, with the resourceVersion at which they were read. */
  readonly unchanged?: readonly PlacedObject[];
  /** The new state; `metadata.resourceVersion` is that of the state from which it was made. */
  readonly write?: readonly (PlacedObject & { readonly subresource: string })[];
  /** Called once, when the write has been committed, refused or abandoned. */
  readonly settled?: () => void;
}

export interface PlacedObject {
  readonly resource: GroupResourceName;
  readonly object: JsonObject;
}

/** The chain, in the order in which its steps run. */
export interface Admission {
  readonly mutating: readonly StepThat<'mutate'>[];
  readonly validating: readonly StepThat<'validate'>[];
  readonly transacting: readonly StepThat<'transact'>[];
}

/** A step that has a function. */
export type StepThat<F extends 'mutate' | 'validate' | 'transact'> = AdmissionStep & Required<Pick<AdmissionStep, F>>;

/** Makes a chain of its steps. */
export function admissionOf(steps: readonly AdmissionStep[]): Admission {
  const that = <F extends 'mutate' | 'validate' | 'transact'>(f: F): readonly StepThat<F>[] =>
    steps.filter((step): step is StepThat<F> => step[f] !== undefined);
  return { mutating: that('mutate'), validating: that('validate'), transacting: that('transact') };
}

/**
 * The objects of the cluster in their storage versions, for lookups by steps. Others read the same values: they must not be changed.
 * `namespace` is '' for cluster-scoped resources.
 */
export interface StoredObjects {
  /** Undefined only if the object is absent now: a miss is confirmed by a consistent read. */
  get(resource: GroupResourceName, namespace: string, name: string): Promise<JsonObject | undefined>;
  /** The labels of the object that `get` would return. The object is not parsed. */
  labels(
    resource: GroupResourceName,
    namespace: string,
    name: string,
  ): Promise<Readonly<Record<string, string>> | undefined>;
  /** The object in the local cache, which may lag behind other peers. */
  cached(resource: GroupResourceName, namespace: string, name: string): JsonObject | undefined;
  /** The objects in the local cache; `namespace` '' for all. */
  list(resource: GroupResourceName, namespace: string): readonly JsonObject[];
  /** The same as an iterator, which parses objects one at a time. */
  each(resource: GroupResourceName, namespace: string): Iterable<JsonObject>;
  isEmpty(resource: GroupResourceName, namespace: string): boolean;
  /** Waits until the local cache has every write that was acknowledged before the call. */
  refresh(): Promise<void>;
  /** Changes whenever an object of the resource changes in the local cache. */
  state(resource: GroupResourceName): number;
  /** The resource of a kind that is currently served. */
  resourceOf(kind: GroupVersionKind): (GroupResourceName & { readonly namespaced: boolean }) | undefined;
}

/**
 * Reviews, as `resource.group`. Authentication and authorization themselves depend on them and they are not stored, so no webhook receives them.
 */
export const REVIEWS_WITHOUT_WEBHOOKS: ReadonlySet<string> = new Set([
  'tokenreviews.authentication.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
]);
