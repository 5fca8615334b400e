import { declaredSize, type Operand, type SizeOf } from './estimate.js';
import { add, bounded, exactly, factor, least, MAX, product, type Range, UNKNOWN, ZERO } from './range.js';
import {
  AUTHORIZER_CHECK,
  FORMAT_REGEX_LENGTH_MAX,
  LIST_BASE,
  REGEX_LENGTH,
  SORTABLE,
  STRUCT_BASE,
  TRAVERSAL,
} from './runtimecost.js';
import { sameType, type Type } from './types.js';

/** A call by one of its signatures. `args` are without the receiver of a method. */
export interface Call {
  readonly name: string;
  readonly overload: string;
  readonly target: Operand | undefined;
  readonly args: readonly Operand[];
  readonly sizeOf: SizeOf;
}

/** The cost without that of the arguments, and the size of the result if the function knows it. */
export interface CallEstimate {
  readonly cost: Range;
  readonly size?: Range;
}

type Estimate = (call: Call) => CallEstimate | undefined;

const ONE = exactly(1);
const CHECK: CallEstimate = { cost: exactly(AUTHORIZER_CHECK) };
const NOMINAL: CallEstimate = { cost: ONE };

/** Estimates of the functions that do not cost one unit; undefined for the others. */
export function callEstimate(call: Call): CallEstimate | undefined {
  return (
    BY_OVERLOAD[call.overload]?.(call) ??
    (NOMINAL_NAMES.has(call.name) ? NOMINAL : BY_NAME[call.name]?.(call)) ??
    BUILT_IN[call.overload]?.(call)
  );
}

const sizeOfOperand = ({ size, path }: Operand, sizeOf: SizeOf): Range => size ?? declaredSize(sizeOf, path) ?? UNKNOWN;

/** The size of an argument, or of the receiver. */
const size = (call: Call, which: number | 'target'): Range => {
  const operand = which === 'target' ? call.target : call.args[which];
  return operand === undefined ? UNKNOWN : sizeOfOperand(operand, call.sizeOf);
};

const walk = (r: Range, by = TRAVERSAL): Range => factor(r, by);

/** The literal integer of an argument; negative ones count as 0. */
function literalInt(operand: Operand | undefined, otherwise: bigint): bigint {
  const e = operand?.expr;
  if (e?.kind !== 'literal' || typeof e.value !== 'bigint') return otherwise;
  return e.value < 0n ? 0n : e.value;
}

/** A difference of unsigned numbers wraps around. */
const minus = (a: bigint, b: bigint): bigint => BigInt.asUintN(64, a - b);

/** A call that walks `by` times over `count` elements and creates a list. */
const allocating = (by: number, count: Range): CallEstimate => ({
  cost: add(add(walk(count, by), ONE), exactly(LIST_BASE)),
  size: count,
});

const sets =
  (by: number): Estimate =>
  (call) => ({ cost: add(walk(product(size(call, 0), size(call, 1)), by), ONE) });

const flatten: Estimate = (call) =>
  allocating(call.args.length === 0 ? 1 : Number(literalInt(call.args[0], MAX)), size(call, 'target'));

/** `list_string_sort`, `list_int_sortByAssociatedKeys`: every element is compared with every other. */
function sorting(type: string): readonly (readonly [string, Estimate])[] {
  const by = type === 'string' || type === 'bytes' ? 2 + TRAVERSAL : 2;
  return [
    [`list_${type}_sort`, (call) => allocating(by, square(size(call, 'target')))],
    [`list_${type}_sortByAssociatedKeys`, (call) => allocating(by, square(size(call, 0)))],
  ];
}

const square = (r: Range): Range => product(r, r);

/** By the signature. These take precedence over the names. */
const BY_OVERLOAD: Readonly<Record<string, Estimate>> = {
  list_sets_contains_list: sets(1),
  list_sets_intersects_list: sets(1),
  list_sets_equivalent_list: sets(2),
  list_slice: (call) => {
    const end = literalInt(call.args[1], size(call, 'target').max);
    return allocating(1, exactly(minus(end, literalInt(call.args[0], 0n))));
  },
  list_flatten: flatten,
  list_flatten_int: flatten,
  lists_range: (call) => allocating(1, exactly(literalInt(call.args[0], MAX))),
  list_reverse: (call) => allocating(1, size(call, 'target')),
  list_distinct: (call) => allocating(2, square(size(call, 'target'))),
  ...Object.fromEntries(SORTABLE.flatMap((t) => sorting(t))),
};

const ofTarget: Estimate = (call) => {
  if (call.target === undefined) return undefined;
  const found = size(call, 'target');
  return { cost: walk(found), size: found };
};

const ofFirst: Estimate = (call) => (call.args.length === 0 ? undefined : { cost: walk(size(call, 0)) });

const traversed: Estimate = (call) =>
  call.args.length === 1 ? { cost: walk(size(call, 0)), size: size(call, 0) } : undefined;

const elements: Estimate = (call) => {
  if (call.target === undefined) return undefined;
  const whole = size(call, 'target');
  const element = elementOf(call.target);
  if (element === undefined) return { cost: call.name === 'includes' ? whole : walk(whole) };
  const { kind } = element.type;
  const text = kind === 'string' || kind === 'bytes' ? walk(sizeOfOperand(element, call.sizeOf)) : ZERO;
  return { cost: product(whole, add(ONE, text)) };
};

/** The elements of a list, or the keys of a map, as an operand. */
function elementOf({ type, path }: Operand): Operand | undefined {
  const element = type.kind === 'list' ? type.element : type.kind === 'map' ? type.key : opaqueParam(type);
  if (element === undefined) return undefined;
  return {
    expr: undefined,
    type: element,
    path: path === undefined ? undefined : [...path, '@items'],
    size: undefined,
  };
}

const opaqueParam = (t: Type): Type | undefined => (t.kind === 'opaque' ? t.params[0] : undefined);

const selector: Estimate = (call) => {
  if (call.args.length !== 1) return undefined;
  const text = size(call, 0);
  const requirements = factor(factor(text, 0.5), LIST_BASE + STRUCT_BASE);
  return { cost: add(add(exactly(LIST_BASE), walk(text)), requirements) };
};

const search: Estimate = (call) => {
  if (call.target === undefined || call.args.length === 0) return undefined;
  const text = size(call, 'target');
  return { cost: searchCost(text, size(call, 0)), size: { min: 0n, max: text.max } };
};

const searchCost = (text: Range, pattern: Range): Range => product(walk(add(text, ONE)), walk(pattern, REGEX_LENGTH));

const replace: Estimate = (call) => {
  if (call.target === undefined || call.args.length < 2) return undefined;
  const [text, from, to] = [size(call, 'target'), size(call, 0), size(call, 1)];
  const counts = { min: 0n, max: 0n };
  const kept = { min: 0n, max: 0n };
  if (from.min === 0n) {
    // An empty text is found between all characters.
    counts.max = bounded(text.max + 1n);
    kept.max = text.max;
  } else if (to.max <= from.min) kept.max = text.max;
  else counts.max = quotient(text.max, from.min);
  if (from.max === 0n) {
    counts.min = bounded(text.min + 1n);
    kept.min = text.min;
  } else if (from.max <= to.min) kept.min = text.min;
  else counts.min = quotient(text.min, from.max);
  return { cost: walk(text, 2 * TRAVERSAL), size: add(product(counts, to), kept) };
};

const quotient = (a: bigint, b: bigint): bigint => bounded(BigInt(Math.ceil(Number(a) / Number(b))));

const split: Estimate = (call) => {
  if (call.target === undefined) return undefined;
  const text = size(call, 'target');
  const limit = call.args[1]?.expr;
  const given =
    limit?.kind === 'literal' && typeof limit.value === 'bigint' ? BigInt.asUintN(64, limit.value) : undefined;
  return { cost: walk(text, 2 * TRAVERSAL), size: { min: 0n, max: given ?? text.max } };
};

const join: Estimate = (call) => {
  if (call.target === undefined) return undefined;
  const list = size(call, 'target');
  const element = elementOf(call.target);
  let found = element === undefined ? ZERO : product(list, sizeOfOperand(element, call.sizeOf));
  if (call.args.length > 0) {
    const gaps = { min: list.min > 0n ? list.min - 1n : 0n, max: list.max > 0n ? list.max - 1n : 0n };
    found = add(found, product(size(call, 0), gaps));
  }
  return { cost: walk(found), size: found };
};

/** The length of an address in bytes. */
const ADDRESS: Range = { min: 4n, max: 16n };

const containsIP: Estimate = (call) => {
  if (call.args.length === 0) return undefined;
  const cost = walk(add(ADDRESS, ADDRESS));
  return { cost: call.overload === 'cidr_contains_ip_string' ? add(cost, walk(size(call, 0))) : cost };
};

const containsCIDR: Estimate = (call) => {
  if (call.args.length === 0) return undefined;
  const cost = add(add(walk(add(ADDRESS, ADDRESS)), walk(ADDRESS)), ONE);
  return { cost: call.overload === 'cidr_contains_cidr_string' ? add(cost, walk(size(call, 0))) : cost };
};

const FORMAT_LENGTH_MAX = 64;
const CONSTANT_EQUALITY: ReadonlySet<string> = new Set([
  ...['net.IP', 'net.CIDR', 'kubernetes.Quantity', 'kubernetes.Semver'],
  ...['Authorizer', 'PathCheck', 'GroupCheck', 'ResourceCheck', 'Decision'].map((n) => `kubernetes.authorization.${n}`),
]);

/** Values of the types of Kubernetes are compared in constant time. */
const equality: Estimate = (call) => {
  const [left, right] = call.args;
  if (left === undefined || right === undefined || !sameType(left.type, right.type)) return undefined;
  if (left.type.kind !== 'opaque') return undefined;
  const { name } = left.type;
  if (CONSTANT_EQUALITY.has(name)) return NOMINAL;
  if (name === 'kubernetes.NamedFormat') return { cost: walk({ min: 1n, max: BigInt(FORMAT_LENGTH_MAX) }) };
  if (name === 'kubernetes.URL') return { cost: walk({ min: 1n, max: right.size?.max ?? 1n }) };
  return undefined;
};

const BY_NAME: Readonly<Record<string, Estimate>> = {
  check: () => CHECK,
  fieldSelector: selector,
  labelSelector: selector,
  isSorted: elements,
  sum: elements,
  max: elements,
  min: elements,
  indexOf: elements,
  lastIndexOf: elements,
  includes: elements,
  url: traversed,
  'jsonpatch.escapeKey': traversed,
  lowerAscii: ofTarget,
  upperAscii: ofTarget,
  substring: ofTarget,
  trim: ofTarget,
  replace,
  split,
  join,
  find: search,
  findAll: search,
  cidr: ofFirst,
  isIP: ofFirst,
  isCIDR: ofFirst,
  ip: (call) => (call.overload === 'cidr_ip' ? NOMINAL : ofFirst(call)),
  'ip.isCanonical': (call) => (call.args.length === 0 ? undefined : { cost: walk(size(call, 0), 2 * TRAVERSAL) }),
  containsIP,
  containsCIDR,
  quantity: ofFirst,
  isQuantity: ofFirst,
  semver: ofFirst,
  isSemver: ofFirst,
  validate: (call) =>
    call.args.length === 0 ? undefined : { cost: factor(walk(size(call, 0)), FORMAT_REGEX_LENGTH_MAX * REGEX_LENGTH) },
  '_==_': equality,
};

/** These names cost one unit whatever the signature. */
const NOMINAL_NAMES: ReadonlySet<string> = new Set([
  ...['serviceAccount', 'path', 'group', 'resource', 'subresource', 'namespace', 'name'],
  ...['allowed', 'reason', 'error', 'errored', 'format.named'],
  ...['masked', 'prefixLength', 'family', 'isUnspecified', 'isLoopback', 'isLinkLocalMulticast'],
  ...['isLinkLocalUnicast', 'isGlobalUnicast', 'sign', 'asInteger', 'isInteger', 'asApproximateFloat'],
  ...['isGreaterThan', 'isLessThan', 'compareTo', 'add', 'sub', 'major', 'minor', 'patch'],
  ...['getScheme', 'getHostname', 'getHost', 'getPort', 'getEscapedPath', 'getQuery'],
]);

const prefix: Estimate = (call) => (call.args.length === 1 ? { cost: walk(size(call, 0)) } : undefined);

/** Comparison walks the shorter operand. */
const shorter: Estimate = (call) => {
  const [left, right] = [size(call, 0), size(call, 1)];
  const max = least(left.max, right.max);
  return { cost: walk({ min: max > 0n ? 1n : 0n, max }) };
};

const converted =
  (result: (text: Range) => Range): Estimate =>
  (call) =>
    call.args.length === 1 ? { cost: walk(size(call, 0)), size: result(size(call, 0)) } : undefined;

const wrapped = (n: bigint): bigint => BigInt.asUintN(64, n);

/** Functions of the standard library, by the signature. */
const BUILT_IN: Readonly<Record<string, Estimate>> = {
  string_format: (call) => (call.target === undefined ? undefined : { cost: walk(size(call, 'target')) }),
  string_to_bytes: converted((s) => ({ min: s.min, max: wrapped(s.max * 4n) })),
  bytes_to_string: converted((s) => ({ min: s.min / 4n, max: s.max })),
  strings_quote: converted((s) => ({ min: s.min + 2n, max: wrapped(s.max * 2n + 2n) })),
  starts_with_string: prefix,
  ends_with_string: prefix,
  in_list: (call) => ({ cost: size(call, 1) }),
  matches: (call) => (call.args.length === 2 ? { cost: searchCost(size(call, 0), size(call, 1)) } : undefined),
  matches_string: (call) =>
    call.target === undefined ? undefined : { cost: searchCost(size(call, 'target'), size(call, 0)) },
  contains_string: (call) =>
    call.target === undefined ? undefined : { cost: product(walk(size(call, 'target')), walk(size(call, 0))) },
  less_string: shorter,
  less_equals_string: shorter,
  greater_string: shorter,
  greater_equals_string: shorter,
  less_bytes: shorter,
  less_equals_bytes: shorter,
  greater_bytes: shorter,
  greater_equals_bytes: shorter,
  equals: shorter,
  not_equals: shorter,
};
