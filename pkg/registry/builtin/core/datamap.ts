import {
  equalJson,
  type FieldErrors,
  type FieldName,
  FieldPath,
  isConfigMapKey,
  type JsonObject,
  type Shaped,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, boolAt } from '../access.js';

/** Validation that ConfigMap and Secret share: keys that may become file names, and immutable data. */

/** Validates every key and returns all keys. */
export function validateKeys(data: JsonObject, path: FieldPath, errors: FieldErrors): readonly string[] {
  const keys = Object.keys(data);
  for (const key of keys) for (const sentence of isConfigMapKey(key)) errors.invalid(path.key(key), key, sentence);
  return keys;
}

const SEALED = 'field is immutable when `immutable` is set';

/** Once `immutable` is true, neither it nor the data may change. */
export function immutableData(
  o: Shaped<shapes.CoreV1ConfigMap | shapes.CoreV1Secret>,
  old: Shaped<shapes.CoreV1ConfigMap | shapes.CoreV1Secret>,
  fields: readonly FieldName<shapes.CoreV1ConfigMap | shapes.CoreV1Secret>[],
  errors: FieldErrors,
): void {
  if (!boolAt(old, 'immutable')) return;
  if (!boolAt(o, 'immutable'))
    errors.forbidden(FieldPath.in<shapes.CoreV1ConfigMap | shapes.CoreV1Secret>().child('immutable'), SEALED);
  for (const field of fields) {
    if (!equalJson(at(o, field) ?? {}, at(old, field) ?? {})) errors.forbidden(FieldPath.of(field), SEALED);
  }
}
