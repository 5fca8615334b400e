import { isObject, type JsonValue } from '../../api/index.js';

/**
 * JSONPath as printer columns have it, read and evaluated as in the client library of Kubernetes: names (`.spec.replicas`, with `\.` for
 * a dot in a name), indexes and slices of lists, `*`, `..`, unions, and filters (`[?(@.type=="Ready")]`). What stands between quotes in
 * brackets is read as a path of names: `['a.b']` is `.a.b`, and `['a\.b']` the name `a.b`.
 * https://kubernetes.io/docs/reference/kubectl/jsonpath/
 *
 * Returns the values at the path; undefined if it cannot be evaluated, because an index is beyond a list, or values are not comparable.
 */
export type JsonPath = (root: JsonValue) => readonly JsonValue[] | undefined;

/** Compiles a path; returns undefined if it is invalid. */
export function compileJsonPath(text: string): JsonPath | undefined {
  const nodes = parse(text);
  if (nodes === undefined) return undefined;
  return (root) => {
    const { values, failed } = walk([root], nodes);
    return failed ? undefined : values;
  };
}

/** Path elements of a simple path of names: `.spec.a` -> `['spec', 'a']`; undefined for any other path. */
export function simplePath(text: string): readonly string[] | undefined {
  const names: string[] = [];
  for (let at = 0; at < text.length; ) {
    if (text[at] !== '.') return undefined;
    const end = nameEnd(text, at + 1);
    const name = unescaped(text.slice(at + 1, end));
    if (name === '' || text[end] === '[' || text[end] === ']') return undefined;
    names.push(name);
    at = end;
  }
  return names.length === 0 ? undefined : names;
}

interface Bounds {
  readonly from: number;
  readonly to: number | undefined;
  readonly by: number | undefined;
}

type Node =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'wildcard' | 'recursive' }
  | { readonly kind: 'slice'; readonly bounds: Bounds }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'union'; readonly paths: readonly Path[] }
  | { readonly kind: 'filter'; readonly left: Path; readonly comparison: Comparison | undefined }
  | { readonly kind: 'literal'; readonly value: Literal }
  /** A word that is neither a name nor a literal. A path with it cannot be evaluated. */
  | { readonly kind: 'word' };

type Path = readonly Node[];

interface Comparison {
  readonly operator: string;
  readonly right: Path;
}

/** A number with a dot is not comparable with an integer. */
class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}
type Literal = string | number | boolean | Float;

const END_OF_NAME = /[\s.,[\]$@{}]/;
const LETTER = /[\p{L}\p{Nd}_]/u;

/** Returns the index after the name that begins at `from`. */
function nameEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (END_OF_NAME.test(text[at]!)) return at;
  }
  return text.length;
}

const unescaped = (name: string): string => name.replaceAll('\\', '');
const fieldOf = (name: string): Node =>
  name === '*' ? { kind: 'wildcard' } : { kind: 'field', name: unescaped(name) };

function parse(text: string): Path | undefined {
  const nodes: Node[] = [];
  for (let at = 0; at < text.length; ) {
    const part = partAt(text, at, nodes);
    if (part === undefined) return undefined;
    nodes.push(...part.nodes);
    at = part.end;
  }
  return nodes;
}

interface Part {
  readonly nodes: Path;
  readonly end: number;
}

function partAt(text: string, at: number, before: Path): Part | undefined {
  const c = text[at]!;
  if (text.startsWith('[?(', at)) return filterAt(text, at);
  if (text.startsWith('..', at)) {
    if (before.at(-1)?.kind === 'recursive') return undefined;
    const from = at + 2;
    const end = from < text.length && LETTER.test(text[from]!) ? nameEnd(text, from) : from;
    const name = text.slice(from, end);
    return { nodes: [{ kind: 'recursive' }, ...(name === '' ? [] : [fieldOf(name)])], end };
  }
  if (c === ' ' || c === '@' || c === '$') return { nodes: [], end: at + 1 };
  if (c === '.') {
    const end = nameEnd(text, at + 1);
    return { nodes: [fieldOf(text.slice(at + 1, end))], end };
  }
  if (c === '[') {
    const close = text.indexOf(']', at);
    const nodes = close < 0 ? undefined : bracket(text.slice(at + 1, close));
    return nodes && { nodes, end: close + 1 };
  }
  if (c === '"' || c === "'") return quotedAt(text, at);
  if (/[-+\d]/.test(c)) return numberAt(text, at);
  if (!LETTER.test(c)) return undefined;
  const end = nameEnd(text, at);
  const word = text.slice(at, end);
  const isBoolean = word === 'true' || word === 'false';
  return { nodes: [isBoolean ? { kind: 'literal', value: word === 'true' } : { kind: 'word' }], end };
}

function quotedAt(text: string, from: number): Part | undefined {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === text[from] && text[at - 1] !== '\\') {
      const value = text.slice(from + 1, at).replaceAll(/\\(.)/g, '$1');
      return { nodes: [{ kind: 'literal', value }], end: at + 1 };
    }
  }
  return undefined;
}

function numberAt(text: string, at: number): Part | undefined {
  const [digits] = /^[-+]?[\d.]*/.exec(text.slice(at)) as unknown as [string];
  const dots = digits.split('.').length - 1;
  if (dots > 1 || !/\d/.test(digits)) return undefined;
  const value = digits.includes('.') ? new Float(Number(digits)) : Number(digits);
  return { nodes: [{ kind: 'literal', value }], end: at + digits.length };
}

function bracket(inner: string): Path | undefined {
  if (inner === '*') return [{ kind: 'slice', bounds: { from: 0, to: undefined, by: undefined } }];
  const parts = inner.split(',');
  if (parts.length > 1) {
    const paths = parts.map((part) => parse(`[${part.trim()}]`));
    return paths.some((path) => path === undefined) ? undefined : [{ kind: 'union', paths: paths as Path[] }];
  }
  const quoted = /^'([^']*)'$/.exec(inner);
  if (quoted !== null) return parse(`.${quoted[1]}`);
  const bounds = inner.split(':');
  if (bounds.length > 3 || !bounds.every((bound) => /^(?:-?\d+)?$/.test(bound))) return undefined;
  const [from, to, by] = bounds.map((bound) => (bound === '' ? undefined : Number(bound)));
  if (bounds.length === 1) return [{ kind: 'index', index: from ?? 0 }];
  return [{ kind: 'slice', bounds: { from: from ?? 0, to, by } }];
}

/** A filter ends with the first `)` outside its only quoted text. */
function filterAt(text: string, from: number): Part | undefined {
  let quote = '';
  let isClosed = false;
  let at = from + 3;
  for (; at < text.length; at++) {
    const c = text[at]!;
    if ((c === '"' || c === "'") && quote === '') quote = c;
    else if (c === quote && text[at - 1] !== '\\') isClosed = true;
    else if (c === ')' && (quote === '' || isClosed)) break;
  }
  if (text[at + 1] !== ']') return undefined;
  const inner = text.slice(from + 3, at);
  const operands = operandsOf(inner);
  const left = parse(operands?.left ?? inner);
  const right = operands === undefined ? [] : parse(operands.right);
  if (left === undefined || right === undefined) return undefined;
  const comparison = operands === undefined ? undefined : { operator: operands.operator, right };
  return { nodes: [{ kind: 'filter', left, comparison }], end: at + 2 };
}

const OPERATOR = '!<>=';

/** Splits a comparison at its first operator; returns undefined if it has none, or an operand is missing. */
function operandsOf(
  text: string,
): { readonly left: string; readonly operator: string; readonly right: string } | undefined {
  let from = 0;
  while (from < text.length && !OPERATOR.includes(text[from]!)) from++;
  let to = from;
  while (to < text.length && OPERATOR.includes(text[to]!)) to++;
  if (from === 0 || from === text.length || to === text.length) return undefined;
  return { left: text.slice(0, from), operator: text.slice(from, to), right: text.slice(to) };
}

type Value = JsonValue | Float;

interface Found<T extends Value = Value> {
  /** If the evaluation failed, the values before the step that failed. */
  readonly values: readonly T[];
  readonly failed: boolean;
}

function walk(values: readonly JsonValue[], path: Path): Found<JsonValue>;
function walk(values: readonly Value[], path: Path): Found;
function walk(values: readonly Value[], path: Path): Found {
  let current = values;
  for (const node of path) {
    const next = step(current, node);
    if (next === undefined) return { values: current, failed: true };
    current = next;
  }
  return { values: current, failed: false };
}

/** Returns the values after a step; undefined if it cannot be made. */
function step(values: readonly Value[], node: Node): readonly Value[] | undefined {
  switch (node.kind) {
    case 'field':
      return values.flatMap((v) => (isRecord(v) && Object.hasOwn(v, node.name) ? [v[node.name]!] : []));
    case 'wildcard':
      return values.flatMap(childrenOf);
    case 'recursive':
      return values.flatMap(descendants);
    case 'literal':
      return values.map(() => node.value);
    case 'union':
      return joined(node.paths, (path) => completed(walk(values, path)));
    case 'index':
    case 'slice':
      return joined(
        values.filter((v) => v !== null),
        (v) =>
          Array.isArray(v) ? (node.kind === 'index' ? indexed(v, node.index) : sliced(v, node.bounds)) : undefined,
      );
    case 'filter':
      return joined(values, (v) => (Array.isArray(v) ? filtered(v, node.left, node.comparison) : undefined));
    case 'word':
      return undefined;
  }
}

const isRecord = (v: Value): v is { readonly [name: string]: JsonValue } => !(v instanceof Float) && isObject(v);
const completed = ({ values, failed }: Found): readonly Value[] | undefined => (failed ? undefined : values);

/** What `of` returns for each item, one after the other; undefined if it is undefined for one. */
function joined<T>(items: readonly T[], of: (item: T) => readonly Value[] | undefined): readonly Value[] | undefined {
  const all: Value[] = [];
  for (const item of items) {
    const found = of(item);
    if (found === undefined) return undefined;
    all.push(...found);
  }
  return all;
}

const childrenOf = (v: Value): readonly JsonValue[] => (Array.isArray(v) ? v : isRecord(v) ? Object.values(v) : []);

/** A value and all values in it that have others in them, the outer ones first. */
function descendants(value: Value): readonly Value[] {
  const found: Value[] = [];
  const pending = [value];
  for (let v = pending.pop(); v !== undefined; v = pending.pop()) {
    const children = childrenOf(v);
    if (children.length === 0) continue;
    found.push(v);
    pending.push(...[...children].reverse());
  }
  return found;
}

function indexed(list: readonly JsonValue[], index: number): readonly JsonValue[] | undefined {
  const at = index < 0 ? index + list.length : index;
  return at < 0 || at >= list.length ? undefined : [list[at]!];
}

function sliced(list: readonly JsonValue[], bounds: Bounds): readonly JsonValue[] | undefined {
  const inList = (n: number): number => (n < 0 ? n + list.length : n);
  const [from, to] = [inList(bounds.from), inList(bounds.to ?? list.length)];
  if (from === to) return [];
  if (from < 0 || from >= list.length || to < from || to > list.length) return undefined;
  const { by = 1 } = bounds;
  return by <= 0 ? undefined : list.slice(from, to).filter((_, i) => i % by === 0);
}

function filtered(
  list: readonly JsonValue[],
  left: Path,
  comparison: Comparison | undefined,
): readonly JsonValue[] | undefined {
  const passed: JsonValue[] = [];
  for (const item of list) {
    const found = walk([item], left);
    if (comparison === undefined) {
      // A path that fails counts as there if it got to values.
      if (found.values.length > 0) passed.push(item);
      continue;
    }
    const right = walk([item], comparison.right);
    if (found.failed || found.values.length > 1) return undefined;
    if (found.values.length === 0) continue;
    if (right.failed || right.values.length > 1) return undefined;
    if (right.values.length === 0) continue;
    const passes = compared(found.values[0]!, comparison.operator, right.values[0]!);
    if (passes === undefined) return undefined;
    if (passes) passed.push(item);
  }
  return passed;
}

type Basic = string | number | bigint | boolean;

/** Returns the kind of a comparable value and the value; undefined for others. */
function basic(v: Value): readonly [kind: string, value: Basic] | undefined {
  if (v instanceof Float) return ['float', v.value];
  if (typeof v === 'number') return [Number.isInteger(v) ? 'integer' : 'float', v];
  if (typeof v === 'bigint') return ['integer', v];
  return typeof v === 'string' || typeof v === 'boolean' ? [typeof v, v] : undefined;
}

/** Returns whether the comparison holds; undefined if the values are not comparable. */
function compared(left: Value, operator: string, right: Value): boolean | undefined {
  const [a, b] = [basic(left), basic(right)];
  if (a === undefined || b === undefined || a[0] !== b[0]) return undefined;
  if (operator === '==') return isEqual(a[1], b[1]);
  if (operator === '!=') return !isEqual(a[1], b[1]);
  if (a[0] === 'boolean') return undefined;
  switch (operator) {
    case '<':
      return a[1] < b[1];
    case '<=':
      return a[1] <= b[1];
    case '>':
      return a[1] > b[1];
    case '>=':
      return a[1] >= b[1];
    default:
      return undefined;
  }
}

/** A number and the bigint of its value are equal. */
const isEqual = (a: Basic, b: Basic): boolean => (typeof a === typeof b ? a === b : !(a < b) && !(a > b));
