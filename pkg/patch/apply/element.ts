import { compareText, GoValue, goJson, goJsonString, goQuote, isObject, type JsonValue } from '../../api/index.js';
import { type Steps, sortSteps } from '../../base/index.js';
import { parsedElementsMax } from '../limits.js';

/**
 * A path element identifies a child of a container. It is kept in its wire form, so sets of paths are plain objects with
 * path elements as keys:
 *
 * | text | child |
 * |---|---|
 * | `f:name` | the member `name` of a struct or map |
 * | `k:{"containerPort":80,"protocol":"TCP"}` | the list item with these keys, names sorted |
 * | `v:"x"` | the item with this value of a set |
 * | `i:0` | the item at this position; only clients send these |
 */
export type PathElement = string;

export type ParsedElement =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'key'; readonly fields: readonly (readonly [name: string, value: JsonValue])[] }
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'index'; readonly index: number };

const declared = new Map<string, PathElement>();

/**
 * Returns the element of a declared field. Cached, because there are few field names and they occur in every object.
 */
export function declaredElement(name: string): PathElement {
  let element = declared.get(name);
  if (element === undefined) {
    if (declared.size >= parsedElementsMax) declared.clear();
    element = `f:${name}`;
    declared.set(name, element);
  }
  return element;
}

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** `fields` sorted by name. */
export function keyElement(fields: readonly (readonly [name: string, value: JsonValue])[]): PathElement {
  return `k:{${fields.map(([name, value]) => `${goJsonString(name)}:${valueJson(value)}`).join(',')}}`;
}

export function valueElement(value: JsonValue): PathElement {
  return `v:${valueJson(value)}`;
}

/** Writes the value of a key or set item as in its element. One without a form in JSON is an empty object, which no valid one is. */
export function valueJson(value: JsonValue): string {
  if (value instanceof GoValue) return '{}';
  return typeof value === 'string' ? goJsonString(value) : typeof value === 'number' ? String(value) : goJson(value);
}

const remembered = new Map<PathElement, ParsedElement>();

/** Parses an element that was built or validated in this file. */
export function parseElement(element: PathElement): ParsedElement {
  if (element.charCodeAt(0) === 0x66) return { kind: 'field', name: element.slice(2) };
  let parsed = remembered.get(element);
  if (parsed === undefined) {
    parsed = parseOther(element);
    if (remembered.size >= parsedElementsMax) remembered.clear();
    remembered.set(element, parsed);
  }
  return parsed;
}

/** The most common key: one name, and text without escapes. */
const plainKey = /^k:\{"([a-zA-Z0-9]+)":"([ !#-%'-;=?-[\]-~]*)"\}$/;

function parseOther(element: PathElement): ParsedElement {
  const simple = plainKey.exec(element);
  if (simple !== null) return { kind: 'key', fields: [[simple[1]!, simple[2]!]] };
  const text = element.slice(2);
  switch (element[0]) {
    case 'k': {
      const value = parseJson(text);
      if (!isObject(value)) throw new SyntaxError('a key must be an object');
      const fields = Object.keys(value).map((name) => [name, value[name]!] as const);
      return { kind: 'key', fields: fields.sort((a, b) => compareText(a[0], b[0])) };
    }
    case 'v':
      return { kind: 'value', value: parseValue(text) };
    default:
      return { kind: 'index', index: Number(text) };
  }
}

function parseValue(text: string): JsonValue {
  if (/^-?[0-9]{16,}$/.test(text)) return BigInt(text);
  return parseJson(text);
}

/** Throws a SyntaxError for a number that JSON cannot express again, such as 1e309. */
function parseJson(text: string): JsonValue {
  return JSON.parse(text, (_, value: JsonValue) => {
    if (typeof value === 'number' && !Number.isFinite(value)) throw new SyntaxError(`value out of range: ${text}`);
    return value;
  }) as JsonValue;
}

/** The JSON of plain text and small integers is canonical without conversion. */
const plain =
  /^(?:v:(?:"[ !#-%'-;=?-[\]-~]*"|-?(?:0|[1-9][0-9]{0,14}))$|k:\{"[a-zA-Z0-9]+":(?:"[ !#-%'-;=?-[\]-~]*"|(?:0|[1-9][0-9]{0,14}))\}$)/;

/**
 * Returns the canonical text of an element from a client; undefined for an unknown type of element, which is dropped.
 * Throws an Error for an invalid element.
 */
export function canonicalElement(text: string): PathElement | undefined {
  if (text.charCodeAt(0) === 0x66 && text.charCodeAt(1) === 0x3a) return text;
  if (text.length < 2) throw new Error('key must be 2 characters long:');
  if (text[1] !== ':') throw new Error(`missing colon: ${text}`);
  if (plain.test(text)) return text;
  switch (text[0]) {
    case 'k': {
      const parsed = parseElement(text);
      return parsed.kind === 'key' ? keyElement(parsed.fields) : undefined;
    }
    case 'v':
      return valueElement(parseValue(text.slice(2)));
    case 'i': {
      if (!/^[+-]?[0-9]{1,15}$/.test(text.slice(2))) throw new Error(`bad index: ${text}`);
      return `i:${Number(text.slice(2))}`;
    }
    default:
      return undefined;
  }
}

/** Orders elements: fields, keys, values, indexes; within a type by content. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  const x = a.charCodeAt(0);
  const y = b.charCodeAt(0);
  if (x !== y) return rank(x) - rank(y);
  if (x === 0x66) return compareText(a, b);
  return compareParsed(parseElement(a), parseElement(b));
}

/** Orders two elements of one type other than fields. */
function compareParsed(p: ParsedElement, q: ParsedElement): number {
  if (p.kind === 'key' && q.kind === 'key') {
    const n = Math.min(p.fields.length, q.fields.length);
    for (let i = 0; i < n; i++) {
      const c = compareText(p.fields[i]![0], q.fields[i]![0]) || compareValues(p.fields[i]![1], q.fields[i]![1]);
      if (c !== 0) return c;
    }
    return p.fields.length - q.fields.length;
  }
  if (p.kind === 'value' && q.kind === 'value') return compareValues(p.value, q.value);
  return p.kind === 'index' && q.kind === 'index' ? p.index - q.index : 0;
}

/**
 * Sorts elements, in steps. Each element is parsed once rather than at every comparison, because the cache of parsed elements is
 * bounded.
 */
export function* sortedElements(elements: readonly PathElement[]): Steps<PathElement[]> {
  const fields: PathElement[] = [];
  const others: Other[] = [];
  for (const [i, element] of elements.entries()) {
    if (element.charCodeAt(0) === 0x66) fields.push(element);
    else others.push({ element, parsed: parseElement(element) });
    if (i % PARSED_AT_ONCE === PARSED_AT_ONCE - 1) yield;
  }
  const sorted = yield* sortSteps(fields, compareText);
  if (others.length === 0) return sorted;
  for (const { element } of yield* sortSteps(others, compareOthers)) sorted.push(element);
  return sorted;
}

interface Other {
  readonly element: PathElement;
  readonly parsed: ParsedElement;
}

const PARSED_AT_ONCE = 500;

function compareOthers(a: Other, b: Other): number {
  return rank(a.element.charCodeAt(0)) - rank(b.element.charCodeAt(0)) || compareParsed(a.parsed, b.parsed);
}

function rank(code: number): number {
  // f k v i
  return code === 0x66 ? 0 : code === 0x6b ? 1 : code === 0x76 ? 2 : 3;
}

/** Total order of values: numbers, strings, booleans, lists, maps, null. */
export function compareValues(a: JsonValue, b: JsonValue): number {
  const x = valueRank(a);
  const y = valueRank(b);
  if (x !== y) return x - y;
  switch (x) {
    case 1:
      return compareText(a as string, b as string);
    case 3: {
      const [l, r] = [a as JsonValue[], b as JsonValue[]];
      for (let i = 0; i < l.length && i < r.length; i++) {
        const c = compareValues(l[i]!, r[i]!);
        if (c !== 0) return c;
      }
      return l.length - r.length;
    }
    case 4: {
      const [l, r] = [goJson(a), goJson(b)];
      return compareText(l, r);
    }
    case 5:
      return 0;
    default: {
      const [l, r] = [a as number, b as number];
      return l < r ? -1 : l > r ? 1 : 0;
    }
  }
}

function valueRank(v: JsonValue): number {
  if (v === null) return 5;
  if (Array.isArray(v)) return 3;
  switch (typeof v) {
    case 'number':
    case 'bigint':
      return 0;
    case 'string':
      return 1;
    case 'boolean':
      return 2;
    default:
      return 4;
  }
}

/** The readable form: `.image`, `[name="c"]`, `[="x"]`, `[0]`. */
export function elementText(element: PathElement): string {
  const parsed = parseElement(element);
  switch (parsed.kind) {
    case 'field':
      return `.${parsed.name}`;
    case 'key':
      return `[${parsed.fields.map(([name, value]) => `${name}=${valueText(value)}`).join(',')}]`;
    case 'value':
      return `[=${valueText(parsed.value)}]`;
    case 'index':
      return `[${parsed.index}]`;
  }
}

function valueText(v: JsonValue): string {
  if (v === null) return 'null';
  if (typeof v === 'string') return goQuote(v);
  if (Array.isArray(v)) return `[${v.map(valueText).join(',')}]`;
  if (typeof v === 'object') {
    if (Object.keys(v).length === 0) return '{{undefined}}';
    return Object.keys(v)
      .map((k) => `${k}=${valueText(v[k]!)}`)
      .join('');
  }
  return String(v);
}

/** The readable form of a path: `.spec.containers[name="c"].image`. */
export function pathText(path: readonly PathElement[]): string {
  return path.map(elementText).join('');
}
