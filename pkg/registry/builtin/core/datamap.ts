import { equalJson, type FieldErrors, FieldPath, isConfigMapKey, type JsonObject } from '../../../api/index.js';
import { boolAt } from '../access.js';

/** What ConfigMap and Secret share: keys that may become file names, and data that may be sealed. */

/** Checks every key; returns them all. */
export function validateKeys(data: JsonObject, path: FieldPath, errors: FieldErrors): readonly string[] {
  const keys = Object.keys(data);
  for (const key of keys) for (const sentence of isConfigMapKey(key)) errors.invalid(path.key(key), key, sentence);
  return keys;
}

const SEALED = 'field is immutable when `immutable` is set';

/** Once `immutable` is true it stays, and so does the data. */
export function immutableData(o: JsonObject, old: JsonObject, fields: readonly string[], errors: FieldErrors): void {
  if (!boolAt(old, 'immutable')) return;
  if (!boolAt(o, 'immutable')) errors.forbidden(FieldPath.of('immutable'), SEALED);
  for (const field of fields) {
    if (!equalJson(o[field] ?? {}, old[field] ?? {})) errors.forbidden(FieldPath.of(field), SEALED);
  }
}
