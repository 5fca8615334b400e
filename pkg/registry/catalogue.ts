import type { GroupResourceName, GroupVersionKind, JsonObject } from '../api/index.js';
import type { StructSchema } from '../schema/index.js';
import type { ResourceDeclaration, Strategy, Subresource, Verb } from './resource.js';

/** One resource in one version, as it is served: what the verbs need, resolved once. */
export interface ServedResource {
  readonly declaration: ResourceDeclaration;
  readonly group: string;
  readonly version: string;
  /** Plural: the name in URLs. */
  readonly resource: string;
  readonly kind: string;
  /** `apps/v1`. */
  readonly apiVersion: string;
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly subresources: Readonly<Record<string, Subresource>>;
  readonly strategy: Strategy;
  /** Of the served version. */
  readonly schema: StructSchema;
  /** As errors name it. */
  readonly groupResource: GroupResourceName;
  readonly storage: StorageForm;
  /** Between served and storage version, in place, apiVersion included; absent where they are the same. */
  readonly conversion: Conversion | undefined;
  /** Text of the `Warning: 299` header that every request to this version gets, or undefined. */
  readonly deprecation: string | undefined;
}

/** How objects of a resource are kept; the same value for all its served versions. */
export interface StorageForm {
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: StructSchema;
  /** `/registry/pods/`. */
  readonly prefix: string;
}

export interface Conversion {
  readonly toStorage: (o: JsonObject) => void;
  readonly fromStorage: (o: JsonObject) => void;
}

/** A group as discovery lists it: versions in order of preference, the first one preferred. */
export interface ServedGroup {
  readonly group: string;
  readonly versions: readonly ServedVersion[];
}

export interface ServedVersion {
  readonly version: string;
  /** By name. */
  readonly resources: readonly ServedResource[];
}

/** What is served. Immutable; a change (custom resources) makes a new catalogue, which the registry then hands out. */
export interface Catalogue {
  /** In discovery order: core first. */
  readonly groups: readonly ServedGroup[];
  find(group: string, version: string, resource: string): ServedResource | undefined;
  findKind(gvk: GroupVersionKind): ServedResource | undefined;
  hasVersion(group: string, version: string): boolean;
}
