import { isObject, type JsonObject } from '../../api/index.js';
import { describeField, describeType } from '../docs.js';
import { structByName } from '../load.js';
import type { Definitions, Dialect } from './definitions.js';
import { customDefinitionName } from './names.js';
import type { ApiGroupVersion, ApiResource } from './served.js';

/** Definitions of a custom resource and its list, from the schema that its definition publishes. */
export function customDefinition(
  dialect: Dialect,
  gv: ApiGroupVersion,
  resource: ApiResource,
  definitions: Definitions,
): JsonObject {
  const published = resource.custom?.schema ?? {};
  const schema = dialect === 'v3' ? published : forSwagger(published, true);
  const meta = structByName('meta/v1.ObjectMeta');
  const typeMeta = typeProperties();
  return {
    ...schema,
    type: 'object',
    ...(isObject(schema['properties']) && {
      properties: {
        ...schema['properties'],
        ...typeMeta,
        metadata: reference(dialect, definitions.struct(meta), describeType('meta/v1.ObjectMeta')),
      },
    }),
    'x-kubernetes-group-version-kind': [{ group: gv.group, kind: resource.kind, version: gv.version }],
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
  };
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
const V3_ONLY: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'default',
  'deprecated',
  'not',
  'nullable',
  'oneOf',
  'x-kubernetes-validations',
]);

/**
 * Converts a published schema to Swagger 2. Keywords of v3 are dropped. A value that is nullable or of several types has no type, and an
 * object that preserves unknown fields has no properties, so that old clients do not reject objects that the server accepts.
 */
function forSwagger(schema: JsonObject, root = false): JsonObject {
  const out: JsonObject = {};
  const loose =
    schema['nullable'] === true ||
    schema['x-kubernetes-int-or-string'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] === true;
  for (const [key, value] of Object.entries(schema)) {
    if (V3_ONLY.has(key)) continue;
    if (loose && !root && (key === 'type' || key === 'properties' || key === 'items' || key === 'additionalProperties'))
      continue;
    if (key === 'properties' && isObject(value)) {
      out[key] = Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, isObject(inner) ? forSwagger(inner) : inner]),
      );
    } else if ((key === 'items' || key === 'additionalProperties') && isObject(value)) {
      out[key] = forSwagger(value);
    } else {
      out[key] = value;
    }
  }
  return out;
}
