import type { JsonObject } from '../api/index.js';
import type { Revision } from '../base/index.js';
import type { StoredObject } from '../cache/index.js';
import type { ServedResource, ServedResources } from '../registry/index.js';

/**
 * The cluster from the point of view of a controller: the verbs of a client, and a stream of changes. Verbs throw
 * `ApiError`; controllers retry later. Resources are identified by any of their served versions.
 */
export interface Cluster {
  servedResources(): ServedResources;
  /** A consistent read. */
  get(at: Place): Promise<JsonObject | undefined>;
  list(resource: ServedResource, namespace: string): Promise<readonly JsonObject[]>;
  /**
   * Returns the objects of a resource that this peer knows, in one namespace or, with '', in all. They include every
   * completed write of this controller, and everything that a completed `get` or `list` could see.
   */
  known(resource: ServedResource, namespace: string): Iterable<StoredObject>;
  /** Resolves when this peer knows everything that was committed before the call. */
  caughtUp(): Promise<void>;
  /** Returns one object that this peer knows. */
  knownOne(at: Place): StoredObject | undefined;
  /** A consistent list, object by object, with yields in between. `f` must be fast. */
  visit(resource: ServedResource, namespace: string, f: (object: JsonObject) => void): Promise<void>;
  /** Returns the object as it was stored. */
  create(resource: ServedResource, namespace: string, object: JsonObject): Promise<JsonObject>;
  /** A JSON merge patch. Fails with 409 if the object has changed since the version that the patch is based on. */
  patch(at: Place, subresource: string, patch: ConditionalPatch): Promise<void>;
  /**
   * A server-side apply that takes over fields of other managers. Fails with 409 if the object has changed since the version in the
   * configuration; kind, version and name are filled in.
   */
  apply(at: Place, subresource: string, configuration: ConditionalPatch): Promise<void>;
  /** Fails with 409 if the object has changed since `object` was read; `object` must have its version. */
  replace(at: Place, subresource: string, object: JsonObject): Promise<void>;
  /** Fails with 409 if uid or resourceVersion differ from the object that was read. */
  delete(at: Place, options: DeleteOptions): Promise<void>;
  /**
   * Deletes the objects that exist at the call, if `isDue` then returns true; otherwise fails with 409. `isDue` is called when the objects
   * are known, and they are deleted by uid. So objects of a namespace or definition that was created again meanwhile stay: this
   * peer may have lost its leadership, and the next leader may have completed the deletion.
   */
  deleteCollection(resource: ServedResource, namespace: string, isDue: () => Promise<boolean>): Promise<void>;
  /**
   * Delivers the current state, object by object, and then every change in order. Changes that arrive meanwhile are delivered after
   * the state.
   */
  follow(observer: Observer): Following;
}

/** A merge patch with the version of the object that it is based on. */
export type ConditionalPatch = JsonObject & { readonly metadata: JsonObject & { readonly resourceVersion: string } };

export interface DeleteOptions {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly policy?: Policy;
}

export interface Following {
  /** Resolves when the current state has been delivered, or the observer was removed. */
  readonly caughtUp: Promise<void>;
  /** Stops the delivery at once. */
  stop(): void;
}

export interface Place {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
}

export type Policy = 'Background' | 'Foreground' | 'Orphan';

export interface Observer {
  /** Limits the delivery to some resources; absent: all. */
  of?(resource: ServedResource): boolean;
  /** A kind was added or replaced; its objects follow as changes without a `before`. */
  added?(resource: ServedResource): void;
  /** A kind is no longer served. */
  removed?(resource: ServedResource): void;
  /** `after` is undefined for a deletion. Must be synchronous and fast: put work into a queue. */
  changed(
    resource: ServedResource,
    before: StoredObject | undefined,
    after: StoredObject | undefined,
    revision: Revision,
  ): void;
}
