import { isObject, type JsonObject, type JsonValue } from '../../api/index.js';
import { describeField, describeType } from '../docs.js';
import { structByName } from '../load.js';
import type { Definitions, Dialect } from './definitions.js';
import { withEmbedded } from './embedded.js';
import { withIntOrString } from './intorstring.js';
import { customDefinitionName } from './names.js';
import { withDoubles } from './numbers.js';
import type { ApiGroupVersion, ApiResource } from './served.js';

/** Definitions of a custom resource and its list, from the schema that its definition publishes. */
export function customDefinition(
  dialect: Dialect,
  gv: ApiGroupVersion,
  resource: ApiResource,
  definitions: Definitions,
): JsonObject {
  const published = resource.custom?.schema();
  const identity = {
    'x-kubernetes-group-version-kind': [{ group: gv.group, kind: resource.kind, version: gv.version }],
    ...selectableFields(resource),
  };
  // kubectl would reject the unknown fields of an object of which it knows any property.
  if (published === undefined || (dialect === 'v2' && published['x-kubernetes-preserve-unknown-fields'] === true))
    return { type: 'object', ...identity };
  const meta = structByName('meta/v1.ObjectMeta');
  const metadata = reference(dialect, definitions.struct(meta), describeType('meta/v1.ObjectMeta'));
  const fields = { ...typeProperties(), metadata };
  const schema = withEmbedded(dialect === 'v3' ? withIntOrString(published) : forSwagger(published), fields, dialect);
  return {
    ...schema,
    type: 'object',
    properties: { ...(isObject(schema['properties']) && schema['properties']), ...fields },
    ...identity,
  };
}

export function customListDefinition(
  dialect: Dialect,
  gv: ApiGroupVersion,
  resource: ApiResource,
  definitions: Definitions,
): JsonObject {
  const listKind = resource.custom?.listKind ?? `${resource.kind}List`;
  const item = definitions.reference(customDefinitionName(gv, resource.kind), () => ({}));
  const meta = structByName('meta/v1.ListMeta');
  return {
    description: `A list of ${resource.kind} objects.`,
    type: 'object',
    required: ['items'],
    properties: {
      ...typeProperties(),
      items: { description: `Objects of kind ${resource.kind}.`, type: 'array', items: item },
      metadata: reference(dialect, definitions.struct(meta), describeType('meta/v1.ListMeta')),
    },
    'x-kubernetes-group-version-kind': [{ group: gv.group, kind: listKind, version: gv.version }],
    ...selectableFields(resource),
  };
}

function selectableFields({ custom }: ApiResource): JsonObject {
  const paths = custom?.selectableFields ?? [];
  if (paths.length === 0) return {};
  return { 'x-kubernetes-selectable-fields': paths.map((fieldPath) => ({ fieldPath })) };
}

function typeProperties(): JsonObject {
  const typeMeta = structByName('meta/v1.TypeMeta');
  const out: JsonObject = {};
  for (const field of typeMeta.fields) {
    const description = describeField(typeMeta.name, field);
    out[field.name] = { ...(description !== '' && { description }), type: 'string' };
  }
  return out;
}

function reference(dialect: Dialect, ref: JsonObject, description: string): JsonObject {
  const siblings = description === '' ? {} : { description };
  return dialect === 'v3' ? { ...siblings, allOf: [ref] } : { ...siblings, ...ref };
}

/** Keywords that Swagger 2 does not have, or that its clients do not handle. */
const V3_ONLY: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'default', 'deprecated', 'not', 'nullable', 'oneOf']);

/**
 * Converts a published schema to Swagger 2, as clients of it need: keywords of v3 are dropped. A value that is nullable, an
 * object that preserves unknown fields and a list of unknown items have no type, and the former two no properties and items.
 * A property that may be null is not required.
 */
function forSwagger(schema: JsonObject): JsonObject {
  const out: JsonObject = {};
  const nullable = schema['nullable'] === true;
  const preserving = schema['x-kubernetes-preserve-unknown-fields'] === true;
  for (const [key, value] of Object.entries(schema)) {
    if (V3_ONLY.has(key)) continue;
    if ((nullable || preserving) && (key === 'properties' || key === 'items')) continue;
    if (key === 'properties' && isObject(value))
      out[key] = Object.fromEntries(Object.entries(value).map(([name, v]) => [name, isObject(v) ? forSwagger(v) : v]));
    else if ((key === 'items' || key === 'additionalProperties') && isObject(value)) out[key] = forSwagger(value);
    else out[key] = key === 'enum' || key === 'example' ? withDoubles(value) : value;
  }
  const untyped =
    nullable || (preserving && out['type'] === 'object') || (out['type'] === 'array' && !('items' in out));
  if (untyped) delete out['type'];
  const { properties, additionalProperties } = schema;
  if (isObject(additionalProperties) && additionalProperties['nullable'] === true) delete out['required'];
  if (Array.isArray(out['required']) && isObject(properties) && !nullable && !preserving)
    out['required'] = out['required'].filter((name) => !isNullable(properties[String(name)]));
  if (Array.isArray(out['required']) && out['required'].length === 0) delete out['required'];
  return out;
}

function isNullable(schema: JsonValue | undefined): boolean {
  return isObject(schema) && schema['nullable'] === true;
}
