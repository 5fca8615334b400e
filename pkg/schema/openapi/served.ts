import type { GroupVersionKind, JsonObject } from '../../api/index.js';

/**
 * The served resources for the OpenAPI documents, as plain data that the caller fills from the resources that it serves. Built-in types are found by
 * group, version and kind; a custom resource includes its published schema.
 */
export interface ApiDescription {
  /** `1.37`: the version in the documents, but for those of custom resources. */
  readonly version: string;
  readonly groupVersions: readonly ApiGroupVersion[];
}

export interface ApiGroupVersion {
  /** '' is core. */
  readonly group: string;
  readonly version: string;
  readonly resources: readonly ApiResource[];
}

/** Whether a definition serves the group version. Discovery of such a one is in no document, as in kube-apiserver. */
export const isCustom = ({ resources }: ApiGroupVersion): boolean =>
  resources.some(({ custom }) => custom !== undefined);

export interface ApiResource {
  /** Plural: `pods`. */
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** As discovery lists them: `create`, `delete`, `deletecollection`, `get`, `list`, `patch`, `update`, `watch`. */
  readonly verbs: readonly string[];
  readonly subresources: readonly ApiSubresource[];
  /** For a custom resource. */
  readonly custom?: CustomSchema;
}

export interface ApiSubresource {
  /** `status`. */
  readonly name: string;
  readonly verbs: readonly string[];
  /** The kind of the request and the response; a kind that ends in `Options` marks a connection (exec, proxy). */
  readonly kind: GroupVersionKind;
}

export interface CustomSchema {
  /** Returns the version's `openAPIV3Schema`, or an object without properties when it may not be published. */
  readonly schema: () => JsonObject;
  readonly listKind: string;
  /** The paths of the fields for field selectors: `spec.color`. */
  readonly selectableFields?: readonly string[];
}
