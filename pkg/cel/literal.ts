import type { Literal } from './ast.js';
import type { Token } from './lexer.js';
import { Bytes, Uint } from './values.js';

/** An escape for a code point that does not exist. */
export const NO_POINT = Symbol('no code point');

/** Returns the value of a STRING or BYTES token; undefined if an escape is invalid. */
export function unquote(text: string, isBytes: boolean): string | Bytes | typeof NO_POINT | undefined {
  let body = text;
  if (isBytes) body = body.slice(1);
  const raw = body.startsWith('r') || body.startsWith('R');
  if (raw) body = body.slice(1);
  const quote = body.startsWith(body[0]!.repeat(3)) && body.length >= 6 ? 3 : 1;
  body = body.slice(quote, body.length - quote);
  // Line ends within a literal are normalized.
  body = body.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  if (isBytes) return bytesOf(body, raw);
  return raw ? body : unescapeString(body);
}

const SIMPLE: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '"': '"',
  "'": "'",
  '\\': '\\',
  '?': '?',
  '`': '`',
};

function unescapeString(body: string): string | typeof NO_POINT {
  let out = '';
  for (let i = 0; i < body.length; i++) {
    if (body[i] !== '\\') {
      out += body[i];
      continue;
    }
    const { code, length } = escapeAt(body, i);
    if (typeof code === 'string') out += code;
    else if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return NO_POINT;
    else out += String.fromCodePoint(code);
    i += length - 1;
  }
  return out;
}

function bytesOf(body: string, raw: boolean): Bytes | undefined {
  const encoder = new TextEncoder();
  if (raw) return new Bytes(encoder.encode(body));
  // A unit of the text is at most three bytes of UTF-8, and an escape is longer than what it stands for.
  const out = new Uint8Array(3 * body.length);
  let size = 0;
  const add = (text: string): void => {
    size += encoder.encodeInto(text, out.subarray(size)).written;
  };
  for (let i = 0; i < body.length; i++) {
    if (body[i] !== '\\') {
      let end = body.indexOf('\\', i);
      if (end < 0) end = body.length;
      add(body.slice(i, end));
      i = end - 1;
      continue;
    }
    const c = body[i + 1]!;
    // Unicode escapes have no meaning in bytes.
    if (c === 'u' || c === 'U') return undefined;
    const { code, length } = escapeAt(body, i);
    if (typeof code === 'string') add(code);
    else out[size++] = code;
    i += length - 1;
  }
  return new Bytes(out.slice(0, size));
}

function escapeAt(body: string, i: number): { readonly code: string | number; readonly length: number } {
  const c = body[i + 1]!;
  const simple = SIMPLE[c];
  if (simple !== undefined) return { code: simple, length: 2 };
  if (c === 'x' || c === 'X') return { code: Number.parseInt(body.slice(i + 2, i + 4), 16), length: 4 };
  if (c === 'u') return { code: Number.parseInt(body.slice(i + 2, i + 6), 16), length: 6 };
  if (c === 'U') return { code: Number.parseInt(body.slice(i + 2, i + 10), 16), length: 10 };
  return { code: Number.parseInt(body.slice(i + 1, i + 4), 8), length: 4 };
}

/** The value of a literal. An invalid one is reported and treated as null. */
export function literalValue(token: Token, negative: boolean, report: (message: string) => void): Literal {
  const { text } = token;
  switch (token.kind) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'null':
      return null;
    case 'NUM_INT': {
      const magnitude = BigInt(text);
      const value = negative ? -magnitude : magnitude;
      if (BigInt.asIntN(64, value) === value) return value;
      report('invalid int literal');
      return null;
    }
    case 'NUM_UINT': {
      const value = BigInt(text.slice(0, -1));
      if (BigInt.asUintN(64, value) === value) return new Uint(value);
      report('invalid uint literal');
      return null;
    }
    case 'NUM_FLOAT': {
      const value = Number(text);
      if (Number.isFinite(value)) return negative ? -value : value;
      report('invalid double literal');
      return null;
    }
    default: {
      const value = unquote(text, token.kind === 'BYTES');
      if (value !== undefined && value !== NO_POINT) return value;
      report(value === NO_POINT ? 'invalid unicode code point' : 'invalid bytes literal');
      return null;
    }
  }
}
