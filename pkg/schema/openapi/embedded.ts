import { isObject, type JsonObject, type JsonValue } from '../../api/index.js';
import type { Dialect } from './definitions.js';

/**
 * Returns a published schema in which embedded resources (`x-kubernetes-embedded-resource`) have the fields of every object, and require
 * version and kind, as in kube-apiserver. In v2 those that preserve unknown fields do not: kubectl would reject these. Schemas without embedded
 * resources are returned as they are.
 */
export function withEmbedded(schema: JsonObject, fields: JsonObject, dialect: Dialect): JsonObject {
  const parts = changedParts(schema, (inner) => withEmbedded(inner, fields, dialect));
  const isOpen = dialect === 'v2' && schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema['x-kubernetes-embedded-resource'] === true && !isOpen) {
    const own = parts['properties'] ?? schema['properties'];
    parts['properties'] = { ...(isObject(own) && own), ...fields };
    const { required } = schema;
    parts['required'] = [...new Set([...(Array.isArray(required) ? required : []), 'kind', 'apiVersion'])];
  }
  return Object.keys(parts).length === 0 ? schema : { ...schema, ...parts };
}

/** The parts of a schema that `change` replaces by others: of its properties, items and additional properties. */
export function changedParts(schema: JsonObject, change: (inner: JsonObject) => JsonObject): JsonObject {
  const inner = (value: JsonValue): JsonValue => (isObject(value) ? change(value) : value);
  const parts: JsonObject = {};
  const { properties, items, additionalProperties } = schema;
  if (isObject(properties)) {
    const own = Object.entries(properties).map(([name, v]) => [name, inner(v)] as const);
    if (own.some(([name, v]) => v !== properties[name])) parts['properties'] = Object.fromEntries(own);
  }
  for (const [name, part] of Object.entries({ items, additionalProperties })) {
    const changed = part === undefined ? part : inner(part);
    if (changed !== undefined && changed !== part) parts[name] = changed;
  }
  return parts;
}
