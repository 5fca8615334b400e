import { equalJson, isObject, type JsonValue } from '../../api/index.js';

/**
 * The part of JSONPath that printer columns use: names (`.spec.replicas`, with `\.` for a dot in a name), `['name']`, indexes and
 * slices of lists, `*`, `..`, unions, and filters that compare one field (`[?(@.type=="Ready")]`).
 * https://kubernetes.io/docs/reference/kubectl/jsonpath/
 */
export type JsonPath = (root: JsonValue) => readonly JsonValue[];

type Step = (values: readonly JsonValue[]) => readonly JsonValue[];

/** Compiles a path; returns undefined if it is invalid. */
export function compileJsonPath(text: string): JsonPath | undefined {
  const steps = parse(text);
  if (steps === undefined) return undefined;
  return (root) => steps.reduce<readonly JsonValue[]>((values, step) => step(values), [root]);
}

/** Path elements of a simple path of names: `.spec.a` -> `['spec', 'a']`; undefined for any other path. */
export function simplePath(text: string): readonly string[] | undefined {
  const names: string[] = [];
  for (let at = 0; at < text.length; ) {
    if (text[at] !== '.') return undefined;
    const { name, end } = nameAt(text, at + 1);
    if (name === '' || text[end] === '[' || text[end] === ']') return undefined;
    names.push(name);
    at = end;
  }
  return names.length === 0 ? undefined : names;
}

/** Returns the name that begins at `from`, with `\\.` as a dot, and the index after it. */
function nameAt(text: string, from: number): { readonly name: string; readonly end: number } {
  let name = '';
  let end = from;
  for (; end < text.length; end++) {
    const c = text[end]!;
    if (c === '.' || c === '[' || c === ']') break;
    if (c === '\\' && end + 1 < text.length) end++;
    name += text[end]!;
  }
  return { name, end };
}

function parse(text: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  let at = 0;
  while (at < text.length) {
    if (text.startsWith('..', at)) {
      steps.push(descendants);
      at += text[at + 2] === '[' ? 2 : 1;
    } else if (text[at] === '.') {
      const { name, end } = nameAt(text, at + 1);
      if (name === '') {
        // `.` alone is the root, and `.[` the same as `[`.
        if (end < text.length && text[end] !== '[') return undefined;
      } else steps.push(name === '*' ? children : named(name));
      at = end;
    } else if (text[at] === '[') {
      const end = closing(text, at);
      const step = end === undefined ? undefined : bracket(text.slice(at + 1, end));
      if (step === undefined) return undefined;
      steps.push(step);
      at = end! + 1;
    } else return undefined;
  }
  return steps;
}

/** Returns the index of the bracket that closes the one at `open`; ignores brackets in strings. */
function closing(text: string, open: number): number | undefined {
  let depth = 0;
  let quote = '';
  for (let i = open; i < text.length; i++) {
    const c = text[i]!;
    if (quote !== '') {
      if (c === '\\') i++;
      else if (c === quote) quote = '';
    } else if (c === '"' || c === "'") quote = c;
    else if (c === '[') depth++;
    else if (c === ']' && --depth === 0) return i;
  }
  return undefined;
}

function bracket(inner: string): Step | undefined {
  const text = inner.trim();
  if (text === '*') return children;
  if (text.startsWith('?(') && text.endsWith(')')) return filter(text.slice(2, -1));
  const parts = text.split(',').map((p) => p.trim());
  const steps = parts.map(element);
  if (steps.some((s) => s === undefined)) return undefined;
  return (values) => (steps as Step[]).flatMap((step) => step(values));
}

function element(text: string): Step | undefined {
  const quoted = unquoted(text);
  if (quoted !== undefined) return named(quoted);
  const slice = /^(-?\d*):(-?\d*)(?::(-?\d*))?$/.exec(text);
  if (slice !== null) return sliced(slice[1]!, slice[2]!, slice[3] ?? '');
  if (!/^-?\d+$/.test(text)) return undefined;
  const index = Number(text);
  return (values) =>
    values.flatMap((v) => (Array.isArray(v) ? v.slice(index, index === -1 ? undefined : index + 1) : []));
}

/** Returns the text between quotes; undefined without quotes. */
function unquoted(text: string): string | undefined {
  const quote = text[0];
  const closed = text.length >= 2 && (quote === '"' || quote === "'") && text.endsWith(quote);
  return closed ? text.slice(1, -1) : undefined;
}

function sliced(from: string, to: string, by: string): Step {
  const stride = by === '' ? 1 : Math.max(1, Number(by));
  return (values) =>
    values.flatMap((v) =>
      Array.isArray(v)
        ? v.slice(from === '' ? 0 : Number(from), to === '' ? undefined : Number(to)).filter((_, i) => i % stride === 0)
        : [],
    );
}

const named =
  (name: string): Step =>
  (values) =>
    values.flatMap((v) => (isObject(v) && Object.hasOwn(v, name) ? [v[name]!] : []));

const childrenOf = (v: JsonValue): readonly JsonValue[] => (Array.isArray(v) ? v : isObject(v) ? Object.values(v) : []);

const children: Step = (values) => values.flatMap(childrenOf);

const descendants: Step = (values) => {
  const found: JsonValue[] = [];
  const pending = [...values].reverse();
  for (let v = pending.pop(); v !== undefined; v = pending.pop()) {
    found.push(v);
    pending.push(...[...childrenOf(v)].reverse());
  }
  return found;
};

const OPERATORS = ['==', '!=', '<=', '>=', '<', '>'] as const;

interface Comparison {
  readonly path: string;
  readonly operator: (typeof OPERATORS)[number];
  readonly value: string;
}

/** Parses `@.type=="Ready"`; returns undefined if the filter tests only the existence of the path. */
function comparisonOf(text: string): Comparison | undefined {
  for (let i = 0; i < text.length; i++) {
    const operator = OPERATORS.find((o) => text.startsWith(o, i));
    if (operator !== undefined)
      return { path: text.slice(0, i).trim(), operator, value: text.slice(i + operator.length).trim() };
  }
  return undefined;
}

function filter(text: string): Step | undefined {
  const comparison = comparisonOf(text);
  const own = comparison?.path ?? text.trim();
  const path = own.startsWith('@') ? compileJsonPath(own.slice(1)) : undefined;
  if (path === undefined) return undefined;
  const wanted = comparison === undefined ? undefined : literal(comparison.value);
  const passes = (item: JsonValue): boolean => {
    const [value] = path(item);
    if (comparison === undefined) return value !== undefined;
    return value !== undefined && wanted !== undefined && compares(value, comparison.operator, wanted);
  };
  return (values) => values.flatMap((v) => childrenOf(v).filter(passes));
}

function literal(text: string): JsonValue | undefined {
  const quoted = unquoted(text);
  if (quoted !== undefined) return quoted;
  if (text === 'true' || text === 'false') return text === 'true';
  const number = Number(text);
  return Number.isNaN(number) ? undefined : number;
}

function compares(a: JsonValue, operator: Comparison['operator'], b: JsonValue): boolean {
  if (operator === '==') return equalJson(a, b);
  if (operator === '!=') return !equalJson(a, b);
  const comparable =
    (typeof a === 'number' && typeof b === 'number') || (typeof a === 'string' && typeof b === 'string');
  if (!comparable) return false;
  switch (operator) {
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    default:
      return a >= b;
  }
}
