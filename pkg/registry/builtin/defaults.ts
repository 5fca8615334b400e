import type { JsonObject, JsonValue } from '../../api/index.js';

/** Filling in what an object is silent about. Each is idempotent. */

/** Sets a field that is absent; a value that is there stays, also when it is 0, false or ''. */
export function whenAbsent(o: JsonObject, field: string, value: JsonValue): void {
  if (o[field] === undefined || o[field] === null) o[field] = value;
}

/** Sets a field that is absent or empty text. */
export function whenEmpty(o: JsonObject, field: string, value: string): void {
  if (o[field] === undefined || o[field] === null || o[field] === '') o[field] = value;
}
