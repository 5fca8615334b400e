import type { FieldRequirement, LabelRequirement } from './selectors.js';

/** The authenticated user of a request. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The attributes of a request for authorization: a resource or a path. */
export type RequestAttributes = ResourceAttributes | PathAttributes;

export interface ResourceAttributes {
  readonly kind: 'resource';
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** '' for cluster-scoped resources and for all namespaces. */
  readonly namespace: string;
  /** '' for collections. */
  readonly name: string;
  /** Selectors of list, watch and deletecollection. Absent: none, or they cannot be parsed. */
  readonly fieldSelector?: readonly FieldRequirement[];
  readonly labelSelector?: readonly LabelRequirement[];
}

export interface PathAttributes {
  readonly kind: 'path';
  /** The method in lower case. */
  readonly verb: string;
  readonly path: string;
}
