import { declare, type Library } from '../environment.js';
import { STANDARD_MACROS, TWO_VARIABLE_MACROS } from '../macros.js';
import { contains } from '../operations.js';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  opaque,
  STRING,
  TIMESTAMP,
  type Type,
  typeOfType,
  UINT,
} from '../types.js';
import {
  Bytes,
  type CelError,
  CelMap,
  codePoints,
  compare,
  Duration,
  EntryMap,
  equals,
  fail,
  isError,
  keyText,
  List,
  NO_OVERLOAD,
  noOverload,
  Opaque,
  runtimeName,
  Timestamp,
  TypeValue,
  typeName,
  Uint,
  type Value,
} from '../values.js';
import { formatDouble, parseBool, parseDouble, parseInt64, parseUint64 } from './numbers.js';
import { matches } from './regex.js';
import {
  formatDuration,
  formatTimestamp,
  parseDuration,
  parseTimestamp,
  TIME_GETTERS,
  timestampInRange,
} from './time.js';

const INT_MAX = (1n << 63n) - 1n;
const INT_MIN = -(1n << 63n);
const UINT_MAX = (1n << 64n) - 1n;

const plain = (op: string): CelError => {
  const known = unsupported.get(op);
  if (known !== undefined) return known;
  const made = Object.assign(fail(`no such overload: ${op}`), { noOverload: true });
  unsupported.set(op, made);
  return made;
};
const unsupported = new Map<string, CelError>();

const int = (v: bigint): Value => (v > INT_MAX || v < INT_MIN ? fail('integer overflow') : v);
const uint = (v: bigint): Value => (v > UINT_MAX || v < 0n ? fail('unsigned integer overflow') : new Uint(v));
const duration = (nanos: bigint): Value => {
  const v = int(nanos);
  return isError(v) ? v : new Duration(nanos);
};

/** Arithmetic on two numbers of one type; undefined for other operands. */
function arithmetic(
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

function add(a: Value, b: Value): Value {
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

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}

const SECOND = 1_000_000_000n;

function shift(t: Timestamp, by: bigint): Value {
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

function subtract(a: Value, b: Value): Value {
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

function multiply(a: Value, b: Value): Value {
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
function refused(lhs: Value, op: string): Value {
  const hasMethods = typeof lhs === 'string' || lhs instanceof Duration || lhs instanceof Timestamp;
  return hasMethods ? NO_OVERLOAD : plain(op);
}

function divide(a: Value, b: Value): Value {
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

function remainder(a: Value, b: Value): Value {
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

function negate(v: Value): Value {
  if (typeof v === 'bigint') return int(-v);
  if (typeof v === 'number') return -v;
  if (v instanceof Duration) return duration(-v.nanos);
  return v instanceof Uint ? plain('-_') : NO_OVERLOAD;
}

/** Compares two values, the first of which has an order. */
function ordered(op: string, decide: (order: number) => boolean) {
  return (a: Value, b: Value): Value => {
    if (a === null || a instanceof List || a instanceof CelMap || a instanceof TypeValue || a instanceof Opaque)
      return plain(op);
    const order = compare(a, b);
    return typeof order === 'number' ? decide(order) : order;
  };
}

const COMPARED = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration'];

function comparison(op: string, name: string, decide: (order: number) => boolean) {
  const same = COMPARED.map((t) => `${name}_${t}: (${t}, ${t}): bool`);
  const mixed = ['int', 'uint', 'double'].flatMap((a) =>
    ['int', 'uint', 'double'].filter((b) => b !== a).map((b) => `${name}_${a}_${b}: (${a}, ${b}): bool`),
  );
  return declare(op, [...same, ...mixed], ordered(op, decide));
}

function sizeOf(v: Value): Value {
  if (typeof v === 'string') return BigInt(codePoints(v));
  if (v instanceof Bytes) return BigInt(v.value.length);
  if (v instanceof List || v instanceof CelMap) return BigInt(v.size);
  return plain('size');
}

const failedConversion = (from: string, to: string) => fail(`type conversion error from '${from}' to '${to}'`);

function toInt(v: Value): Value {
  if (typeof v === 'bigint') return v;
  if (v instanceof Uint) return int(v.value);
  if (typeof v === 'number') {
    if (!(v > -(2 ** 63) && v < 2 ** 63)) return fail('integer overflow');
    return BigInt(Math.trunc(v));
  }
  if (typeof v === 'string') return parseInt64(v) ?? failedConversion('string', 'int');
  if (v instanceof Timestamp) return BigInt(v.seconds);
  if (v instanceof Duration) return v.nanos;
  return noOverload('int', v);
}

function toUint(v: Value): Value {
  if (v instanceof Uint) return v;
  if (typeof v === 'bigint') return uint(v);
  if (typeof v === 'number') {
    if (!(v >= 0 && v < 2 ** 64)) return fail('unsigned integer overflow');
    return new Uint(BigInt(Math.trunc(v)));
  }
  if (typeof v === 'string') {
    const parsed = parseUint64(v);
    return parsed === undefined ? failedConversion('string', 'uint') : new Uint(parsed);
  }
  return noOverload('uint', v);
}

function toDouble(v: Value): Value {
  if (typeof v === 'number') return v;
  if (typeof v === 'bigint') return Number(v);
  if (v instanceof Uint) return Number(v.value);
  if (typeof v === 'string') return parseDouble(v) ?? failedConversion('string', 'double');
  return noOverload('double', v);
}

function toText(v: Value): Value {
  if (typeof v === 'string') return v;
  if (typeof v === 'bigint' || typeof v === 'boolean') return String(v);
  if (v instanceof Uint) return String(v.value);
  if (typeof v === 'number') return formatDouble(v);
  if (v instanceof Timestamp) return formatTimestamp(v);
  if (v instanceof Duration) return formatDuration(v);
  if (v instanceof Bytes) {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(v.value);
    } catch {
      return fail('invalid UTF-8 in bytes, cannot convert to string');
    }
  }
  return noOverload('string', v);
}

/** Returns the text of a timestamp, a duration or another scalar, as in `string()`. */
export function valueText(v: Value): string {
  const text = toText(v);
  return typeof text === 'string' ? text : '';
}

function toBytes(v: Value): Value {
  if (v instanceof Bytes) return v;
  if (typeof v === 'string') return new Bytes(new TextEncoder().encode(v));
  return noOverload('bytes', v);
}

function toBool(v: Value): Value {
  if (typeof v === 'boolean') return v;
  if (typeof v === 'string') return parseBool(v) ?? failedConversion('string', 'bool');
  return noOverload('bool', v);
}

function toTimestamp(v: Value): Value {
  if (v instanceof Timestamp) return v;
  if (typeof v === 'bigint') {
    return timestampInRange(Number(v)) ? new Timestamp(Number(v), 0) : fail('timestamp overflow');
  }
  if (typeof v === 'string') {
    const parsed = parseTimestamp(v);
    if (parsed === undefined) return failedConversion('string', 'google.protobuf.Timestamp');
    return timestampInRange(parsed.seconds) ? parsed : fail('timestamp overflow');
  }
  return noOverload('timestamp', v);
}

function toDuration(v: Value): Value {
  if (v instanceof Duration) return v;
  if (typeof v === 'string') return parseDuration(v) ?? failedConversion('string', 'google.protobuf.Duration');
  return noOverload('duration', v);
}

function text(decide: (s: string, t: string) => boolean) {
  return (a: Value, b: Value): Value => (typeof a === 'string' && typeof b === 'string' ? decide(a, b) : NO_OVERLOAD);
}

const DURATION_GETTERS: Readonly<Record<string, bigint>> = {
  getHours: 3600n * SECOND,
  getMinutes: 60n * SECOND,
  getSeconds: SECOND,
};

function timeGetter(name: string) {
  const read = TIME_GETTERS[name]!;
  const unit = DURATION_GETTERS[name];
  const call = (...args: Value[]): Value => {
    const [t, zone] = args;
    if (t instanceof Timestamp && args.length === 1) return read(t, undefined);
    if (t instanceof Timestamp && typeof zone === 'string') return read(t, zone);
    if (t instanceof Duration && args.length === 1) {
      if (unit !== undefined) return t.nanos / unit;
      if (name === 'getMilliseconds') return (t.nanos / 1_000_000n) % 1000n;
    }
    return noOverload(name, ...args);
  };
  const overDuration = unit !== undefined || name === 'getMilliseconds';
  return declare(
    name,
    [
      `timestamp_${name}: timestamp.(): int`,
      `timestamp_${name}_with_tz: timestamp.(string): int`,
      ...(overDuration ? [`duration_${name}: duration.(): int`] : []),
    ],
    call,
  );
}

function insert(target: Value, ...rest: Value[]): Value {
  if (!(target instanceof CelMap)) return noOverload('cel.@mapInsert', target, ...rest);
  const pairs: (readonly [Value, Value])[] = [];
  if (rest.length === 2) pairs.push([rest[0]!, rest[1]!]);
  else if (rest[0] instanceof CelMap) for (const key of rest[0].keys()) pairs.push([key, rest[0].find(key)!]);
  else return noOverload('cel.@mapInsert', target, ...rest);
  const entries = new Map<string, readonly [Value, Value]>();
  for (const key of target.keys()) entries.set(keyText(key)!, [key, target.find(key)!]);
  for (const [key, value] of pairs) {
    const text = keyText(key);
    if (text === undefined || typeof key === 'number') return fail(`unsupported key type: ${typeName(key)}`);
    if (entries.has(text))
      return fail(`insert failed: key ${typeof key === 'string' ? key : text.slice(1)} already exists`);
    entries.set(text, [key, value]);
  }
  return new EntryMap(entries);
}

/** Names of types, as values. */
const TYPES: readonly (readonly [string, Type])[] = [
  ['bool', BOOL],
  ['bytes', BYTES],
  ['double', DOUBLE],
  ['int', INT],
  ['list', listOf(DYN)],
  ['map', mapOf(DYN, DYN)],
  ['null_type', NULL],
  ['string', STRING],
  ['type', typeOfType()],
  ['uint', UINT],
  ['google.protobuf.Timestamp', TIMESTAMP],
  ['google.protobuf.Duration', DURATION],
];

export function typeConstants(...names: readonly string[]): Library['constants'] {
  return new Map(names.map((name) => [name, { type: typeOfType(opaque(name)), value: new TypeValue(name) }]));
}

/** The functions and macros of the language definition. */
export const standardLibrary: Library = {
  macros: STANDARD_MACROS,
  constants: new Map(
    TYPES.map(([name, t]) => [name, { type: typeOfType(t), value: new TypeValue(runtimeName(t)) }] as const),
  ),
  functions: [
    declare('_?_:_', ['conditional: (bool, A, A): A'], () => NO_OVERLOAD),
    declare('!_', ['logical_not: (bool): bool'], (v) => (typeof v === 'boolean' ? !v : NO_OVERLOAD)),
    declare('@not_strictly_false', ['not_strictly_false: (bool): bool'], (v) => v !== false, { nonStrict: true }),
    declare('_==_', ['equals: (A, A): bool'], (a, b) => equals(a, b)),
    declare('_!=_', ['not_equals: (A, A): bool'], (a, b) => !equals(a, b)),
    comparison('_<_', 'less', (order) => order < 0),
    comparison('_<=_', 'less_equals', (order) => order <= 0),
    comparison('_>_', 'greater', (order) => order > 0),
    comparison('_>=_', 'greater_equals', (order) => order >= 0),
    declare(
      '_+_',
      [
        ...['int64', 'uint64', 'double'].map(
          (t) => `add_${t}: (${t.replace('64', '')}, ${t.replace('64', '')}): ${t.replace('64', '')}`,
        ),
        'add_string: (string, string): string',
        'add_bytes: (bytes, bytes): bytes',
        'add_list: (list(A), list(A)): list(A)',
        'add_duration_duration: (duration, duration): duration',
        'add_duration_timestamp: (duration, timestamp): timestamp',
        'add_timestamp_duration: (timestamp, duration): timestamp',
      ],
      add,
    ),
    declare(
      '_-_',
      [
        'subtract_int64: (int, int): int',
        'subtract_uint64: (uint, uint): uint',
        'subtract_double: (double, double): double',
        'subtract_duration_duration: (duration, duration): duration',
        'subtract_timestamp_duration: (timestamp, duration): timestamp',
        'subtract_timestamp_timestamp: (timestamp, timestamp): duration',
      ],
      subtract,
    ),
    declare(
      '_*_',
      [
        'multiply_int64: (int, int): int',
        'multiply_uint64: (uint, uint): uint',
        'multiply_double: (double, double): double',
      ],
      multiply,
    ),
    declare(
      '_/_',
      ['divide_int64: (int, int): int', 'divide_uint64: (uint, uint): uint', 'divide_double: (double, double): double'],
      divide,
    ),
    declare('_%_', ['modulo_int64: (int, int): int', 'modulo_uint64: (uint, uint): uint'], remainder),
    declare('-_', ['negate_int64: (int): int', 'negate_double: (double): double'], negate),
    declare(
      '_[_]',
      [
        'index_list: (list(A), int): A',
        'index_map: (map(A, B), A): B',
        'optional_list_index_value: (optional_type(list(V)), int): optional_type(V)',
        'optional_map_index_value: (optional_type(map(K, V)), K): optional_type(V)',
      ],
      () => NO_OVERLOAD,
    ),
    declare('@in', ['in_list: (A, list(A)): bool', 'in_map: (A, map(A, B)): bool'], contains),
    declare(
      'size',
      ['string', 'bytes', 'list(A)', 'map(A, B)'].flatMap((t) => {
        const name = t.replace(/\(.*/, '');
        return [`size_${name}: (${t}): int`, `${name}_size: ${t}.(): int`];
      }),
      sizeOf,
    ),
    declare('type', ['type: (A): type(A)'], (v) => new TypeValue(typeName(v))),
    declare('dyn', ['to_dyn: (A): dyn'], (v) => v),
    declare(
      'int',
      [
        'int64_to_int64: (int): int',
        'uint64_to_int64: (uint): int',
        'double_to_int64: (double): int',
        'string_to_int64: (string): int',
        'timestamp_to_int64: (timestamp): int',
        'duration_to_int64: (duration): int',
      ],
      toInt,
    ),
    declare(
      'uint',
      [
        'uint64_to_uint64: (uint): uint',
        'int64_to_uint64: (int): uint',
        'double_to_uint64: (double): uint',
        'string_to_uint64: (string): uint',
      ],
      toUint,
    ),
    declare(
      'double',
      [
        'double_to_double: (double): double',
        'int64_to_double: (int): double',
        'uint64_to_double: (uint): double',
        'string_to_double: (string): double',
      ],
      toDouble,
    ),
    declare(
      'string',
      ['string', 'bool', 'int', 'uint', 'double', 'bytes', 'timestamp', 'duration'].map(
        (t) => `${t}_to_string: (${t}): string`,
      ),
      toText,
    ),
    declare('bytes', ['bytes_to_bytes: (bytes): bytes', 'string_to_bytes: (string): bytes'], toBytes),
    declare('bool', ['bool_to_bool: (bool): bool', 'string_to_bool: (string): bool'], toBool),
    declare(
      'timestamp',
      [
        'timestamp_to_timestamp: (timestamp): timestamp',
        'string_to_timestamp: (string): timestamp',
        'int64_to_timestamp: (int): timestamp',
      ],
      toTimestamp,
    ),
    declare(
      'duration',
      [
        'duration_to_duration: (duration): duration',
        'string_to_duration: (string): duration',
        'int64_to_duration: (int): duration',
      ].slice(0, 2),
      toDuration,
    ),
    declare(
      'contains',
      ['contains_string: string.(string): bool'],
      text((s, t) => s.includes(t)),
    ),
    declare(
      'startsWith',
      ['starts_with_string: string.(string): bool'],
      text((s, t) => s.startsWith(t)),
    ),
    declare(
      'endsWith',
      ['ends_with_string: string.(string): bool'],
      text((s, t) => s.endsWith(t)),
    ),
    declare('matches', ['matches: (string, string): bool', 'matches_string: string.(string): bool'], matches),
    ...Object.keys(TIME_GETTERS).map(timeGetter),
  ],
};

/** Comprehensions with two variables. */
export const twoVariableLibrary: Library = {
  macros: TWO_VARIABLE_MACROS,
  functions: [
    declare(
      'cel.@mapInsert',
      [
        '@mapInsert_map_map: (map(K, V), map(K, V)): map(K, V)',
        '@mapInsert_map_key_value: (map(K, V), K, V): map(K, V)',
      ],
      insert,
    ),
  ],
};
