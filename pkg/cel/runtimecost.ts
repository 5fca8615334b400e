import { FormatValue } from './format.js';
import { Bytes, CelMap, costSize, List, type Value } from './values.js';

/**
 * Costs at run time, in the units of kube-apiserver: one for a variable, a field or a simple call; for functions that
 * walk their arguments, the length (a tenth of it for strings); for searches, the product of the lengths.
 */
export const LIST_BASE = 10;
export const MAP_BASE = 30;
export const STRUCT_BASE = 40;
export const TRAVERSAL = 0.1;
export const REGEX_LENGTH = 0.25;
export const AUTHORIZER_CHECK = 350_000;

const walk = (n: number, factor = TRAVERSAL) => Math.ceil(n * factor);
const size = (args: readonly Value[], i: number) => costSize(args[i] ?? null);

type Cost = (args: readonly Value[], result: Value, overload: string) => number;

const first: Cost = (args) => walk(size(args, 0));
const traversed: Cost = (args) => traversal(args[0]!);
/** A call that creates a list of this many elements, or compares this many pairs. */
const allocated = (n: number) => n + 1 + LIST_BASE;
const made: Cost = (_args, result) => allocated(costSize(result));
const compared =
  (which: number): Cost =>
  (args) => {
    const list = args[which];
    const n = size(args, which);
    const item = list instanceof List && n > 0 ? list.at(0) : null;
    const isText = typeof item === 'string' || item instanceof Bytes;
    return allocated(Math.floor(n * n * (isText ? 2 + TRAVERSAL : 2)));
  };
const twice: Cost = (args) => walk(size(args, 0) * 2);
const search: Cost = (args) => walk(1 + size(args, 0)) * walk(size(args, 1), REGEX_LENGTH);
const shorter: Cost = (args) => walk(Math.min(size(args, 0), size(args, 1)));

/** By the name of the function. */
const BY_NAME: Readonly<Record<string, Cost>> = {
  check: () => AUTHORIZER_CHECK,
  isSorted: traversed,
  sum: traversed,
  max: traversed,
  min: traversed,
  indexOf: traversed,
  lastIndexOf: traversed,
  includes: traversed,
  url: first,
  lowerAscii: first,
  upperAscii: first,
  substring: first,
  trim: first,
  'jsonpatch.escapeKey': first,
  replace: twice,
  split: twice,
  join: (_args, result) => walk(costSize(result) * 2),
  find: search,
  findAll: search,
  cidr: first,
  isIP: first,
  isCIDR: first,
  ip: (args, _result, overload) => (overload === 'cidr_ip' ? 1 : first(args, null, '')),
  'ip.isCanonical': twice,
  containsIP: (args, _result, overload) => {
    const cost = walk(size(args, 0) * 2);
    return overload === 'cidr_contains_ip_string' ? cost + walk(size(args, 1)) : cost;
  },
  containsCIDR: (args, _result, overload) => {
    const cost = walk(size(args, 0) * 2) + walk(size(args, 0)) + 1;
    return overload === 'cidr_contains_cidr_string' ? cost + walk(size(args, 1)) : cost;
  },
  quantity: first,
  isQuantity: first,
  semver: first,
  isSemver: first,
  fieldSelector: (args) => selector(size(args, 1)),
  labelSelector: (args) => selector(size(args, 1)),
  validate: (args) => (args[0] instanceof FormatValue ? walk(1 + size(args, 1)) * args[0].cost : 1),
  'sets.contains': (args) => product(args),
  'sets.intersects': (args) => product(args),
  'sets.equivalent': (args) => 2 * size(args, 0) * size(args, 1) + 1,
  '_==_': shorter,
  '_!=_': shorter,
};

/** The types of elements by which lists can be sorted. */
export const SORTABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'] as const;

/** By the signature, for functions with only some signatures that walk their arguments. */
const BY_OVERLOAD: Readonly<Record<string, Cost>> = {
  starts_with_string: (args) => walk(size(args, 1)),
  ends_with_string: (args) => walk(size(args, 1)),
  string_to_bytes: first,
  bytes_to_string: first,
  strings_quote: first,
  string_format: first,
  in_list: (args) => size(args, 1),
  add_string: (args) => walk(size(args, 0) + size(args, 1)),
  add_bytes: (args) => walk(size(args, 0) + size(args, 1)),
  matches: search,
  matches_string: search,
  contains_string: (args) => walk(size(args, 0)) * walk(size(args, 1)),
  less_string: shorter,
  less_equals_string: shorter,
  greater_string: shorter,
  greater_equals_string: shorter,
  less_bytes: shorter,
  less_equals_bytes: shorter,
  greater_bytes: shorter,
  greater_equals_bytes: shorter,
  list_distinct: compared(0),
  list_flatten: (args) => allocated(size(args, 0)),
  list_flatten_int: (args) => allocated(Math.floor(size(args, 0) * depth(args[1]!))),
  list_reverse: made,
  list_slice: made,
  lists_range: made,
  ...Object.fromEntries(
    SORTABLE.flatMap((t) => [
      [`list_${t}_sort`, compared(0)],
      [`list_${t}_sortByAssociatedKeys`, compared(1)],
    ]),
  ),
};

/** The longest pattern of a named format. */
export const FORMAT_REGEX_LENGTH_MAX = 128;

const depth = (v: Value): number => (typeof v === 'bigint' && v >= 0n ? Number(v) : 1);

/** The cost of walking a value as a tree: a tenth of the bytes of strings, one for other scalars. */
function traversal(v: Value): number {
  if (typeof v === 'string') return Math.floor(Buffer.byteLength(v) * TRAVERSAL);
  if (v instanceof Bytes) return Math.floor(v.value.length * TRAVERSAL);
  let cost = 0;
  if (v instanceof List) for (let i = 0; i < v.size; i++) cost += traversal(v.at(i));
  else if (v instanceof CelMap) for (const key of v.keys()) cost += traversal(key) + traversal(v.find(key)!);
  else return 1;
  return cost;
}

function product(args: readonly Value[]): number {
  return size(args, 0) * size(args, 1) + 1;
}

function selector(length: number): number {
  return LIST_BASE + walk(length) + Math.ceil(Math.ceil(length * 0.5) * (LIST_BASE + STRUCT_BASE));
}

/** The functions whose cost depends on their result. */
const BY_RESULT: ReadonlySet<Cost> = new Set([made, BY_NAME['join']!]);

/**
 * How the cost of the calls of a function is found, without that of its arguments. `before` is charged before the call, because a call
 * that the limit does not allow may take seconds; `after` is charged for the result.
 */
export interface CallCost {
  before(args: readonly Value[]): number;
  readonly after: ((args: readonly Value[], result: Value) => number) | undefined;
}

export function costOfCalls(name: string, overload: string): CallCost | undefined {
  const cost = BY_NAME[name] ?? BY_OVERLOAD[overload];
  if (cost === undefined) return undefined;
  if (BY_RESULT.has(cost)) return { before: () => 0, after: (args, result) => cost(args, result, overload) };
  return { before: (args) => cost(args, null, overload), after: undefined };
}
