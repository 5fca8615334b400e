import type { JsonValue } from '../../api/index.js';

/**
 * Matches characters that may need escapes: control characters, `"`, `\`, surrogates, and the characters that Go escapes for HTML.
 */
const SPECIAL = /[^ !#-%'-;=?-[\]-\u2027\u202a-\ud7ff\ue000-\uffff]/;
const HTML = /[<>&\u2028\u2029]/g;
const SHORT = 24;

/** Returns a JSON string as Go's encoder writes it: `<`, `>`, `&`, U+2028 and U+2029 are escaped by number. */
export function writeString(s: string): string {
  return isPlain(s) ? `"${s}"` : JSON.stringify(s).replace(HTML, escapeHtml);
}

function isPlain(s: string): boolean {
  const n = s.length;
  if (n > SHORT) return !SPECIAL.test(s);
  for (let i = 0; i < n; i++) {
    const c = s.charCodeAt(i);
    // Letters, digits and punctuation except `"`, `&`, `<`, `>`, `\`.
    if (c < 0x20 || c > 0x7e || c === 0x22 || c === 0x26 || c === 0x3c || c === 0x3e || c === 0x5c)
      return !SPECIAL.test(s);
  }
  return true;
}

function escapeHtml(c: string): string {
  return `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Go and JavaScript write doubles identically. */
export function writeNumber(n: number | bigint): string {
  return typeof n === 'number' && !Number.isFinite(n) ? 'null' : String(n);
}

/** Writes a value without a schema, with its keys in their order. */
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
    // The value contains a bigint.
  }
  if (Array.isArray(value)) return `[${value.map(writeValue).join(',')}]`;
  const members = Object.keys(value).map((key) => `${writeString(key)}:${writeValue(value[key]!)}`);
  return `{${members.join(',')}}`;
}
