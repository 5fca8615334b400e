import { type FieldErrors, type FieldPath, isObject, type JsonObject, type JsonValue } from '../../../api/index.js';
import { textAt } from '../access.js';

/** The names on the path of a field, and the schema of the field. */
interface SelectablePath {
  readonly names: readonly string[];
  readonly schema: JsonObject;
}

/** Resolves a JSON path without array notation in a schema. Returns what is wrong with it as text. */
function selectablePath(jsonPath: string, root: JsonValue | undefined): SelectablePath | string {
  const tokens = jsonPath.match(/[.[\]]|[^.[\]]+/g) ?? [];
  const names: string[] = [];
  let schema: JsonValue | undefined = root;
  for (let i = 0; i < tokens.length; i += 2) {
    if (tokens[i] === '[') return 'array notation is not allowed';
    if (tokens[i] !== '.') return `expected [ or . but got: ${tokens[i]}`;
    const name = tokens[i + 1];
    if (name === undefined) return 'unexpected end of JSON path';
    if (!isObject(schema)) return NOT_A_FIELD;
    const { properties, additionalProperties } = schema;
    if (isObject(properties) && Object.keys(properties).length > 0)
      schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    else schema = additionalProperties;
    if (!isObject(schema)) return NOT_A_FIELD;
    names.push(name);
  }
  return isObject(schema) ? { names, schema } : NOT_A_FIELD;
}

const NOT_A_FIELD = 'does not refer to a valid field';

const SELECTABLE_MAX = 8;
const WRONG_TYPE =
  'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';

interface SelectableContext {
  readonly path: FieldPath;
  readonly schema: JsonValue | undefined;
  /** There may be more of them than a new definition may have. */
  readonly mayExceed: boolean;
}

export function validateSelectable(
  fields: readonly JsonObject[],
  { path, schema, mayExceed }: SelectableContext,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  fields.forEach((f, i) => {
    const jsonPath = textAt(f, 'jsonPath');
    const own = path.index(i).child('jsonPath');
    if (jsonPath === '') {
      errors.required(own);
      return;
    }
    const found = selectablePath(jsonPath, schema);
    if (typeof found === 'string') {
      errors.invalid(own, jsonPath, `is an invalid path: ${found}`);
      return;
    }
    if (found.names[0] === 'metadata') errors.invalid(own, jsonPath, 'must not point to fields in metadata');
    if (!['string', 'boolean', 'integer'].includes(textAt(found.schema, 'type')))
      errors.invalid(own, jsonPath, WRONG_TYPE);
    const key = found.names.join('.');
    if (seen.has(key)) errors.duplicate(own, jsonPath);
    seen.add(key);
  });
  if (seen.size > SELECTABLE_MAX && !mayExceed) errors.tooMany(path, seen.size, SELECTABLE_MAX);
}
