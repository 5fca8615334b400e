import { isObject, type JsonObject, type JsonValue, setOwn } from '../../../api/index.js';
import { decodeValue } from '../../../codec/index.js';
import { type Schema, structByName } from '../../../schema/index.js';

/**
 * Fields of another version that annotations carry. They are decoded as Go's encoding/json does: names match in any case and
 * unknown fields are ignored. A value of the wrong type counts as absent.
 */
export function decodeAnnotation(type: string, value: JsonValue | undefined): JsonObject | undefined {
  const schema = structByName(type);
  if (!isObject(value)) return undefined;
  const decoded = decodeValue(schema, named(value, schema));
  return decoded.ok ? decoded.object : undefined;
}

export function listOf(type: string, value: JsonValue | undefined): JsonObject[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = value.map((item) => decodeAnnotation(type, item ?? {}));
  return items.every((item) => item !== undefined) ? items : undefined;
}

/** Returns a copy with field names in the case that the type declares. */
function named(value: JsonValue, schema: Schema): JsonValue {
  if (Array.isArray(value)) return schema.kind === 'list' ? value.map((v) => named(v, schema.items)) : value;
  if (!isObject(value)) return value;
  if (schema.kind === 'map') {
    const map: JsonObject = {};
    for (const [key, v] of Object.entries(value)) setOwn(map, key, named(v, schema.values));
    return map;
  }
  if (schema.kind !== 'struct') return value;
  const out: JsonObject = {};
  for (const [key, v] of Object.entries(value)) {
    const field = schema.byName.get(key) ?? schema.fields.find((f) => f.name.toLowerCase() === key.toLowerCase());
    if (field !== undefined) out[field.name] = named(v, field.schema);
  }
  return out;
}
