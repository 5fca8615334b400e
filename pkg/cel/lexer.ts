import type { Steps } from '../base/index.js';
import type { Issue, Source } from './source.js';

/** Kinds of tokens; punctuation and keywords are their own kind. The order is the order in which errors list them. */
export type TokenKind = string;

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Offsets in code points; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
}

export const EOF = '<EOF>';

const KEYWORDS: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null']);
const DOUBLE = new Set(['==', '!=', '<=', '>=', '&&', '||']);
const SINGLE = new Set(['<', '>', '[', ']', '{', '}', '(', ')', '.', ',', '-', '!', '?', ':', '+', '*', '/', '%']);

const isLetter = (c: string | undefined) => c !== undefined && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
const isDigit = (c: string | undefined) => c !== undefined && c >= '0' && c <= '9';
const isHex = (c: string | undefined) =>
  c !== undefined && (isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'));
const isOctal = (c: string | undefined) => c !== undefined && c >= '0' && c <= '7';

/** What an expression consists of. */
export interface Tokens {
  readonly tokens: readonly Token[];
  readonly issues: readonly Issue[];
  /** Offsets of the code points that belong to no token. */
  readonly skipped: ReadonlySet<number>;
}

/** Tokens, errors and comments of one step. */
const AT_ONCE = 1_000;

/**
 * Splits an expression into tokens. The lexer takes the longest token at each position. If no token starts there, it
 * reports the text that it could have continued, with the character that ended it, and continues after that character. In steps.
 */
export function* tokenize(source: Source): Steps<Tokens> {
  const { points } = source;
  const tokens: Token[] = [];
  const issues: Issue[] = [];
  const skipped = new Set<number>();
  let at = 0;
  for (let n = 1; at < points.length; n++) {
    if (n % AT_ONCE === 0) yield;
    const c = points[at]!;
    if (c === ' ' || c === '\t' || c === '\n' || c === '\r' || c === '\f') {
      at++;
      continue;
    }
    if (c === '/' && points[at + 1] === '/') {
      while (at < points.length && points[at] !== '\n') at++;
      continue;
    }
    const scan = scanToken(source, at);
    if (scan.kind === undefined) {
      const failed = Math.min(scan.end + 1, points.length);
      const text = source.slice(at, failed);
      issues.push({ offset: at, message: `Syntax error: token recognition error at: '${text}'` });
      for (; at < failed; at++) skipped.add(at);
      continue;
    }
    tokens.push({ kind: scan.kind, text: source.slice(at, scan.end), start: at, end: scan.end });
    at = scan.end;
  }
  tokens.push({ kind: EOF, text: EOF, start: points.length, end: points.length });
  return { tokens, issues, skipped };
}

/** Escapes newlines and tabs as errors show them. */
export function escapeText(text: string): string {
  return text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
}

interface Scan {
  /** Undefined if no token starts here; `end` is then the position at which the scan failed. */
  readonly kind: TokenKind | undefined;
  readonly end: number;
}

function scanToken(source: Source, at: number): Scan {
  const { points } = source;
  const c = points[at]!;
  if (isDigit(c) || (c === '.' && isDigit(points[at + 1]))) return scanNumber(points, at);
  const string = scanPrefixedString(points, at);
  if (string !== undefined && (string.kind !== undefined || !(isLetter(c) || c === '"' || c === "'"))) return string;
  if (c === '"' || c === "'") {
    const quoted = string ?? scanString(points, at, at, false);
    // An unclosed triple quote still starts with an empty string.
    if (quoted.kind === undefined && points[at + 1] === c) return { kind: 'STRING', end: at + 2 };
    return quoted;
  }
  if (isLetter(c) || c === '_') {
    let end = at + 1;
    while (isLetter(points[end]) || isDigit(points[end]) || points[end] === '_') end++;
    const word = source.slice(at, end);
    return { kind: KEYWORDS.has(word) ? word : 'IDENTIFIER', end };
  }
  if (c === '`') return scanEscapedIdentifier(points, at);
  const two = c + (points[at + 1] ?? '');
  if (DOUBLE.has(two)) return { kind: two, end: at + 2 };
  if (SINGLE.has(c)) return { kind: c, end: at + 1 };
  // `=`, `&` and `|` begin operators of two characters.
  if (c === '=' || c === '&' || c === '|') return { kind: undefined, end: at + 1 };
  return { kind: undefined, end: at };
}

function scanEscapedIdentifier(points: readonly string[], at: number): Scan {
  let end = at + 1;
  const part = (c: string | undefined) =>
    isLetter(c) || isDigit(c) || c === '_' || c === '.' || c === '-' || c === '/' || c === ' ';
  while (part(points[end])) end++;
  if (end === at + 1 || points[end] !== '`') return { kind: undefined, end };
  return { kind: 'ESC_IDENTIFIER', end: end + 1 };
}

function scanNumber(points: readonly string[], at: number): Scan {
  let end = at;
  if (points[at] === '0' && points[at + 1] === 'x' && isHex(points[at + 2])) {
    end = at + 2;
    while (isHex(points[end])) end++;
    if (points[end] === 'u' || points[end] === 'U') return { kind: 'NUM_UINT', end: end + 1 };
    return { kind: 'NUM_INT', end };
  }
  while (isDigit(points[end])) end++;
  let float = false;
  if (points[end] === '.' && isDigit(points[end + 1])) {
    float = true;
    end++;
    while (isDigit(points[end])) end++;
  }
  if (points[end] === 'e' || points[end] === 'E') {
    let exponent = end + 1;
    if (points[exponent] === '+' || points[exponent] === '-') exponent++;
    if (isDigit(points[exponent])) {
      float = true;
      end = exponent;
      while (isDigit(points[end])) end++;
    }
  }
  if (float) return { kind: 'NUM_FLOAT', end };
  if (points[end] === 'u' || points[end] === 'U') return { kind: 'NUM_UINT', end: end + 1 };
  return { kind: 'NUM_INT', end };
}

/** `r'..'`, `b'..'`, `br'..'` and plain strings; undefined if no string starts here. */
function scanPrefixedString(points: readonly string[], at: number): Scan | undefined {
  let quote = at;
  let bytes = false;
  let raw = false;
  if (points[quote] === 'b' || points[quote] === 'B') {
    bytes = true;
    quote++;
  }
  if (points[quote] === 'r' || points[quote] === 'R') {
    raw = true;
    quote++;
  }
  if (points[quote] !== '"' && points[quote] !== "'") return undefined;
  const scan = scanString(points, at, quote, raw);
  if (scan.kind === undefined) {
    if (points[quote + 1] === points[quote]) return { kind: bytes ? 'BYTES' : 'STRING', end: quote + 2 };
    return scan;
  }
  return { kind: bytes ? 'BYTES' : 'STRING', end: scan.end };
}

function scanString(points: readonly string[], _at: number, quote: number, raw: boolean): Scan {
  const q = points[quote]!;
  const triple = points[quote + 1] === q && points[quote + 2] === q;
  // Each of many quotation marks without end is not scanned up to the end of the text.
  if (triple && quote + 3 > lastTriple(points, q)) return { kind: undefined, end: points.length };
  let end = quote + (triple ? 3 : 1);
  for (;;) {
    const c = points[end];
    if (c === undefined) return { kind: undefined, end };
    if (triple ? c === q && points[end + 1] === q && points[end + 2] === q : c === q) {
      return { kind: 'STRING', end: end + (triple ? 3 : 1) };
    }
    if (!triple && (c === '\n' || c === '\r')) return { kind: undefined, end };
    if (c === '\\' && !raw) {
      const scanned = scanEscape(points, end);
      if (scanned.failed) return { kind: undefined, end: scanned.end };
      end = scanned.end;
    } else end++;
  }
}

const lastTriples = new WeakMap<readonly string[], Map<string, number>>();

/** The last position of three quotation marks in a text; -1 if there is none. */
function lastTriple(points: readonly string[], quote: string): number {
  let known = lastTriples.get(points);
  if (known === undefined) {
    known = new Map();
    lastTriples.set(points, known);
  }
  let last = known.get(quote);
  if (last === undefined) {
    last = points.length - 3;
    while (last >= 0 && !(points[last] === quote && points[last + 1] === quote && points[last + 2] === quote)) last--;
    known.set(quote, last);
  }
  return last;
}

function scanEscape(points: readonly string[], at: number): { readonly failed: boolean; readonly end: number } {
  const c = points[at + 1];
  if (c !== undefined && 'abfnrtv"\'\\?`'.includes(c)) return { failed: false, end: at + 2 };
  const digits = (from: number, count: number, is: (c: string | undefined) => boolean) => {
    for (let i = 0; i < count; i++) if (!is(points[from + i])) return { failed: true, end: from + i };
    return { failed: false, end: from + count };
  };
  if (c === 'x' || c === 'X') return digits(at + 2, 2, isHex);
  if (c === 'u') return digits(at + 2, 4, isHex);
  if (c === 'U') return digits(at + 2, 8, isHex);
  if (c !== undefined && c >= '0' && c <= '3') return digits(at + 2, 2, isOctal);
  return { failed: true, end: at + 1 };
}
