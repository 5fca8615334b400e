import { utf8 } from '../json/text.js';
import { canonicalBase64 } from '../scalar/bytes.js';
import type { ScalarNode } from './parser.js';
import { yamlFailure } from './token.js';

/**
 * Resolves a scalar by the rules of YAML 1.1 in kube-apiserver. Integers are bigint here, which distinguishes them from
 * floats.
 */
export type Resolved = null | boolean | bigint | number | string;

const WORDS: ReadonlyMap<string, null | boolean | number> = new Map<string, null | boolean | number>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((w) => [w, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((w) => [w, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((w) => [w, null] as const),
  ...['.nan', '.NaN', '.NAN'].map((w) => [w, Number.NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((w) => [w, Number.POSITIVE_INFINITY] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((w) => [w, Number.NEGATIVE_INFINITY] as const),
]);

const INTEGER = /^[-+]?(?:0(?:[xX][0-9a-fA-F]+|[bB][01]+|[oO]?[0-7]+)?|[1-9][0-9]*)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;
/** More digits than any 64-bit number has in any base. */
const DIGITS_MAX = 70;

export function resolveScalar(node: ScalarNode): Resolved {
  const { tag, value } = node;
  if (tag === '') return node.implicit ? resolvePlain(value) : value;
  switch (tag) {
    case '!!str':
      return value;
    case '!!binary':
      return binary(value);
    case '!!null':
    case '!!bool':
    case '!!int':
    case '!!float':
    case '!!timestamp':
      return tagged(tag, value);
    default:
      return value;
  }
}

/** Resolves a scalar without quotes and tag. */
export function resolvePlain(text: string): Resolved {
  const c = text.charCodeAt(0);
  const digit = c >= 0x30 && c <= 0x39;
  // A scalar with another first character is a string: digits, sign, point, and the first letters of the keywords.
  if (!digit && text !== '' && !'+-.yYnNtTfFoO~'.includes(text[0]!)) return text;
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (!digit && c !== 0x2b && c !== 0x2d && c !== 0x2e) return text;
  const plain = text.replaceAll('_', '');
  if (c !== 0x2e && plain.length <= DIGITS_MAX && INTEGER.test(plain)) {
    const whole = integer(plain);
    if (whole >= INT64_MIN && whole <= UINT64_MAX) return whole;
  }
  if (!FLOAT.test(c === 0x2e ? text : plain)) return text;
  const float = Number(plain);
  return Number.isFinite(float) ? float : text;
}

function integer(text: string): bigint {
  const negative = text.startsWith('-');
  let digits = text.replace(/^[-+]/, '');
  if (/^0[0-7]/.test(digits)) digits = `0o${digits.slice(1)}`;
  const value = BigInt(digits.toLowerCase());
  return negative ? -value : value;
}

const TYPES: Readonly<Record<string, string>> = {
  boolean: '!!bool',
  bigint: '!!int',
  number: '!!float',
  string: '!!str',
};

function tagged(tag: string, text: string): Resolved {
  const value = resolvePlain(text);
  const type = value === null ? '!!null' : TYPES[typeof value]!;
  if (type === tag) return value;
  if (tag === '!!float' && typeof value === 'bigint') return Number(value);
  // Times stay text.
  if (tag === '!!timestamp' && type === '!!str' && /^\d{4}-\d\d?-\d\d?/.test(text)) return text;
  throw yamlFailure(`cannot decode ${type} \`${text}\` as a ${tag}`);
}

function binary(text: string): string {
  const canonical = canonicalBase64(text);
  if (!canonical.ok) throw yamlFailure('!!binary value contains invalid base64 data');
  return utf8(Buffer.from(canonical.text ?? '', 'base64'));
}
