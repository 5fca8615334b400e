/**
 * A decoded API value. Integers beyond 2^53 are bigint, so that int64 fields keep every digit; all other values are as
 * in JSON. Objects are ordinary objects whose keys are data: `__proto__` and `constructor` are ordinary own keys (see
 * `setOwn`). An absent field has no key; its value is never `undefined`.
 */
export type JsonValue = null | boolean | number | bigint | string | JsonArray | JsonObject;
export type JsonArray = JsonValue[];
export interface JsonObject {
  [key: string]: JsonValue;
}

export function isObject(v: JsonValue | undefined): v is JsonObject {
  return typeof v === 'object' && v !== null && !Array.isArray(v);
}

/** Sets an own property whatever its name: plain assignment of `__proto__` would change the prototype instead. */
export function setOwn(o: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__')
    Object.defineProperty(o, key, { value, writable: true, enumerable: true, configurable: true });
  else o[key] = value;
}

/** The own property, or undefined: never an inherited one such as `constructor` or `toString`. */
export function getOwn(o: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(o, key) ? o[key] : undefined;
}

/**
 * The key under which an object remembers fields that were `[]` or `{}` in the request and are not stored: some rules
 * distinguish an empty list from an absent one. Copies keep it, including those by `...`; comparisons, encoders and
 * loops over keys ignore it.
 */
const GIVEN_EMPTY = Symbol('given empty');

type EmptyFields = Readonly<Record<string, JsonArray | JsonObject>>;

interface Remembers {
  [GIVEN_EMPTY]?: EmptyFields;
}

/**
 * Records the fields that were empty in the request. The object and its copies keep `fields`, so it must not change
 * afterwards.
 */
export function rememberEmpty(o: JsonObject, fields: EmptyFields): void {
  (o as Remembers)[GIVEN_EMPTY] = fields;
}

/** Records a field that is empty, unless the object has it. */
export function noteEmpty(o: JsonObject, field: string, value: JsonArray | JsonObject): void {
  if (asGiven(o, field) === undefined) rememberEmpty(o, { ...(o as Remembers)[GIVEN_EMPTY], [field]: value });
}

/** Removes a field, also if it was empty in the request. */
export function removeField(o: JsonObject, field: string): void {
  delete o[field];
  const empty = (o as Remembers)[GIVEN_EMPTY];
  if (empty === undefined || !Object.hasOwn(empty, field)) return;
  const { [field]: _, ...rest } = empty;
  rememberEmpty(o, rest);
}

/** Returns the field, or `[]` or `{}` if it was empty in the request and is not stored. */
export function asGiven(o: JsonObject, field: string): JsonValue | undefined {
  const value = getOwn(o, field);
  if (value !== undefined && value !== null) return value;
  const empty = (o as Remembers)[GIVEN_EMPTY];
  return empty !== undefined && Object.hasOwn(empty, field) ? empty[field] : value;
}

/** Sets the fields that are null because they were empty in the request to their empty values, in place. */
export function restoreGivenEmpty(v: JsonValue): void {
  if (Array.isArray(v)) v.forEach(restoreGivenEmpty);
  if (!isObject(v)) return;
  const empty = (v as Remembers)[GIVEN_EMPTY] ?? {};
  for (const field of Object.keys(v)) {
    if (v[field] === null && Object.hasOwn(empty, field)) v[field] = empty[field]!;
    else restoreGivenEmpty(v[field]!);
  }
}

/** The names of fields that are present or were empty in the request. Null fields count as absent. */
export function givenFields(o: JsonObject): readonly string[] {
  const held = Object.keys(o).filter((field) => o[field] !== null);
  return [...new Set([...held, ...Object.keys((o as Remembers)[GIVEN_EMPTY] ?? {})])];
}

/** A deep copy that shares nothing with the original. */
export function cloneJson<T extends JsonValue>(v: T): T {
  return (typeof v === 'object' && v !== null ? cloneContainer(v) : v) as T;
}

/**
 * Copy the object first, which costs much less than member by member, then its values. `__proto__` is then an own
 * property and may be assigned.
 */
function cloneContainer(v: JsonArray | JsonObject): JsonArray | JsonObject {
  if (Array.isArray(v)) return v.map(cloneJson);
  const out: JsonObject = { ...v };
  for (const key in out) {
    const value = out[key]!;
    if (typeof value === 'object' && value !== null) out[key] = cloneContainer(value);
  }
  return out;
}

/** Deep equality of JSON values; object key order does not matter, list order does. */
export function equalJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return typeof a === 'number' && typeof b === 'bigint'
      ? BigInt(a) === b
      : typeof a === 'bigint' && typeof b === 'number'
        ? a === BigInt(b)
        : false;
  }
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!equalJson(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  let members = 0;
  for (const k in a) {
    if (!Object.hasOwn(b, k) || !equalJson(a[k], b[k])) return false;
    members++;
  }
  for (const _ in b) members--;
  return members === 0;
}

/**
 * Whether two values differ where a list or map that was empty in the request, though it is not stored, differs from an absent one. Only
 * `a` can have such fields: `b` is a stored object.
 */
export function differsAsGiven(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return !equalJson(a, b) || hasGivenEmpty(a);
}

/** Whether a list or map somewhere in the value was empty in the request and is not stored. */
export function hasGivenEmpty(v: JsonValue | undefined): boolean {
  if (Array.isArray(v)) return v.some(hasGivenEmpty);
  if (!isObject(v)) return false;
  const empty = (v as Remembers)[GIVEN_EMPTY] ?? {};
  return Object.keys(empty).some((field) => !Object.hasOwn(v, field)) || Object.values(v).some(hasGivenEmpty);
}

/** Whether a field of the object itself was empty in the request. */
export function remembersEmpty(o: JsonObject): boolean {
  return (o as Remembers)[GIVEN_EMPTY] !== undefined;
}

/** A multiset of values under `equalJson`. Adding a value takes time linear in its size. */
export class JsonCounter {
  readonly #counts = new Map<string, number>();

  /** Adds a value `times` times. Returns how often an equal one was added before. */
  add(value: JsonValue, times = 1): number {
    const text = sameText(value);
    const before = this.#counts.get(text) ?? 0;
    this.#counts.set(text, before + times);
    return before;
  }
}

/** A canonical text, equal only for equal values: JSON with sorted keys, where number and bigint integers are equal. */
function sameText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(sameText).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const keys = Object.keys(value).sort();
    return `{${keys.map((k) => `${JSON.stringify(k)}:${sameText(value[k]!)}`).join(',')}}`;
  }
  return typeof value === 'bigint' || Number.isInteger(value)
    ? String(BigInt(value as number | bigint))
    : JSON.stringify(value);
}
