import { declare, type Library } from '../environment.js';
import { OPTIONAL_MACROS } from '../macros.js';
import { DYN, optionalOf, typeOfType } from '../types.js';
import {
  ArrayList,
  Bytes,
  CelMap,
  Duration,
  fail,
  isError,
  itemsOf,
  List,
  NO_OVERLOAD,
  noOverload,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from '../values.js';

/** Reports whether the value is the zero of its type. */
function isZero(v: Value): boolean {
  if (v === null || v === false || v === 0n || v === 0 || v === '') return true;
  if (v instanceof Uint) return v.value === 0n;
  if (v instanceof Bytes) return v.value.length === 0;
  if (v instanceof List || v instanceof CelMap) return v.size === 0;
  if (v instanceof Duration) return v.nanos === 0n;
  if (v instanceof Timestamp) return v.seconds === -62_135_596_800 && v.nanos === 0;
  return false;
}

const onOptional =
  (name: string, call: (o: Optional, ...rest: Value[]) => Value) =>
  (o: Value, ...rest: Value[]): Value =>
    o instanceof Optional ? call(o, ...rest) : noOverload(name, o, ...rest);

/** Values that may be absent: `optional.of(x)`, `a.?b`, `a[?k]`. */
export const optionalLibrary: Library = {
  optionalSyntax: true,
  macros: OPTIONAL_MACROS,
  constants: new Map([['optional_type', { type: typeOfType(optionalOf(DYN)), value: new TypeValue('optional_type') }]]),
  functions: [
    declare('optional.of', ['optional_of: (V): optional_type(V)'], (v) => new Optional(v)),
    declare('optional.ofNonZeroValue', ['optional_ofNonZeroValue: (V): optional_type(V)'], (v) =>
      isZero(v) ? Optional.NONE : new Optional(v),
    ),
    declare('optional.none', ['optional_none: (): optional_type(V)'], () => Optional.NONE),
    declare(
      'value',
      ['optional_value: optional_type(V).(): V'],
      onOptional('value', (o) => (o.value === undefined ? fail('optional.none() dereference') : o.value)),
    ),
    declare(
      'hasValue',
      ['optional_hasValue: optional_type(V).(): bool'],
      onOptional('hasValue', (o) => o.value !== undefined),
    ),
    declare(
      'or',
      ['optional_or_optional: optional_type(V).(optional_type(V)): optional_type(V)'],
      (o, other) => {
        if (isError(o)) return o;
        if (!(o instanceof Optional)) return NO_OVERLOAD;
        return o.value !== undefined ? o : other;
      },
      { nonStrict: true },
    ),
    declare(
      'orValue',
      ['optional_orValue_value: optional_type(V).(V): V'],
      (o, other) => {
        if (isError(o)) return o;
        if (!(o instanceof Optional)) return NO_OVERLOAD;
        return o.value === undefined ? other : o.value;
      },
      { nonStrict: true },
    ),
    declare(
      '_[?_]',
      [
        'list_optindex_optional_int: (list(V), int): optional_type(V)',
        'optional_list_optindex_optional_int: (optional_type(list(V)), int): optional_type(V)',
        'map_optindex_optional_value: (map(K, V), K): optional_type(V)',
        'optional_map_optindex_optional_value: (optional_type(map(K, V)), K): optional_type(V)',
      ],
      (a, b) => noOverload('_[?_]', a, b),
    ),
    declare('first', ['list_first: list(V).(): optional_type(V)'], (list) =>
      list instanceof List ? (list.size === 0 ? Optional.NONE : new Optional(list.at(0))) : noOverload('first', list),
    ),
    declare('last', ['list_last: list(V).(): optional_type(V)'], (list) =>
      list instanceof List
        ? list.size === 0
          ? Optional.NONE
          : new Optional(list.at(list.size - 1))
        : noOverload('last', list),
    ),
    declare('optional.unwrap', ['optional_unwrap: (list(optional_type(V))): list(V)'], unwrap('optional.unwrap')),
    declare('unwrapOpt', ['optional_unwrapOpt: list(optional_type(V)).(): list(V)'], unwrap('unwrapOpt')),
  ],
};

function unwrap(name: string) {
  return (list: Value): Value => {
    if (!(list instanceof List)) return noOverload(name, list);
    const found: Value[] = [];
    for (const item of itemsOf(list)) {
      if (!(item instanceof Optional)) return noOverload(name, list);
      if (item.value !== undefined) found.push(item.value);
    }
    return new ArrayList(found);
  };
}
