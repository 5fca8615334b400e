import type { GroupResourceName, JsonObject } from '../api/index.js';
import type { KindSchema, StructSchema } from '../schema/index.js';
import type { RemoteConverter } from './conversion.js';
import type { Strategy, Subresource, TableDeclaration, Verb, VirtualHandler } from './resource.js';

/**
 * A kind of object, with everything that the server needs to store it and to serve its versions. Built-in declarations (`declare`) and
 * definitions of custom resources (`compile`) both yield a Kind, and later code does not distinguish them. A Kind is immutable; a change of
 * a definition makes a new one.
 */
export interface Kind {
  readonly group: string;
  /** Plural, lower case: the name in URLs, e.g. `deployments`. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  /** The kind of lists: `DeploymentList`. */
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[] | undefined;
  readonly categories: readonly string[] | undefined;
  readonly strategy: Strategy;
  readonly storage: StorageForm;
  /** Every version that the kind knows, served or not: stored objects may be in any of them. */
  readonly versions: readonly ServedResource[];
  /** Those of `versions` that are served. */
  readonly served: readonly ServedResource[];
  /** Converts between versions in another program. Objects in memory may then be in another version than the storage version. */
  readonly remote: RemoteConverter | undefined;
  /** Answers requests instead of the store; such a kind is not stored. */
  readonly virtual: VirtualHandler | undefined;
  /** A selectable field by which most watchers select: events are offered only to the watchers concerned. */
  readonly hotField: string | undefined;
  /** Fields that an object without content (a bookmark) shows beyond the zero values of its schema. */
  readonly emptyObject: JsonObject | undefined;
  /** The reason why an object of the right form cannot be read, where there is one. */
  readonly unreadable: ((o: JsonObject) => string | undefined) | undefined;
  /** The sentence for an unknown field selector; absent: the general one. */
  readonly unknownFieldLabel: ((label: string, version: string) => string) | undefined;
}

/** A kind in one version, with everything that the verbs need resolved. */
export interface ServedResource {
  /** The kind that this is a version of. */
  readonly declaration: Kind;
  readonly group: string;
  readonly version: string;
  /** Plural: the name in URLs. */
  readonly resource: string;
  readonly kind: string;
  /** `apps/v1`. */
  readonly apiVersion: string;
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly subresources: Readonly<Record<string, ServedSubresource>>;
  readonly strategy: Strategy;
  /** How objects of this version are read from and written to bytes. */
  readonly type: KindSchema;
  /** Defaults, pruning and ownership of fields follow this schema. Compiled at first use. */
  readonly schema: StructSchema;
  /** As errors name it. */
  readonly groupResource: GroupResourceName;
  readonly storage: StorageForm;
  readonly table: TableDeclaration | undefined;
  /** Names of field selectors in this version -> number of the field in the storage form's `fields`. */
  readonly fieldLabels: ReadonlyMap<string, number>;
  /** Between this and the storage version, in place, apiVersion included; absent where they are the same. */
  readonly conversion: Conversion | undefined;
  /** Of a custom resource: its schema as OpenAPI publishes it. */
  readonly published: JsonObject | undefined;
  /** Text of the `Warning: 299` header that every request to this version gets, or undefined. */
  readonly deprecation: string | undefined;
}

/** A subresource with the form of what it takes and answers. */
export interface ServedSubresource extends Subresource {
  readonly type: KindSchema;
}

/** How objects of a kind are stored; the same value for all its versions. */
export interface StorageForm {
  readonly apiVersion: string;
  readonly kind: string;
  readonly type: KindSchema;
  readonly schema: StructSchema;
  /** `/registry/pods/`; '' for a virtual resource, which is not stored. */
  readonly prefix: string;
  /** Selectable fields beyond name and namespace, read from an object in the storage version. */
  readonly fields: readonly ((o: JsonObject) => string)[];
}

export interface Conversion {
  readonly toStorage: (o: JsonObject) => void;
  readonly fromStorage: (o: JsonObject) => void;
}
