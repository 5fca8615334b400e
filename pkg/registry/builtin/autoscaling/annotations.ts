import { isObject, type JsonObject, type JsonValue, setOwn } from '../../../api/index.js';
import { decodeValue } from '../../../codec/index.js';
import { type Schema, structByName } from '../../../schema/index.js';

/**
 * What annotations say of another version's fields. They are read as Go's own reader of JSON does it: names in whatever case,
 * unknown ones passed over. What does not fit its type counts as not said at all.
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

/** A copy with the names that its type has. */
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
