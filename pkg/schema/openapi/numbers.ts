import { isObject, type JsonObject, type JsonValue } from '../../api/index.js';

/** The JSON of a value. Schemas of custom resources may have integers beyond 2^53, for example as a default or as a maximum length. */
export function jsonOf(value: JsonValue | undefined): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // The value contains a bigint.
  }
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  const members = Object.entries(value as JsonObject).filter(([, v]) => v !== undefined);
  return `{${members.map(([name, v]) => `${JSON.stringify(name)}:${jsonOf(v)}`).join(',')}}`;
}

/** The value with doubles only, as kube-apiserver publishes examples and values of an enumeration in Swagger 2. */
export function withDoubles(value: JsonValue): JsonValue {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(withDoubles);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, v]) => [name, withDoubles(v)])) : value;
}
