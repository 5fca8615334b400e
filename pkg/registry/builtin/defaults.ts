import type { FieldOf, JsonObject, JsonValue } from '../../api/index.js';

/** Helpers for defaulting. Each is idempotent. */

/** Sets a field that is absent. A present value stays, even 0, false or ''. */
export function whenAbsent<O extends JsonObject>(o: O, field: FieldOf<O>, value: JsonValue): void {
  const target: JsonObject = o;
  if (target[field] === undefined || target[field] === null) target[field] = value;
}

/** Sets a field that is absent or the empty string. */
export function whenEmpty<O extends JsonObject>(o: O, field: FieldOf<O>, value: string): void {
  const target: JsonObject = o;
  if (target[field] === undefined || target[field] === null || target[field] === '') target[field] = value;
}
