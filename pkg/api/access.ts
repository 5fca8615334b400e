import { asGiven, getOwn, isObject, type JsonArray, type JsonObject, type JsonValue, setOwn } from './json.js';

/** Reads of an object whose shape the schema has already checked: a missing or differently shaped value reads as empty. */

export function at(o: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  let v = o;
  for (const key of path) {
    if (!isObject(v)) return undefined;
    v = getOwn(v, key);
  }
  return v;
}

/** As `at`, and `[]` or `{}` where a field was given as such: what Go's rules see that ask for nil, and what their sentences show. */
export function givenAt(o: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  const owner = at(o, ...path.slice(0, -1));
  return isObject(owner) ? asGiven(owner, path.at(-1)!) : undefined;
}

export function objectAt(o: JsonValue | undefined, ...path: readonly string[]): JsonObject {
  const v = at(o, ...path);
  return isObject(v) ? v : {};
}

/** The object under `key`, made when there is none: for rules that fill an object in. */
export function objectIn(o: JsonObject, key: string): JsonObject {
  const v = getOwn(o, key);
  if (isObject(v)) return v;
  const made: JsonObject = {};
  setOwn(o, key, made);
  return made;
}

export function listAt(o: JsonValue | undefined, ...path: readonly string[]): JsonArray {
  const v = at(o, ...path);
  return Array.isArray(v) ? v : [];
}

/** The objects of a list of objects. */
export function objectsAt(o: JsonValue | undefined, ...path: readonly string[]): readonly JsonObject[] {
  return listAt(o, ...path).filter(isObject);
}

export function textAt(o: JsonValue | undefined, ...path: readonly string[]): string {
  const v = at(o, ...path);
  return typeof v === 'string' ? v : '';
}

export function numberAt(o: JsonValue | undefined, ...path: readonly string[]): number {
  const v = at(o, ...path);
  return typeof v === 'number' ? v : typeof v === 'bigint' ? Number(v) : 0;
}

export function boolAt(o: JsonValue | undefined, ...path: readonly string[]): boolean {
  return at(o, ...path) === true;
}

export const nameOf = (o: JsonObject): string => textAt(o, 'metadata', 'name');
