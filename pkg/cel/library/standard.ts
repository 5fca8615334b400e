import { compare, equals, isComparable } from '../compare.js';
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
  CelMap,
  codePoints,
  Duration,
  EntryMap,
  fail,
  keyText,
  List,
  NO_OVERLOAD,
  noOverload,
  Opaque,
  runtimeName,
  Timestamp,
  TypeValue,
  typeName,
  type Value,
} from '../values.js';
import { add, divide, multiply, negate, plain, refused, remainder, SECOND, subtract } from './arithmetic.js';
import { toBool, toBytes, toDouble, toDuration, toInt, toText, toTimestamp, toUint } from './conversions.js';
import { matches } from './regex.js';
import { TIME_GETTERS } from './time.js';

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
  return refused(v, 'size');
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
      if (name === 'getMilliseconds') return t.nanos / 1_000_000n;
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
    declare('_==_', ['equals: (A, A): bool'], (a, b) => (isComparable(a, b) ? equals(a, b) : NO_OVERLOAD)),
    declare('_!=_', ['not_equals: (A, A): bool'], (a, b) => !equals(a, b)),
    comparison('_<_', 'less', (order) => order < 0),
    comparison('_<=_', 'less_equals', (order) => order <= 0),
    comparison('_>_', 'greater', (order) => order > 0),
    comparison('_>=_', 'greater_equals', (order) => order >= 0),
    declare(
      '_+_',
      [
        // The first signature that accepts an operand of any type gives it its type.
        'add_bytes: (bytes, bytes): bytes',
        'add_double: (double, double): double',
        'add_duration_duration: (duration, duration): duration',
        'add_duration_timestamp: (duration, timestamp): timestamp',
        'add_timestamp_duration: (timestamp, duration): timestamp',
        'add_int64: (int, int): int',
        'add_list: (list(A), list(A)): list(A)',
        'add_string: (string, string): string',
        'add_uint64: (uint, uint): uint',
      ],
      add,
    ),
    declare(
      '_-_',
      [
        'subtract_double: (double, double): double',
        'subtract_duration_duration: (duration, duration): duration',
        'subtract_int64: (int, int): int',
        'subtract_timestamp_duration: (timestamp, duration): timestamp',
        'subtract_timestamp_timestamp: (timestamp, timestamp): duration',
        'subtract_uint64: (uint, uint): uint',
      ],
      subtract,
    ),
    declare(
      '_*_',
      [
        'multiply_double: (double, double): double',
        'multiply_int64: (int, int): int',
        'multiply_uint64: (uint, uint): uint',
      ],
      multiply,
    ),
    declare(
      '_/_',
      ['divide_double: (double, double): double', 'divide_int64: (int, int): int', 'divide_uint64: (uint, uint): uint'],
      divide,
    ),
    declare('_%_', ['modulo_int64: (int, int): int', 'modulo_uint64: (uint, uint): uint'], remainder),
    declare('-_', ['negate_double: (double): double', 'negate_int64: (int): int'], negate),
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
