import type { GroupVersion, JsonObject, JsonValue } from '../../api/index.js';
import { describeField, describeType } from '../docs.js';
import { allKinds, EVERYWHERE } from '../kinds.js';
import { structByName, typeByName } from '../load.js';
import type { Field, ListSchema, ScalarSchema, Schema, StructSchema } from '../types.js';
import { plainZero } from '../zero.js';
import { definitionName } from './names.js';

/** OpenAPI v3 wraps references that have siblings; v2 (Swagger) has no defaults, no `oneOf` and bare references. */
export type Dialect = 'v2' | 'v3';

/** The named schemas of one document. A reference to a type adds it; `writeNext` writes the definitions that are missing. */
export class Definitions {
  readonly dialect: Dialect;
  readonly #served: readonly GroupVersion[];
  readonly #written = new Map<string, JsonObject>();
  readonly #wanted: (() => void)[] = [];

  /** `served`: the group versions of request options (`DeleteOptions`), in order. */
  constructor(dialect: Dialect, served: readonly GroupVersion[]) {
    this.dialect = dialect;
    this.#served = served;
  }

  /** Adds a definition that is not a declared type (a custom resource). */
  add(name: string, schema: JsonObject): void {
    this.#written.set(name, schema);
  }

  /** Returns a reference to a named type. */
  reference(name: string, make: () => JsonObject): JsonObject {
    if (!this.#written.has(name)) {
      this.#written.set(name, {});
      this.#wanted.push(() => this.#written.set(name, make()));
    }
    return { $ref: `${this.dialect === 'v3' ? '#/components/schemas/' : '#/definitions/'}${name}` };
  }

  struct(schema: StructSchema): JsonObject {
    // By name, because a use may have another map type than the type itself.
    return this.reference(definitionName(schema.name), () => this.#structBody(structByName(schema.name)));
  }

  /** `Patch` has no declaration: any object. */
  patch(): JsonObject {
    return this.reference(definitionName('meta/v1.Patch'), () => ({
      description: describeType('meta/v1.Patch'),
      type: 'object',
    }));
  }

  /** Writes one missing definition; returns false if there is none. It takes a fraction of a millisecond, so callers can yield in between. */
  writeNext(): boolean {
    const next = this.#wanted.pop();
    next?.();
    return next !== undefined;
  }

  /** All definitions by name. Complete once `writeNext` has returned false. */
  sorted(): JsonObject {
    const out: JsonObject = {};
    for (const name of [...this.#written.keys()].sort()) out[name] = this.#written.get(name) as JsonObject;
    return out;
  }

  #structBody(schema: StructSchema): JsonObject {
    const properties: JsonObject = {};
    const required: string[] = [];
    for (const field of [...schema.fields].sort(byName)) properties[field.name] = this.#property(schema, field);
    for (const field of schema.fields) if (field.required) required.push(field.name);
    const description = describeType(schema.name);
    const gvks = this.#groupVersionKinds(schema.name);
    const unions = schema.unions.map((u) => ({
      ...(u.discriminator !== undefined && { discriminator: u.discriminator }),
      // The generator of kube-apiserver names members by their Go name.
      'fields-to-discriminateBy': Object.fromEntries(u.members.map((m) => [m, m.charAt(0).toUpperCase() + m.slice(1)])),
    }));
    return {
      ...(description !== '' && { description }),
      type: 'object',
      ...(required.length > 0 && { required }),
      ...(schema.fields.length > 0 && { properties }),
      ...(gvks.length > 0 && { 'x-kubernetes-group-version-kind': gvks }),
      ...(unions.length > 0 && { 'x-kubernetes-unions': unions }),
      ...(schema.mapType !== undefined && { 'x-kubernetes-map-type': schema.mapType }),
    };
  }

  #property(owner: StructSchema, field: Field): JsonObject {
    const description = describeField(owner.name, field);
    const zero = this.dialect === 'v3' ? defaultOf(field) : undefined;
    const mapType = usedMapType(field.schema);
    return this.#wrap(
      {
        ...(description !== '' && { description }),
        ...(zero !== undefined && { default: zero }),
        ...(field.patchMergeKey !== undefined && { 'x-kubernetes-patch-merge-key': field.patchMergeKey }),
        ...(field.patchStrategy.length > 0 && { 'x-kubernetes-patch-strategy': field.patchStrategy.join(',') }),
        ...(mapType !== undefined && { 'x-kubernetes-map-type': mapType }),
        ...(ATOMIC_BYTES.has(`${owner.name}.${field.name}`) && { 'x-kubernetes-list-type': 'atomic' }),
      },
      this.#type(field.schema),
      BARE_REFERENCES.has(`${owner.name}.${field.name}`),
    );
  }

  /** A reference with siblings: v3 needs `allOf`, v2 allows siblings. */
  #wrap(siblings: JsonObject, type: JsonObject, bare: boolean): JsonObject {
    if (type['$ref'] === undefined || this.dialect === 'v2' || bare) return { ...siblings, ...type };
    return { ...siblings, allOf: [type] };
  }

  #type(schema: Schema): JsonObject {
    switch (schema.kind) {
      case 'struct':
        return this.struct(schema);
      case 'list':
        return {
          type: 'array',
          items: this.#type(schema.items),
          ...(!schema.undeclared && listExtensions(schema)),
        };
      case 'map':
        return {
          type: 'object',
          additionalProperties: this.#type(schema.values),
          ...(schema.mapType !== undefined && { 'x-kubernetes-map-type': schema.mapType }),
        };
      case 'scalar':
        return this.#scalar(schema);
      case 'any':
        return this.#any(schema.name ?? `runtime.${schema.form}`, schema.form);
    }
  }

  #scalar(schema: ScalarSchema): JsonObject {
    const v2 = this.dialect === 'v2';
    switch (schema.type) {
      case 'string':
        return { type: 'string', ...(schema.enum !== undefined && { enum: [...schema.enum].sort() }) };
      case 'bool':
        return { type: 'boolean' };
      case 'int32':
      case 'int64':
        return { type: 'integer', format: schema.type };
      case 'float64':
        return { type: 'number', format: 'double' };
      case 'bytes':
        return { type: 'string', format: 'byte' };
      case 'time':
        return this.#named('meta/v1.Time', { type: 'string', format: 'date-time' });
      case 'microTime':
        return this.#named('meta/v1.MicroTime', { type: 'string', format: 'date-time' });
      case 'duration':
        return this.#named('meta/v1.Duration', { type: 'string' });
      case 'quantity':
        return this.#named(
          'resource.Quantity',
          v2 ? { type: 'string' } : { oneOf: [{ type: 'string' }, { type: 'number' }] },
          'io.k8s.apimachinery.pkg.api.resource.Quantity',
        );
      case 'intOrString':
        return this.#named(
          'intstr.IntOrString',
          v2
            ? { type: 'string', format: 'int-or-string' }
            : { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
          'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
        );
    }
  }

  #any(name: string, form: 'rawExtension' | 'fieldsV1' | 'json'): JsonObject {
    if (form === 'rawExtension') return this.#named('runtime.RawExtension', { type: 'object' });
    if (form === 'fieldsV1') return this.#named('meta/v1.FieldsV1', { type: 'object' });
    return this.#named(name, {});
  }

  #named(type: string, body: JsonObject, name = definitionName(type)): JsonObject {
    const description = describeType(type);
    return this.reference(name, () => ({ ...(description !== '' && { description }), ...body }));
  }

  #groupVersionKinds(type: string): JsonObject[] {
    const own = kindsByType().get(type);
    if (own === undefined) return [];
    const found = [...own];
    const kind = (own[0] as JsonObject)['kind'] as string;
    if (EVERYWHERE.has(kind)) {
      for (const { group, version } of this.#served) {
        if (group !== '' || version !== 'v1') found.push({ group, kind, version });
      }
    }
    return found;
  }
}

/** Fields that kube-apiserver publishes as a bare reference, because they have no description. */
const BARE_REFERENCES: ReadonlySet<string> = new Set([
  ...['additionalItems', 'additionalProperties', 'example', 'externalDocs', 'items', 'not'].map(
    (name) => `apiextensions/v1.JSONSchemaProps.${name}`,
  ),
  'networking/v1beta1.IngressRule.http',
  'extensions/v1beta1.IngressRule.http',
]);

/** The generator of kube-apiserver treats bytes as a list; this field has a list type. */
const ATOMIC_BYTES: ReadonlySet<string> = new Set(['apiregistration/v1.APIServiceSpec.caBundle']);

const byName = (a: Field, b: Field): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

function listExtensions(schema: ListSchema): JsonObject {
  return {
    ...(schema.keys.length > 0 && { 'x-kubernetes-list-map-keys': [...schema.keys] }),
    'x-kubernetes-list-type': schema.listType,
  };
}

/**
 * The declared default, or the decoded value of an absent field that is not a pointer in Go: structs always, scalars if
 * always written.
 */
function defaultOf(field: Field): JsonValue | undefined {
  if (field.default !== undefined) return field.default;
  if (field.pointer) return undefined;
  return field.omitEmpty && field.schema.kind !== 'struct' ? undefined : zeroOf(field.schema);
}

const zeroOf = (schema: Schema): JsonValue | undefined => (schema.kind === 'struct' ? {} : plainZero(schema));

/** Properties at the place of use that override those of the type. */
function usedMapType(schema: Schema): string | undefined {
  if (schema.kind !== 'struct' || schema.mapType === undefined) return undefined;
  const declared = typeByName(schema.name);
  return declared !== schema && declared.kind === 'struct' && declared.mapType !== schema.mapType
    ? schema.mapType
    : undefined;
}

let gvksByType: ReadonlyMap<string, readonly JsonObject[]> | undefined;

function kindsByType(): ReadonlyMap<string, readonly JsonObject[]> {
  gvksByType ??= new Map(
    allKinds().map((k) => {
      // For clients, the kinds of apimachinery belong to core v1.
      const group = k.group === 'meta.k8s.io' ? '' : k.group;
      return [k.type, [{ group, kind: k.kind, version: k.version }]] as const;
    }),
  );
  return gvksByType;
}
