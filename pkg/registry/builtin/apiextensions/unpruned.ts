import { cloneJson, isObject, type JsonObject, type JsonValue } from '../../../api/index.js';
import { compileStructuralSchema, prune, type StructSchema } from '../../../schema/index.js';

/** A struct whose field `x` has the schema, without its default. */
export const holderOf = (s: JsonObject): StructSchema =>
  compileStructuralSchema({ type: 'object', properties: { x: { ...s, default: null } } }, 'default');

/** Reports whether the default of a schema has fields that the schema does not declare. */
export function hasUnknownFields(s: JsonObject, holder?: StructSchema): boolean {
  const value: JsonValue = s['default'] ?? null;
  // A scalar has no fields.
  if (!isObject(value) && !Array.isArray(value)) return false;
  const pruned: JsonObject = { x: cloneJson(value) };
  return prune(pruned, holder ?? holderOf(s)).length > 0;
}
