import { isObject, type JsonObject, type JsonValue } from '../../../api/index.js';

/** The names on the path of a field, and the schema of the field. */
export interface SelectablePath {
  readonly names: readonly string[];
  readonly schema: JsonObject;
}

/** Resolves a JSON path without array notation in a schema. Returns what is wrong with it as text. */
export function selectablePath(jsonPath: string, root: JsonValue | undefined): SelectablePath | string {
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
