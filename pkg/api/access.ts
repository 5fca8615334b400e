import { asGiven, getOwn, isObject, type JsonArray, type JsonObject, type JsonValue, setOwn } from './json.js';
import type { FieldReader, ObjectReader, ObjectsReader } from './shape.js';

/**
 * Readers for objects that match their schema. A missing value, or one of another type, reads as empty. For a `Shaped` object
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

/** Like `at`, but returns `[]` or `{}` for a field given empty, as Go code that compares with nil sees it and errors show it. */
export const givenAt: FieldReader<JsonValue | undefined> = (o: JsonValue | undefined, ...path: readonly string[]) => {
  const owner = readAt(o, ...path.slice(0, -1));
  return isObject(owner) ? asGiven(owner, path.at(-1)!) : undefined;
};

export const objectAt: ObjectReader = (o: JsonValue | undefined, ...path: readonly string[]) => {
  const v = readAt(o, ...path);
  return isObject(v) ? v : {};
};

/** Returns the object under `key` and creates it if it is absent. Used for defaulting. */
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

/** Returns the items of a list that are objects. */
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
