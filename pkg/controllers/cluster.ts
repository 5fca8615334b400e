import type { JsonObject } from '../api/index.js';
import type { Revision } from '../base/index.js';
import type { StoredObject } from '../cache/index.js';
import type { Catalogue, ServedResource } from '../registry/index.js';

/**
 * The cluster as a controller sees it: the verbs, as any client has them, and a feed of changes. Verbs throw `ApiError`; a loop
 * that meets one retries later. Resources are named in any one of their served versions.
 */
export interface Cluster {
  catalogue(): Catalogue;
  /** Consistent. */
  get(at: Place): Promise<JsonObject | undefined>;
  list(resource: ServedResource, namespace: string): Promise<readonly JsonObject[]>;
  /** A consistent list, object by object; yields between them. `f` must be quick. */
  visit(resource: ServedResource, namespace: string, f: (object: JsonObject) => void): Promise<void>;
  create(resource: ServedResource, namespace: string, object: JsonObject): Promise<void>;
  /** A JSON merge patch; give `metadata.resourceVersion` or `uid` in it to be refused when the object has changed. */
  patch(at: Place, subresource: string, patch: JsonObject): Promise<void>;
  replace(at: Place, subresource: string, object: JsonObject): Promise<void>;
  /** Refused (409) when the object is not the one, or not in the state, that was read. */
  delete(at: Place, options: DeleteOptions): Promise<void>;
  deleteCollection(resource: ServedResource, namespace: string): Promise<void>;
  /**
   * Hands the present state over, object by object, and then reports every change, in order. Changes that arrive while the state
   * is handed over are reported after it.
   */
  follow(observer: Observer): Following;
}

export interface DeleteOptions {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly policy?: Policy;
}

export interface Following {
  /** Resolves when the present state has been handed over, or following was stopped before. */
  readonly caughtUp: Promise<void>;
  /** Nothing is reported to the observer after this. */
  stop(): void;
}

export interface Place {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
}

export type Policy = 'Background' | 'Foreground' | 'Orphan';

export interface Observer {
  /** A kind is served from now on, or in another form; its objects follow as changes without a `before`. */
  added?(resource: ServedResource): void;
  /** A kind is no longer served. */
  removed?(resource: ServedResource): void;
  /** `after` undefined: deleted. Must be synchronous and quick: work belongs into a queue. */
  changed(
    resource: ServedResource,
    before: StoredObject | undefined,
    after: StoredObject | undefined,
    revision: Revision,
  ): void;
}
