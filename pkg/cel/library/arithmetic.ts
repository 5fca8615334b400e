import {
  Bytes,
  type CelError,
  Duration,
  fail,
  isError,
  List,
  NO_OVERLOAD,
  Timestamp,
  Uint,
  type Value,
} from '../values.js';
import { timestampInRange } from './time.js';

/** The arithmetic operators, with overflow errors. */

export const INT_MAX = (1n << 63n) - 1n;
export const INT_MIN = -(1n << 63n);
export const UINT_MAX = (1n << 64n) - 1n;

export const plain = (op: string): CelError => {
  const known = unsupported.get(op);
  if (known !== undefined) return known;
  const made = Object.assign(fail(`no such overload: ${op}`), { noOverload: true });
  unsupported.set(op, made);
  return made;
};
const unsupported = new Map<string, CelError>();

export const int = (v: bigint): Value => (v > INT_MAX || v < INT_MIN ? fail('integer overflow') : v);
export const uint = (v: bigint): Value => (v > UINT_MAX || v < 0n ? fail('unsigned integer overflow') : new Uint(v));
const duration = (nanos: bigint): Value => {
  const v = int(nanos);
  return isError(v) ? v : new Duration(nanos);
};

/** Arithmetic on two numbers of one type; undefined for other operands. */
export function arithmetic(
  a: Value,
  b: Value,
  onInts: (x: bigint, y: bigint) => Value,
  onUints: (x: bigint, y: bigint) => Value,
  onDoubles: ((x: number, y: number) => Value) | undefined,
): Value | undefined {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? onInts(a, b) : NO_OVERLOAD;
  if (a instanceof Uint) return b instanceof Uint ? onUints(a.value, b.value) : NO_OVERLOAD;
  if (typeof a === 'number' && onDoubles !== undefined) return typeof b === 'number' ? onDoubles(a, b) : NO_OVERLOAD;
  return undefined;
}

export function add(a: Value, b: Value): Value {
  const number = arithmetic(
    a,
    b,
    (x, y) => int(x + y),
    (x, y) => uint(x + y),
    (x, y) => x + y,
  );
  if (number !== undefined) return number;
  if (typeof a === 'string') return typeof b === 'string' ? a + b : NO_OVERLOAD;
  if (a instanceof List) return b instanceof List ? a.concat(b) : NO_OVERLOAD;
  if (a instanceof Bytes) return b instanceof Bytes ? new Bytes(joined(a.value, b.value)) : NO_OVERLOAD;
  if (a instanceof Duration) {
    if (b instanceof Duration) return duration(a.nanos + b.nanos);
    return b instanceof Timestamp ? shift(b, a.nanos) : NO_OVERLOAD;
  }
  if (a instanceof Timestamp) return b instanceof Duration ? shift(a, b.nanos) : NO_OVERLOAD;
  return plain('_+_');
}

export function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}

export const SECOND = 1_000_000_000n;

export function shift(t: Timestamp, by: bigint): Value {
  const nanos = BigInt(t.seconds) * SECOND + BigInt(t.nanos) + by;
  let seconds = nanos / SECOND;
  let rest = nanos % SECOND;
  if (rest < 0n) {
    seconds -= 1n;
    rest += SECOND;
  }
  if (!timestampInRange(Number(seconds))) return fail('timestamp overflow');
  return new Timestamp(Number(seconds), Number(rest), t.offset);
}

export function subtract(a: Value, b: Value): Value {
  const number = arithmetic(
    a,
    b,
    (x, y) => int(x - y),
    (x, y) => uint(x - y),
    (x, y) => x - y,
  );
  if (number !== undefined) return number;
  if (a instanceof Duration) return b instanceof Duration ? duration(a.nanos - b.nanos) : NO_OVERLOAD;
  if (a instanceof Timestamp) {
    if (b instanceof Duration) return shift(a, -b.nanos);
    if (!(b instanceof Timestamp)) return NO_OVERLOAD;
    return duration((BigInt(a.seconds) - BigInt(b.seconds)) * SECOND + BigInt(a.nanos - b.nanos));
  }
  return refused(a, '_-_');
}

export function multiply(a: Value, b: Value): Value {
  const made = arithmetic(
    a,
    b,
    (x, y) => int(x * y),
    (x, y) => uint(x * y),
    (x, y) => x * y,
  );
  return made ?? refused(a, '_*_');
}

/** The error for an unsupported operator depends on whether the type has methods. */
export function refused(lhs: Value, op: string): Value {
  const hasMethods = typeof lhs === 'string' || lhs instanceof Duration || lhs instanceof Timestamp;
  return hasMethods ? NO_OVERLOAD : plain(op);
}

export function divide(a: Value, b: Value): Value {
  const byZero = fail('division by zero');
  const made = arithmetic(
    a,
    b,
    (x, y) => (y === 0n ? byZero : int(x / y)),
    (x, y) => (y === 0n ? byZero : uint(x / y)),
    (x, y) => x / y,
  );
  return made ?? refused(a, '_/_');
}

export function remainder(a: Value, b: Value): Value {
  const byZero = fail('modulus by zero');
  const made = arithmetic(
    a,
    b,
    (x, y) => (y === 0n ? byZero : y === -1n && x === INT_MIN ? fail('integer overflow') : x % y),
    (x, y) => (y === 0n ? byZero : new Uint(x % y)),
    undefined,
  );
  return made ?? refused(a, '_%_');
}

export function negate(v: Value): Value {
  if (typeof v === 'bigint') return int(-v);
  if (typeof v === 'number') return -v;
  if (v instanceof Duration) return duration(-v.nanos);
  // Some types have an operator that refuses its operand, others have none.
  const hasOperator = typeof v === 'string' || typeof v === 'boolean' || v instanceof Timestamp;
  return hasOperator ? NO_OVERLOAD : plain('-_');
}
