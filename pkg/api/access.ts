import { asGiven, getOwn, isObject, type JsonArray, type JsonObject, type JsonValue, setOwn } from './json.js';
import type {
  FieldName,
  FieldOf,
  FieldReader,
  FieldShape,
  HasShape,
  ListReader,
  ObjectOf,
  ObjectReader,
  ObjectsReader,
  ValueReader,
} from './shape.js';

/**
 * Accessors for objects that match their schema. A missing value, or one of another type, reads as empty. For a
 * `Shaped` object the compiler checks the names in the path.
 */

export const at = readAt as ValueReader;

function readAt(o: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  let v = o;
  for (const key of path) {
    if (!isObject(v)) return undefined;
    v = getOwn(v, key);
  }
  return v;
}

/**
 * Like `at`, but returns `[]` or `{}` for a field that was present but empty, as Go code that compares with nil and
 * error messages do.
 */
export const givenAt = ((o: JsonValue | undefined, ...path: readonly string[]) => {
  const owner = readAt(o, ...path.slice(0, -1));
  return isObject(owner) ? asGiven(owner, path.at(-1)!) : undefined;
}) as ValueReader;

export const objectAt = ((o: JsonValue | undefined, ...path: readonly string[]) => {
  const v = readAt(o, ...path);
  return isObject(v) ? v : {};
}) as ObjectReader;

/** Returns the object under `key` and creates it if it is absent. Used for defaulting. */
export function objectIn(o: JsonObject & HasShape<never>, key: string): JsonObject;
export function objectIn<T, K extends FieldName<T>>(o: HasShape<T>, key: K): ObjectOf<FieldShape<T, K>>;
export function objectIn(object: object, key: string): JsonObject {
  const o = object as JsonObject;
  const v = getOwn(o, key);
  if (isObject(v)) return v;
  const made: JsonObject = {};
  setOwn(o, key, made);
  return made;
}

export const listAt = readList as ListReader;

function readList(o: JsonValue | undefined, ...path: readonly string[]): JsonArray {
  const v = readAt(o, ...path);
  return Array.isArray(v) ? v : [];
}

/** Returns the items of a list that are objects: the list itself if all of them are. */
export const objectsAt = ((o: JsonValue | undefined, ...path: readonly string[]) => {
  const list = readList(o, ...path);
  for (const item of list) if (!isObject(item)) return list.filter(isObject);
  return list;
}) as ObjectsReader;

export const textAt = ((o: JsonValue | undefined, ...path: readonly string[]) => {
  const v = readAt(o, ...path);
  return typeof v === 'string' ? v : '';
}) as FieldReader<string>;

export const numberAt = ((o: JsonValue | undefined, ...path: readonly string[]) => {
  const v = readAt(o, ...path);
  return typeof v === 'number' ? v : typeof v === 'bigint' ? Number(v) : 0;
}) as FieldReader<number>;

export const boolAt = ((o: JsonValue | undefined, ...path: readonly string[]) => {
  return readAt(o, ...path) === true;
}) as FieldReader<boolean>;

/** The names of the fields that an object has. */
export const keysOf = <O extends JsonObject>(o: O): readonly FieldOf<O>[] => Object.keys(o) as FieldOf<O>[];

export const nameOf = (o: JsonObject): string => textAt(o, 'metadata', 'name');
