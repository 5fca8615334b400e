import type { GroupResourceName, JsonObject } from '../api/index.js';
import type { KindSchema, StructSchema } from '../schema/index.js';
import type { RemoteConverter } from './conversion.js';
import type { ResourceMemory } from './memory.js';
import type { DeclaredVersion, Strategy, Subresource, TableDeclaration, Verb, VirtualHandler } from './resource.js';

/**
 * A kind of object, with everything that the server needs to store it and to serve its versions. Built-in declarations
 * (`declare`) and definitions of custom resources (`compile`) both produce a Kind, and later code does not distinguish
 * them. A Kind is immutable; a change of a definition creates a new one.
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
  /** All versions of the kind, served or not. Stored objects may be in any of them. */
  readonly versions: readonly ServedResource[];
  /** The served versions. */
  readonly served: readonly ServedResource[];
  /** Converts between versions in another process (a webhook). Objects in memory may then be in other versions than the storage version. */
  readonly remote: RemoteConverter | undefined;
  /** Serves requests instead of the store; such a kind is not stored. */
  readonly virtual: VirtualHandler | undefined;
  /** The selectable field that most watches use. Events are offered only to watches that may select them. */
  readonly hotField: string | undefined;
  /** Fields of an object without content (a bookmark), in addition to the zero values of its schema. */
  readonly emptyObject: JsonObject | undefined;
  /** Annotations that metadata without the object lack. */
  readonly hiddenAnnotations: readonly string[];
  /** Returns why a decoded object is invalid, or undefined. */
  readonly unreadable: ((o: JsonObject) => string | undefined) | undefined;
  /** The message for an unknown field selector; absent: the default one. */
  readonly unknownFieldLabel: ((label: string, version: string) => string) | undefined;
  /** Whether `metadata.namespace` is a field selector of a namespaced kind. */
  readonly selectsNamespace: boolean;
}

/** A kind in one version. */
export interface ServedResource {
  /** The kind of this version. */
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
  /** The verbs in discovery documents; default: all, in alphabetical order. */
  readonly listedVerbs?: readonly Verb[] | undefined;
  readonly subresources: Readonly<Record<string, ServedSubresource>>;
  readonly strategy: Strategy;
  /** Decodes and encodes objects of this version. */
  readonly type: KindSchema;
  /** Schema of defaults, pruning and field ownership. Compiled on first use. */
  readonly schema: StructSchema;
  /** The group and resource in errors. */
  readonly groupResource: GroupResourceName;
  readonly storage: StorageForm;
  readonly table: TableDeclaration | undefined;
  /** Names of field selectors in this version, each with the index of the field in the storage form's `fields`. */
  readonly fieldLabels: ReadonlyMap<string, number>;
  /** Converts in place between this and the storage version, with apiVersion; absent for the storage version. */
  readonly conversion: Conversion | undefined;
  /** Returns the published OpenAPI schema of a custom resource. It is read at each call and not kept. */
  readonly published: (() => JsonObject) | undefined;
  /** Text of the `Warning: 299` header for every request to this version, or undefined. */
  readonly deprecation: string | undefined;
  readonly memory: ResourceMemory;
}

/** A subresource with the codec of its kind. */
export interface ServedSubresource extends Subresource {
  readonly type: KindSchema;
}

/** The fields of objects in one version. */
export interface VersionForm {
  readonly apiVersion: string;
  readonly type: KindSchema;
  readonly schema: StructSchema;
}

/** How objects of a kind are stored; the same value for all its versions. */
export interface StorageForm extends VersionForm {
  /** The version that discovery's hash is built from, if it is another one (`ResourceDeclaration.hashedVersion`). */
  readonly hashedApiVersion?: string;
  readonly kind: string;
  /** `/registry/pods/`; '' for a virtual resource, which is not stored. */
  readonly prefix: string;
  /** Selectable fields beyond name and namespace, read from an object in the storage version. */
  readonly fields: readonly ((o: JsonObject) => string)[];
}

export interface Conversion {
  readonly toStorage: (o: JsonObject) => void;
  readonly fromStorage: (o: JsonObject) => void;
  readonly fieldPath?: DeclaredVersion['fieldPath'];
  readonly defaults?: DeclaredVersion['defaults'];
}
