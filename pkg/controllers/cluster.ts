import type { JsonObject } from '../api/index.js';
import type { Revision } from '../base/index.js';
import type { StoredObject } from '../cache/index.js';
import type { Catalogue, ServedResource } from '../registry/index.js';

/**
 * What a controller sees of the cluster: the verbs, as any client has them, and a feed of changes. Verbs throw `ApiError`; a loop
 * that meets one tries again later. Resources are named in one served version, whichever.
 */
export interface Cluster {
  catalogue(): Catalogue;
  /** Consistent. */
  get(at: Place): Promise<JsonObject | undefined>;
  list(resource: ServedResource, namespace: string): Promise<readonly JsonObject[]>;
  create(resource: ServedResource, namespace: string, object: JsonObject): Promise<void>;
  /** A JSON merge patch; give `metadata.resourceVersion` or `uid` in it to be refused when the object has changed. */
  patch(at: Place, subresource: string, patch: JsonObject): Promise<void>;
  replace(at: Place, subresource: string, object: JsonObject): Promise<void>;
  delete(at: Place, options: { readonly uid: string; readonly policy?: Policy }): Promise<void>;
  deleteCollection(resource: ServedResource, namespace: string): Promise<void>;
  /**
   * Hands the present state over, object by object, and then every change, in order. Changes before the present state is
   * complete come after it. Returns the function that ends it.
   */
  follow(observer: Observer): Promise<() => void>;
}

export interface Place {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
}

export type Policy = 'Background' | 'Foreground' | 'Orphan';

export interface Observer {
  /** `after` undefined: deleted. Synchronous and quick: work belongs into a queue. */
  changed(
    resource: ServedResource,
    before: StoredObject | undefined,
    after: StoredObject | undefined,
    revision: Revision,
  ): void;
}
