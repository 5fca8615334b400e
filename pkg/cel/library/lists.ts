import { compare, equals } from '../compare.js';
import { declare, type FunctionDeclaration, type Library } from '../environment.js';
import { SORT_BY_MACRO } from '../macros.js';
import {
  ArrayList,
  CelMap,
  Duration,
  fail,
  isError,
  itemsOf,
  List,
  NO_OVERLOAD,
  noOverload,
  typeName,
  Uint,
  type Value,
} from '../values.js';
import { refused } from './arithmetic.js';
import { standardLibrary } from './standard.js';

const COMPARABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];
const SUMMABLE = ['int', 'uint', 'double', 'duration'];

const add = () => standardLibrary.functions!.find((f) => f.name === '_+_')!.call;

/** The first element of a list decides whether its functions have a signature. */
const hasOrder = (v: Value): boolean => typeof v === 'number' || typeof compare(v, v) === 'number';

function isSorted(list: Value): Value {
  if (!(list instanceof List)) return noOverload('isSorted', list);
  if (list.size > 0 && !hasOrder(list.at(0))) return noOverload('isSorted', list);
  for (let i = 1; i < list.size; i++) {
    if (!hasOrder(list.at(i))) return NO_OVERLOAD;
    // As in kube-apiserver, items that cannot be compared are in order.
    const order = compare(list.at(i - 1), list.at(i));
    if (typeof order === 'number' && order > 0) return false;
  }
  return true;
}

/** The sum; the sum of an empty list is the zero of the type that the checker found. */
const sum =
  (zero: Value) =>
  (list: Value): Value => {
    if (!(list instanceof List)) return noOverload('sum', list);
    if (list.size === 0) return zero;
    let total = list.at(0);
    const isSummable =
      ['bigint', 'number'].includes(typeof total) || total instanceof Uint || total instanceof Duration;
    if (!isSummable) return noOverload('sum', list);
    // Doubles are added to zero, so that a sum is never -0.
    if (typeof total === 'number') total += 0;
    for (let i = 1; i < list.size && !isError(total); i++) total = add()(total, list.at(i));
    return total;
  };

const SUMS = {
  list_uint_sum_uint: sum(new Uint(0n)),
  list_double_sum_double: sum(0),
  list_duration_sum_duration: sum(new Duration(0n)),
};

const extreme =
  (name: string, wanted: number) =>
  (list: Value): Value => {
    if (!(list instanceof List)) return noOverload(name, list);
    if (list.size === 0) return fail(`${name} called on empty list`);
    let best = list.at(0);
    if (!hasOrder(best)) return noOverload(name, list);
    for (let i = 1; i < list.size; i++) {
      const item = list.at(i);
      if (!hasOrder(item)) return NO_OVERLOAD;
      // As in kube-apiserver, an item that cannot be compared with the best one is not better.
      if (compare(item, best) === wanted) best = item;
    }
    return best;
  };

const position =
  (name: string, last: boolean) =>
  (list: Value, item: Value): Value => {
    if (!(list instanceof List)) return noOverload(name, list, item);
    for (let k = 0; k < list.size; k++) {
      const i = last ? list.size - 1 - k : k;
      if (equals(list.at(i), item)) return BigInt(i);
    }
    return -1n;
  };

/** Kubernetes' own functions of lists. */
export const kubernetesListsLibrary: Library = {
  functions: [
    declare(
      'isSorted',
      COMPARABLE.map((t) => `list_${t}_is_sorted_bool: list(${t}).(): bool`),
      isSorted,
    ),
    declare(
      'sum',
      SUMMABLE.map((t) => `list_${t}_sum_${t}: list(${t}).(): ${t}`),
      sum(0n),
      { bySignature: SUMS },
    ),
    declare(
      'min',
      COMPARABLE.map((t) => `list_${t}_min_${t}: list(${t}).(): ${t}`),
      extreme('min', -1),
    ),
    declare(
      'max',
      COMPARABLE.map((t) => `list_${t}_max_${t}: list(${t}).(): ${t}`),
      extreme('max', 1),
    ),
    declare('indexOf', ['list_a_index_of_int: list(A).(A): int'], position('indexOf', false)),
    declare('lastIndexOf', ['list_a_last_index_of_int: list(A).(A): int'], position('lastIndexOf', true)),
  ],
};

/**
 * `[1, 2].includes(2)`, also for a single value instead of a list. Expressions of release 1.37 and newer may use it.
 */
export const includesLibrary: Library = {
  functions: [
    declare('includes', ['list_includes_dyn_dyn: dyn.(dyn): bool'], (container, item) => {
      if (!(container instanceof List)) return equals(container, item);
      for (let i = 0; i < container.size; i++) if (equals(container.at(i), item)) return true;
      return false;
    }),
  ],
};

function slice(list: Value, from: Value, to: Value): Value {
  if (!(list instanceof List) || typeof from !== 'bigint' || typeof to !== 'bigint')
    return noOverload('slice', list, from, to);
  const size = BigInt(list.size);
  if (from < 0n || to < 0n) return fail(`cannot slice(${from}, ${to}), negative indexes not supported`);
  if (from > to) return fail(`cannot slice(${from}, ${to}), start index must be less than or equal to end index`);
  if (to > size) return fail(`cannot slice(${from}, ${to}), list is length ${size}`);
  return new ArrayList(itemsOf(list).slice(Number(from), Number(to)));
}

/** kube-apiserver's error for a receiver that flatten cannot have names the types, and those of a map's parts. */
function noReceiver(name: string, [receiver, ...args]: readonly Value[]): Value {
  const type = receiver instanceof CelMap ? 'map(dyn, dyn)' : typeName(receiver!);
  return fail(`no such overload: ${type}.${name}(${args.map(typeName).join(', ')})`);
}

function flatten(...args: Value[]): Value {
  const [list, depth] = args;
  if (!(list instanceof List) || (args.length === 2 && typeof depth !== 'bigint')) return noReceiver('flatten', args);
  const levels = args.length === 2 ? (depth as bigint) : 1n;
  if (levels < 0n) return fail('level must be non-negative');
  return new ArrayList(flattened(list, levels));
}

function flattened(list: List, levels: bigint): Value[] {
  const out: Value[] = [];
  for (const item of itemsOf(list)) {
    if (item instanceof List && levels > 0n) for (const inner of flattened(item, levels - 1n)) out.push(inner);
    else out.push(item);
  }
  return out;
}

function sortedBy(list: List, keys: List, name: string): Value {
  if (list.size <= 1) return list;
  const pairs = itemsOf(list).map((item, i) => ({ item, key: keys.at(i) }));
  let failure: Value | undefined;
  pairs.sort((a, b) => {
    const order = compare(a.key, b.key);
    if (typeof order === 'number') return order;
    failure ??= name === 'sort' ? fail('list elements must have the same type') : order;
    return 0;
  });
  return failure ?? new ArrayList(pairs.map((p) => p.item));
}

function range(n: Value): Value {
  if (typeof n !== 'bigint') return noOverload('lists.range', n);
  if (n < 0n) return fail(`lists.range: size must be non-negative, got ${n}`);
  if (n > RANGE_MAX) return fail(`lists.range: size ${n} exceeds maximum allowed (${RANGE_MAX})`);
  const out: Value[] = [];
  for (let i = 0n; i < n; i++) out.push(i);
  return new ArrayList(out);
}

/** Elements of a generated list; the cost limit of an expression is far below. */
const RANGE_MAX = 1_000_000n;

function distinct(list: Value): Value {
  if (!(list instanceof List)) return noOverload('distinct', list);
  const out: Value[] = [];
  for (const item of itemsOf(list)) if (!out.some((o) => equals(o, item))) out.push(item);
  return new ArrayList(out);
}

const SORTABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];

const listFunctions: readonly FunctionDeclaration[] = [
  declare('slice', ['list_slice: list(A).(int, int): list(A)'], slice),
  declare(
    'flatten',
    ['list_flatten: list(list(A)).(): list(A)', 'list_flatten_int: list(dyn).(int): list(dyn)'],
    flatten,
  ),
  declare(
    'sort',
    SORTABLE.map((t) => `list_${t}_sort: list(${t}).(): list(${t})`),
    (list) => (list instanceof List ? sortedBy(list, list, 'sort') : refused(list, 'sort')),
  ),
  declare(
    '@sortByAssociatedKeys',
    SORTABLE.map((t) => `list_${t}_sortByAssociatedKeys: list(A).(list(${t})): list(A)`),
    (list, keys) =>
      list instanceof List && keys instanceof List ? sortedBy(list, keys, 'sortBy') : noOverload('sortBy', list, keys),
  ),
  declare('lists.range', ['lists_range: (int): list(int)'], range),
  declare('reverse', ['list_reverse: list(A).(): list(A)'], (list) =>
    list instanceof List ? new ArrayList(itemsOf(list).reverse()) : noOverload('reverse', list),
  ),
  declare('distinct', ['list_distinct: list(A).(): list(A)'], distinct),
];

/** The functions of lists in CEL's own extension. */
export const listsLibrary: Library = { functions: listFunctions, macros: [SORT_BY_MACRO] };

function subset(a: List, b: List): boolean {
  const items = itemsOf(a);
  return itemsOf(b).every((x) => items.some((y) => equals(x, y)));
}

const setFunction = (name: string, decide: (a: List, b: List) => boolean) =>
  declare(`sets.${name}`, [`list_sets_${name}_list: (list(A), list(A)): bool`], (a, b) =>
    a instanceof List && b instanceof List ? decide(a, b) : noOverload(`sets.${name}`, a, b),
  );

/** Lists treated as sets. */
export const setsLibrary: Library = {
  functions: [
    setFunction('contains', subset),
    setFunction('equivalent', (a, b) => subset(a, b) && subset(b, a)),
    setFunction('intersects', (a, b) => itemsOf(a).some((x) => itemsOf(b).some((y) => equals(x, y)))),
  ],
};
