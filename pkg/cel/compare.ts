import {
  Bytes,
  type CelError,
  CelMap,
  Duration,
  EntryMap,
  fail,
  JsonList,
  List,
  NO_OVERLOAD,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  typeName,
  Uint,
  type Value,
} from './values.js';

/**
 * Equality: numbers of different types are equal if they are the same number; other values of different types are never
 * equal.
 */
export function equals(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (isNumber(a)) return isNumber(b) && compareNumbers(a, b) === 0;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  if (a instanceof List) return b instanceof List && listsEqual(a, b);
  if (a instanceof CelMap) return b instanceof CelMap && mapsEqual(a, b);
  if (a instanceof Bytes) return b instanceof Bytes && compareBytes(a.value, b.value) === 0;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Optional) {
    if (!(b instanceof Optional)) return false;
    return a.value === undefined || b.value === undefined ? a.value === b.value : equals(a.value, b.value);
  }
  return a instanceof Opaque && a.equals(b);
}

/**
 * Reports whether the operator == compares the values. It refuses what is of another type than the value of a library, or than
 * the list or map of an object, on its left; then != is true, and so is the inequality of lists that contain them.
 */
export function isComparable(a: Value, b: Value): boolean {
  if (b === null) return true;
  if (a instanceof CelMap) return b instanceof CelMap || a instanceof EntryMap;
  if (a instanceof JsonList) return b instanceof List;
  return !(a instanceof Opaque) || a.comparesAny || typeName(a) === typeName(b);
}

function listsEqual(a: List, b: List): boolean {
  const own = a.equals(b);
  if (own !== undefined) return own;
  if (a.size !== b.size) return false;
  for (let i = 0; i < a.size; i++) if (!equals(a.at(i), b.at(i))) return false;
  return true;
}

function mapsEqual(a: CelMap, b: CelMap): boolean {
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const other = b.find(key);
    if (other === undefined || !equals(a.find(key)!, other)) return false;
  }
  return true;
}

export type NumberValue = bigint | number | Uint;

export function isNumber(v: Value): v is NumberValue {
  return typeof v === 'bigint' || typeof v === 'number' || v instanceof Uint;
}

/** -1, 0 or 1; NaN is not equal to any number. */
export function compareNumbers(a: NumberValue, b: NumberValue): number {
  const x = a instanceof Uint ? a.value : a;
  const y = b instanceof Uint ? b.value : b;
  if (typeof x === 'number' && typeof y === 'bigint') return compareMixed(x, y);
  if (typeof x === 'bigint' && typeof y === 'number') return -compareMixed(y, x);
  if (x < y) return -1;
  if (x > y) return 1;
  return x === y ? 0 : Number.NaN;
}

/** A double and an int are compared as doubles; a double beyond the range of ints is greater or less than every int. */
function compareMixed(double: number, int: bigint): number {
  if (Number.isNaN(double)) return Number.NaN;
  if (double > 2 ** 63) return 1;
  if (double < -(2 ** 63)) return -1;
  const other = Number(int);
  return double < other ? -1 : double > other ? 1 : 0;
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) if (a[i] !== b[i]) return a[i]! < b[i]! ? -1 : 1;
  return Math.sign(a.length - b.length);
}

/** Orders strings by code points, which is the order of their UTF-8 bytes. */
export function compareStrings(a: string, b: string): number {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    let [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    // Surrogates sort above the rest of the basic plane.
    if (x >= 0xd800 && y >= 0xd800) {
      if (x < 0xe000) x += 0x2000;
      else x -= 0x800;
      if (y < 0xe000) y += 0x2000;
      else y -= 0x800;
    }
    return x < y ? -1 : 1;
  }
  return Math.sign(a.length - b.length);
}

/** -1, 0 or 1, or the error for values without an order. */
export function compare(a: Value, b: Value): number | CelError {
  if (isNumber(a)) {
    if (!isNumber(b)) return NO_OVERLOAD;
    const order = compareNumbers(a, b);
    return Number.isNaN(order) ? fail('NaN values cannot be ordered') : order;
  }
  if (typeof a === 'string') return typeof b === 'string' ? compareStrings(a, b) : NO_OVERLOAD;
  if (typeof a === 'boolean') return typeof b === 'boolean' ? Number(a) - Number(b) : NO_OVERLOAD;
  if (a instanceof Bytes) return b instanceof Bytes ? compareBytes(a.value, b.value) : NO_OVERLOAD;
  if (a instanceof Timestamp) {
    if (!(b instanceof Timestamp)) return NO_OVERLOAD;
    return Math.sign(a.seconds - b.seconds) || Math.sign(a.nanos - b.nanos);
  }
  if (a instanceof Duration) {
    if (!(b instanceof Duration)) return NO_OVERLOAD;
    return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
  }
  return NO_OVERLOAD;
}
