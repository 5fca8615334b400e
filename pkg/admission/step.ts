import type { GroupResourceName, JsonObject } from '../api/index.js';

/** One write on its way through the chain: what the steps here need to know of it. */
export interface Admitted {
  readonly target: {
    readonly resource: { readonly group: string; readonly resource: string; readonly groupResource: GroupResourceName };
    readonly namespace: string;
    /** '' for the object itself. */
    readonly subresource: string;
  };
  readonly name: string;
  readonly operation: 'create' | 'update' | 'delete' | 'connect';
  /** In the storage version; undefined for a deletion. */
  readonly object: JsonObject | undefined;
  readonly old: JsonObject | undefined;
  readonly context: { readonly user: { readonly name: string; readonly groups: readonly string[] } };
}

/** Mutating steps run before validation and may change the object; validating steps run after it. */
export interface Step {
  readonly name: string;
  readonly mutate?: (request: Admitted) => void | Promise<void>;
  readonly validate?: (request: Admitted) => void | Promise<void>;
}

/** The objects of the cluster, in their storage versions. `namespace` is '' for cluster-scoped resources. */
export interface StoredObjects {
  /** Undefined only when it is absent now: a miss is made sure of. */
  get(resource: GroupResourceName, namespace: string, name: string): Promise<JsonObject | undefined>;
  /** What is here of a collection; `namespace` '' for all. */
  list(resource: GroupResourceName, namespace: string): readonly JsonObject[];
}

/** Whether a request is about the object itself of a resource, not about something below it. */
export function isAbout(request: Admitted, group: string, resource: string): boolean {
  const { target } = request;
  return target.subresource === '' && target.resource.group === group && target.resource.resource === resource;
}

/** A pod as it comes to be; undefined for everything else. */
export function newPod(request: Admitted): JsonObject | undefined {
  return request.operation === 'create' && isAbout(request, '', 'pods') ? request.object : undefined;
}
