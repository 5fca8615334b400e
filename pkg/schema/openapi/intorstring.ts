import { equalJson, isObject, type JsonArray, type JsonObject, type JsonValue } from '../../api/index.js';
import { changedParts } from './embedded.js';

/** The types of a value that is an integer or a text. */
const TYPES: JsonArray = [{ type: 'integer' }, { type: 'string' }];

/**
 * Returns a published schema in which values with `x-kubernetes-int-or-string` state their types by `anyOf`, for clients that do not know the
 * extension. Those that state them already, and schemas without such values, are returned as they are.
 */
export function withIntOrString(schema: JsonObject): JsonObject {
  const parts = changedParts(schema, withIntOrString);
  if (schema['x-kubernetes-int-or-string'] === true) {
    const { anyOf, allOf } = schema;
    const all = Array.isArray(allOf) ? allOf : [];
    if (!isArrayWithItems(anyOf)) {
      if (!isTypes(anyOfIn(all[0]))) parts['anyOf'] = TYPES;
    } else if (!isTypes(anyOf) && !isTypes(anyOfIn(all[0]))) parts['allOf'] = [{ anyOf: TYPES }, ...all];
  }
  return Object.keys(parts).length === 0 ? schema : { ...schema, ...parts };
}

const isArrayWithItems = (value: JsonValue | undefined): boolean => Array.isArray(value) && value.length > 0;

const isTypes = (value: JsonValue | undefined): boolean => value !== undefined && equalJson(value, TYPES);

const anyOfIn = (value: JsonValue | undefined): JsonValue | undefined => (isObject(value) ? value['anyOf'] : undefined);
