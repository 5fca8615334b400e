import { isObject, type JsonObject, type JsonValue } from './json.js';

/**
 * Formats values as kube-apiserver prints them in error texts, and compares text in its sort order. Clients and people search
 * for these texts, so they are part of the API.
 */

/**
 * A value that has no form in JSON, such as a time, within a tree of JSON values. No schema accepts it: only its texts in errors are needed. It
 * is an object for `isObject`.
 */
export class GoValue implements JsonObject {
  readonly [name: string]: string;
  /** The name of its type in Go. */
  readonly type: string;
  /** A plain print. */
  readonly plain: string;
  /** A print in the form of source text. */
  readonly syntax: string;

  constructor({ type, plain, syntax }: { readonly type: string; readonly plain: string; readonly syntax: string }) {
    this.type = type;
    this.plain = plain;
    this.syntax = syntax;
  }
}

/** The name of the type that a decoded value has in kube-apiserver: `string`, `int64`, `map[string]interface {}`. */
export function goTypeName(v: JsonValue): string {
  if (v === null) return '<nil>';
  if (v instanceof GoValue) return v.type;
  if (Array.isArray(v)) return '[]interface {}';
  switch (typeof v) {
    case 'object':
      return 'map[string]interface {}';
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int64';
    default:
      return Number.isInteger(v) ? 'int64' : 'float64';
  }
}

/** The kind of a value: `map`, `slice`, `string`, ... */
export function goKindName(v: JsonValue): string {
  return Array.isArray(v) ? 'slice' : isObject(v) ? 'map' : goTypeName(v);
}

/** The exponent from which a number is printed with it. */
const LARGE_EXPONENT = 6;

/** A plain print of a number: one with a fraction, or beyond 64 bits, has an exponent if that is at least 6, or less than -4. */
export function goNumber(v: number): string {
  return Number.isSafeInteger(v) ? String(v) : goDouble(v);
}

/** A plain print of a number that is a double in Go, also if it is whole: `1e+06`. */
export function goDouble(v: number): string {
  const [digits, exponentText] = v.toExponential().split('e') as [string, string];
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < LARGE_EXPONENT) return String(v);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** A plain print: maps as `map[a:1 b:2]` with sorted keys, lists as `[a b]`, strings bare. */
export function goFormat(v: JsonValue): string {
  if (v === null) return '<nil>';
  if (v instanceof GoValue) return v.plain;
  if (Array.isArray(v)) return `[${v.map(goFormat).join(' ')}]`;
  if (typeof v === 'object') {
    const keys = Object.keys(v).sort(compareText);
    return `map[${keys.map((k) => `${k}:${goFormat(v[k]!)}`).join(' ')}]`;
  }
  return typeof v === 'number' ? goNumber(v) : String(v);
}

/** A print in the form of source text: strings quoted, containers with their types. */
export function goSyntax(v: JsonValue): string {
  if (v === null) return 'interface {}(nil)';
  if (v instanceof GoValue) return v.syntax;
  if (Array.isArray(v)) return `[]interface {}{${v.map(goSyntax).join(', ')}}`;
  if (typeof v === 'object') {
    const keys = Object.keys(v).sort(compareText);
    return `map[string]interface {}{${keys.map((k) => `${goQuote(k)}:${goSyntax(v[k]!)}`).join(', ')}}`;
  }
  if (typeof v === 'string') return goQuote(v);
  return typeof v === 'number' ? goNumber(v) : String(v);
}

/** A print by the string verb, which marks values that are not strings: `%!s(int64=1)`. */
export function goStringVerb(v: JsonValue): string {
  if (typeof v === 'string') return v;
  if (v === null) return '%!s(<nil>)';
  if (Array.isArray(v)) return `[${v.map(goStringVerb).join(' ')}]`;
  if (typeof v === 'object') {
    const keys = Object.keys(v).sort(compareText);
    return `map[${keys.map((k) => `${k}:${goStringVerb(v[k]!)}`).join(' ')}]`;
  }
  return `%!s(${goTypeName(v)}=${String(v)})`;
}

/** A quoted character, of a number that may be none. */
export function goQuoteRune(code: bigint): string {
  const isRune = code >= 0n && code <= 0x10ffffn && (code < 0xd800n || code > 0xdfffn);
  const c = isRune ? String.fromCodePoint(Number(code)) : '\ufffd';
  if (c === "'") return "'\\''";
  return c === '"' ? `'"'` : `'${goQuote(c).slice(1, -1)}'`;
}

/** A quoted string: printable characters stay, others become escapes. */
export function goQuote(s: string): string {
  if (/^[ !#-[\]-~]*$/.test(s)) return `"${s}"`;
  let out = '"';
  for (const c of s) {
    const code = c.codePointAt(0)!;
    const short = shortEscapes[c];
    if (short !== undefined) out += short;
    else if (code < 0x20 || code === 0x7f) out += `\\x${code.toString(16).padStart(2, '0')}`;
    else if (code < 0x7f) out += c;
    else if (printable.test(c)) out += c;
    else out += code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  }
  return `${out}"`;
}

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u;

const INT64_MAX = 2n ** 63n - 1n;
const INT64_DIGITS = 19;

/** Go's error for text that is not a decimal signed 64-bit integer, or undefined. */
export function whyNotInt64(text: string): string | undefined {
  const refused = (why: string): string => `strconv.ParseInt: parsing ${goQuote(text)}: ${why}`;
  if (!/^[+-]?\d+$/.test(text)) return refused('invalid syntax');
  const digits = text.replace(/^[+-]?0*/, '');
  // A body may contain millions of digits, which must not be converted to a number.
  if (digits.length > INT64_DIGITS) return refused('value out of range');
  const most = text.startsWith('-') ? INT64_MAX + 1n : INT64_MAX;
  return BigInt(digits) > most ? refused('value out of range') : undefined;
}

/** A JSON string as kube-apiserver's encoder writes it: `<`, `>`, `&` and the two line separators escaped. */
export function goJsonString(s: string): string {
  if (/^[ !#-%'-;=?-[\]-~]*$/.test(s)) return `"${s}"`;
  return JSON.stringify(s).replace(/\\[\\bf]|[<>&\u2028\u2029]/g, (c) => {
    if (c === '\\\\') return c;
    if (c === '\\b') return '\\u0008';
    if (c === '\\f') return '\\u000c';
    return `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/**
 * JSON text with the escapes above. Keys are sorted, as kube-apiserver does for untyped values, unless `asTheyStand` is
 * set, because they are already in the order of their type.
 */
export function goJson(v: JsonValue, keys: 'sorted' | 'asTheyStand' = 'sorted'): string {
  if (v === null) return 'null';
  if (Array.isArray(v)) return `[${v.map((x) => goJson(x, keys)).join(',')}]`;
  if (typeof v === 'object') {
    const names = Object.keys(v);
    if (keys === 'sorted') names.sort(compareText);
    return `{${names.map((k) => `${goJsonString(k)}:${goJson(v[k]!, keys)}`).join(',')}}`;
  }
  return typeof v === 'string' ? goJsonString(v) : String(v);
}

/**
 * Orders text by its UTF-8 bytes. UTF-16 code units, which `<` compares, order surrogates (characters above U+FFFF) below
 * U+E000 to U+FFFF; bytes order them above.
 */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    let x = a.charCodeAt(i);
    let y = b.charCodeAt(i);
    if (x === y) continue;
    if (x >= 0xd800 && y >= 0xd800) {
      // Lift surrogates above the rest of the basic plane.
      if (x >= 0xe000) x -= 0x800;
      else x += 0x2000;
      if (y >= 0xe000) y -= 0x800;
      else y += 0x2000;
    }
    return x < y ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}
