import { costSize, type Value } from './values.js';

/**
 * Costs at run time, in the units of kube-apiserver: one for a variable, a field or a simple call; the length of what a
 * function walks, by a tenth for strings; the product for searches.
 */
export const LIST_BASE = 10;
export const MAP_BASE = 30;
export const STRUCT_BASE = 40;
export const TRAVERSAL = 0.1;
const REGEX_LENGTH = 0.25;
const AUTHORIZER_CHECK = 350_000;

const walk = (n: number, factor = TRAVERSAL) => Math.ceil(n * factor);
const size = (args: readonly Value[], i: number) => costSize(args[i] ?? null);

type Cost = (args: readonly Value[], result: Value, overload: string) => number;

const first: Cost = (args) => walk(size(args, 0));
const elements: Cost = (args) => size(args, 0);
const twice: Cost = (args) => walk(size(args, 0) * 2);
const search: Cost = (args) => walk(1 + size(args, 0)) * walk(size(args, 1), REGEX_LENGTH);
const shorter: Cost = (args) => walk(Math.min(size(args, 0), size(args, 1)));

/** By the name of the function. */
const BY_NAME: Readonly<Record<string, Cost>> = {
  check: () => AUTHORIZER_CHECK,
  isSorted: elements,
  sum: elements,
  max: elements,
  min: elements,
  indexOf: elements,
  lastIndexOf: elements,
  includes: elements,
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
  validate: (args) => walk(1 + size(args, 1)) * walk(FORMAT_REGEX_LENGTH_MAX, REGEX_LENGTH),
  'sets.contains': (args) => product(args),
  'sets.intersects': (args) => product(args),
  'sets.equivalent': (args) => 2 * product(args),
  '_==_': shorter,
  '_!=_': shorter,
};

/** By the signature, for functions of which only some signatures walk their arguments. */
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
  list_distinct: (args) => size(args, 0) * size(args, 0),
  list_sort: (args) => size(args, 0) * size(args, 0),
  list_flatten: elements,
  list_reverse: elements,
  list_slice: (_args, result) => costSize(result),
  lists_range: (_args, result) => costSize(result),
};

/** The longest pattern of a named format. */
const FORMAT_REGEX_LENGTH_MAX = 128;

function product(args: readonly Value[]): number {
  return size(args, 0) * size(args, 1) + 1;
}

function selector(length: number): number {
  return LIST_BASE + walk(length) + Math.ceil(Math.ceil(length * 0.5) * (LIST_BASE + STRUCT_BASE));
}

/** The cost of one call, without that of its arguments. */
export function callCost(name: string, overload: string, args: readonly Value[], result: Value): number {
  const cost = BY_NAME[name] ?? BY_OVERLOAD[overload];
  return cost === undefined ? 1 : cost(args, result, overload);
}
