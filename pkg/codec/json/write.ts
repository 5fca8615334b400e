import type { JsonValue } from '../../api/index.js';

/**
 * Needs more than quotes around it: everything but the plain characters, which are all but control characters, `"`, `\`, surrogates, and
 * what Go escapes for HTML's sake.
 */
const SPECIAL = /[^ !#-%'-;=?-[\]-\u2027\u202a-\ud7ff\ue000-\uffff]/;
const HTML = /[<>&\u2028\u2029]/g;
const SHORT = 24;

/** A JSON string as Go's encoder writes it: `<`, `>`, `&`, U+2028 and U+2029 by their numbers. */
export function writeString(s: string): string {
  return isPlain(s) ? `"${s}"` : JSON.stringify(s).replace(HTML, escapeHtml);
}

function isPlain(s: string): boolean {
  const n = s.length;
  if (n > SHORT) return !SPECIAL.test(s);
  for (let i = 0; i < n; i++) {
    const c = s.charCodeAt(i);
    // Letters, digits, punctuation but `"`, `&`, `<`, `>`, `\`.
    if (c < 0x20 || c > 0x7e || c === 0x22 || c === 0x26 || c === 0x3c || c === 0x3e || c === 0x5c)
      return !SPECIAL.test(s);
  }
  return true;
}

function escapeHtml(c: string): string {
  return `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Go and JavaScript write doubles alike. */
export function writeNumber(n: number | bigint): string {
  return typeof n === 'number' && !Number.isFinite(n) ? 'null' : String(n);
}

/** A value that no schema describes, keys in the order they have. */
export function writeValue(value: JsonValue): string {
  switch (typeof value) {
    case 'string':
      return writeString(value);
    case 'number':
    case 'bigint':
      return writeNumber(value);
    case 'boolean':
      return value ? 'true' : 'false';
    default:
      break;
  }
  if (value === null) return 'null';
  try {
    return JSON.stringify(value).replace(HTML, escapeHtml);
  } catch {
    // A bigint somewhere inside.
  }
  if (Array.isArray(value)) return `[${value.map(writeValue).join(',')}]`;
  const members = Object.keys(value).map((key) => `${writeString(key)}:${writeValue(value[key]!)}`);
  return `{${members.join(',')}}`;
}
