import { asGiven, getOwn, isObject, type JsonArray, type JsonObject, type JsonValue, setOwn } from './json.js';
import type { FieldReader, ObjectReader, ObjectsReader } from './shape.js';

/**
 * Reads of an object whose shape the schema has checked: a missing value, or one of another form, reads as empty. Of a `Shaped` object
 * the compiler checks the names in the path.
 */

export const at: FieldReader<JsonValue | undefined> = readAt;

function readAt(o: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  let v = o;
  for (const key of path) {
    if (!isObject(v)) return undefined;
    v = getOwn(v, key);
  }
  return v;
}

/** As `at`, and `[]` or `{}` where a field was given as such: what Go's rules see that ask for nil, and what their sentences show. */
export const givenAt: FieldReader<JsonValue | undefined> = (o: JsonValue | undefined, ...path: readonly string[]) => {
  const owner = readAt(o, ...path.slice(0, -1));
  return isObject(owner) ? asGiven(owner, path.at(-1)!) : undefined;
};

export const objectAt: ObjectReader = (o: JsonValue | undefined, ...path: readonly string[]) => {
  const v = readAt(o, ...path);
  return isObject(v) ? v : {};
};

/** The object under `key`, made when there is none: for rules that fill an object in. */
export function objectIn(o: JsonObject, key: string): JsonObject {
  const v = getOwn(o, key);
  if (isObject(v)) return v;
  const made: JsonObject = {};
  setOwn(o, key, made);
  return made;
}

export const listAt: FieldReader<JsonArray> = readList;

function readList(o: JsonValue | undefined, ...path: readonly string[]): JsonArray {
  const v = readAt(o, ...path);
  return Array.isArray(v) ? v : [];
}

/** The objects of a list of objects. */
export const objectsAt: ObjectsReader = (o: JsonValue | undefined, ...path: readonly string[]) => {
  return readList(o, ...path).filter(isObject);
};

export const textAt: FieldReader<string> = (o: JsonValue | undefined, ...path: readonly string[]) => {
  const v = readAt(o, ...path);
  return typeof v === 'string' ? v : '';
};

export const numberAt: FieldReader<number> = (o: JsonValue | undefined, ...path: readonly string[]) => {
  const v = readAt(o, ...path);
  return typeof v === 'number' ? v : typeof v === 'bigint' ? Number(v) : 0;
};

export const boolAt: FieldReader<boolean> = (o: JsonValue | undefined, ...path: readonly string[]) => {
  return readAt(o, ...path) === true;
};

export const nameOf = (o: JsonObject): string => textAt(o, 'metadata', 'name');
