import type { JsonObject, JsonValue } from '../../api/index.js';

/** Helpers for defaulting. Each is idempotent. */

/** Sets a field that is absent. A present value stays, even 0, false or ''. */
export function whenAbsent(o: JsonObject, field: string, value: JsonValue): void {
  if (o[field] === undefined || o[field] === null) o[field] = value;
}

/** Sets a field that is absent or the empty string. */
export function whenEmpty(o: JsonObject, field: string, value: string): void {
  if (o[field] === undefined || o[field] === null || o[field] === '') o[field] = value;
}
