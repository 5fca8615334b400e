import type { JsonValue } from '../api/index.js';

/**
 * A type as data. Built-in kinds are compiled from the declarations in `data/`, custom resources from their structural
 * schema, into this one form. Decoding, defaulting, pruning, validation, strategic merge, server-side apply, protobuf,
 * OpenAPI and `kubectl explain` all read only this form.
 *
 * Schemas form a graph that may have cycles (JSONSchemaProps); compare them by identity, and walk them only along an
 * object.
 */
export type Schema = StructSchema | MapSchema | ListSchema | ScalarSchema | AnySchema;

/** A message with known fields. */
export interface StructSchema {
  readonly kind: 'struct';
  /** The full name, as in the declarations (`core/v1.PodSpec`); custom resources: `<group>/<version>.<Kind>...`. */
  readonly name: string;
  /** In declaration order, inlined types flattened in place. JSON is written in this order. */
  readonly fields: readonly Field[];
  readonly byName: ReadonlyMap<string, Field>;
  /** `+structType=atomic`: server-side apply treats the whole as one value. */
  readonly atomic: boolean;
  /** `x-kubernetes-preserve-unknown-fields`: fields that are not declared are kept, not pruned. */
  readonly preserveUnknown: boolean;
  /**
   * Set inside an object that preserves unknown fields, and for one without properties. As in kube-apiserver, server-side apply then accepts and owns fields that are not
   * declared here either, although they are pruned.
   */
  readonly tracksUnknown?: true;
  /** `x-kubernetes-embedded-resource`: an object with apiVersion, kind and metadata of its own. */
  readonly embeddedResource: boolean;
  /** Required fields of a custom resource that its schema does not declare. */
  readonly requiredUndeclared?: readonly string[];
  /** Discriminated and plain unions, from the markers. */
  readonly unions: readonly Union[];
  /** Inlined types that protobuf nests as separate messages; absent if there are none. */
  readonly inlineMessages?: readonly InlineMessage[];
  /**
   * Set if the declaration says `granular` or `atomic` at the place of use or against the default: OpenAPI shows it.
   */
  readonly mapType?: 'atomic' | 'granular';
  /** Declarative validation markers of the type itself (see `Field.rules`). */
  readonly rules?: readonly string[];
  /** Constraints for custom resources (min/max, patterns, CEL rules) and of markers; absent if there are none. */
  readonly constraints?: Constraints;
  readonly description?: string;
}

export interface Field {
  readonly name: string;
  readonly schema: Schema;
  /** Protobuf field number; 0 if the type has no protobuf form. */
  readonly proto: number;
  /** Documented as required (OpenAPI `required`). */
  readonly required: boolean;
  /**
   * Omitted from JSON if it is the zero value (Go's omitempty). A field without it is always written: `status: {}`,
   * `null` lists.
   */
  readonly omitEmpty: boolean;
  /** Absent differs from zero. Protobuf writes non-pointer scalars even if zero. */
  readonly pointer: boolean;
  /** `+default=`: the API-machinery default, applied by defaulting and shown by OpenAPI. */
  readonly default?: JsonValue;
  readonly patchStrategy: readonly PatchStrategy[];
  readonly patchMergeKey?: string;
  /** Feature gate that the field needs; absent: always enabled. */
  readonly featureGate?: string;
  readonly deprecated: boolean;
  readonly description?: string;
  readonly constraints?: Constraints;
  /**
   * For a field that is inlined in JSON and nested in protobuf: the nested message; `proto` is then the number inside
   * it.
   */
  readonly inlineIn?: InlineMessage;
  /** For `kind` and `apiVersion`: the inlined type, which is not in protobuf. */
  readonly typeMeta?: StructSchema;
  /**
   * Declarative validation markers, outermost part first: `[alpha/|beta/]` stability, then conditions and scopes
   * (`eachVal`, `ifEnabled(Gate)`), then the rule: `beta/eachVal/maxBytes=64`. Read by `declarativeErrors` only.
   */
  readonly rules?: readonly string[];
}

/**
 * An inlined type that is a protobuf message of its own. Worked example: `Volume` inlines `VolumeSource` with number 2, so
 * the JSON `{name, emptyDir}` is the message `{1: name, 2: {2: emptyDir}}`.
 */
export interface InlineMessage {
  readonly proto: number;
  readonly schema: StructSchema;
}

export type PatchStrategy = 'merge' | 'replace' | 'retainKeys';

export interface Union {
  /** The discriminator's field name, if there is one. */
  readonly discriminator?: string;
  readonly members: readonly string[];
}

/** A map with string keys. */
export interface MapSchema {
  readonly kind: 'map';
  /** Name of a declared alias (`core/v1.ResourceList`), for messages. */
  readonly alias?: string;
  readonly values: Schema;
  /** Name of the declared alias that its keys have, for messages. */
  readonly keys?: string;
  /** `+mapType=atomic`; otherwise granular. */
  readonly atomic: boolean;
  /** The declared value, if there is a declaration: OpenAPI shows it. */
  readonly mapType?: 'atomic' | 'granular';
  /** `x-kubernetes-preserve-unknown-fields`: nothing is dropped from a value that is no map. */
  readonly preserveUnknown?: true;
  readonly constraints?: Constraints;
}

/** `atomic`: one value. `set`: scalars, each at most once. `map`: objects identified by the values of `keys`. */
export type ListType = 'atomic' | 'set' | 'map';

export interface ListSchema {
  readonly kind: 'list';
  /** Name of a declared alias (`meta/v1.Verbs`), for messages. */
  readonly alias?: string;
  readonly items: Schema;
  readonly listType: ListType;
  /** Names of the key fields, for `map`. A key field absent from an item counts as its field default. */
  readonly keys: readonly string[];
  /** No list type is declared: such a list is `atomic`, and OpenAPI omits the list type. */
  readonly undeclared?: true;
  /** Named list type that is a protobuf message with one repeated field `items` = 1 (`ExtraValue`, `Verbs`). */
  readonly boxed?: true;
  /** `x-kubernetes-preserve-unknown-fields`: fields of the items that are not declared are kept. */
  readonly preserveUnknown?: true;
  readonly constraints?: Constraints;
}

/**
 * Scalars by their meaning, not by their Go type: `bytes` is base64 in JSON; `time`, `microTime`, `duration`,
 * `quantity` are canonical strings; `intOrString` is a number or a string.
 */
export type ScalarType =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'float64'
  | 'bytes'
  | 'time'
  | 'microTime'
  | 'duration'
  | 'quantity'
  | 'intOrString';

export interface ScalarSchema {
  readonly kind: 'scalar';
  readonly type: ScalarType;
  /** Name of a declared alias (`core/v1.PullPolicy`), for OpenAPI and messages. */
  readonly alias?: string;
  /** The valid values of an enum. OpenAPI shows them; decoding and storing never check them. */
  readonly enum?: readonly string[];
  /** Declarative validation markers of the type itself (see `Field.rules`). */
  readonly rules?: readonly string[];
  /** A text of a definition with a format other than `byte`: any scalar may be applied, and validation checks its type. */
  readonly formatted?: true;
  /** `x-kubernetes-int-or-string` of a definition: any value may be applied, and validation checks its type. */
  readonly untyped?: true;
  /** `x-kubernetes-preserve-unknown-fields`: nothing is dropped from a value that is no scalar. */
  readonly preserveUnknown?: true;
  readonly constraints?: Constraints;
}

/**
 * A value whose content is not in this schema: `RawExtension` (any object), `FieldsV1`, JSON (any value). Server-side
 * apply treats it by its own shape; `rawExtension` and `fieldsV1` have their own protobuf messages.
 */
export interface AnySchema {
  readonly kind: 'any';
  readonly form: 'rawExtension' | 'fieldsV1' | 'json';
  /** Name of the declared type (`apiextensions/v1.JSONSchemaPropsOrBool`), if it has one. */
  readonly name?: string;
  /** `JSONSchemaPropsOr...`: the schema of an object value, and the alternative type. Absent: any value. */
  readonly either?: { readonly object: StructSchema; readonly or: 'list' | 'bool' | 'stringList' };
  /** `additionalProperties: true` of a definition: any value, but objects in it have no fields. */
  readonly closed?: true;
  readonly constraints?: Constraints;
}

export type NumberBound = 'minimum' | 'maximum' | 'multipleOf';

/** Value constraints, JSON-Schema names. All optional; absent means unconstrained. */
export interface Constraints {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  /** Those of the above that no integer of the schema's format can have, and the name of its type. */
  readonly misfits?: { readonly type: string; readonly keys: readonly NumberBound[] };
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly uniqueItems?: boolean;
  readonly nullable?: boolean;
  readonly enum?: readonly JsonValue[];
  /** The type that a branch of a value of integer or string requires. */
  readonly type?: string;
  /** Requirements on the content of a value that only occur in combinations; elsewhere the schema itself has them. */
  readonly required?: readonly string[];
  readonly properties?: ReadonlyMap<string, Constraints>;
  readonly additionalProperties?: Constraints;
  readonly items?: Constraints;
  /** Boolean combinations of a custom resource's schema, compiled by the custom-resource compiler only. */
  readonly allOf?: readonly Constraints[];
  readonly anyOf?: readonly Constraints[];
  readonly oneOf?: readonly Constraints[];
  readonly not?: Constraints;
}
