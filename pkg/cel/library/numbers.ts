/** Numbers as texts, in the forms of Go's strconv, which expressions see. */

/** The shortest text that reads back as the number, with an exponent below 1e-4 and from 1e6 on. */
export function formatDouble(v: number): string {
  if (Number.isNaN(v)) return 'NaN';
  if (!Number.isFinite(v)) return v > 0 ? '+Inf' : '-Inf';
  if (v === 0) return Object.is(v, -0) ? '-0' : '0';
  const [mantissa, exponentText] = v.toExponential().split('e') as [string, string];
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < EXPONENT_MIN) return plainDouble(v);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** From this exponent on the text has an exponent. */
const EXPONENT_MIN = 6;

/** The shortest text without an exponent. */
export function plainDouble(v: number): string {
  const text = String(v);
  if (!text.includes('e')) return text;
  const [mantissa, exponentText] = text.split('e') as [string, string];
  const exponent = Number(exponentText);
  const negative = mantissa.startsWith('-');
  const [whole, fraction = ''] = mantissa.replace('-', '').split('.') as [string, string?];
  const digits = whole + fraction;
  const point = whole.length + exponent;
  let out: string;
  if (point <= 0) out = `0.${'0'.repeat(-point)}${digits}`;
  else if (point >= digits.length) out = digits + '0'.repeat(point - digits.length);
  else out = `${digits.slice(0, point)}.${digits.slice(point)}`;
  return negative ? `-${out}` : out;
}

const INTEGER = /^[+-]?[0-9]+$/;
const UNSIGNED = /^[0-9]+$/;
/** No number of 64 bits has more digits than this, unless they are leading zeros. */
const DIGITS_MAX = 1000;

export function parseInt64(text: string): bigint | undefined {
  if (text.length > DIGITS_MAX || !INTEGER.test(text)) return undefined;
  const v = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, v) === v ? v : undefined;
}

export function parseUint64(text: string): bigint | undefined {
  if (text.length > DIGITS_MAX || !UNSIGNED.test(text)) return undefined;
  const v = BigInt(text);
  return BigInt.asUintN(64, v) === v ? v : undefined;
}

const DECIMAL = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const HEXADECIMAL = /^([+-]?)0[xX]([0-9a-fA-F]+)\.?([0-9a-fA-F]*)[pP]([+-]?[0-9]+)$/;

/** Also `inf`, `infinity` and `NaN` in any case, hexadecimal floats, and underscores between digits. */
export function parseDouble(text: string): number | undefined {
  if (text.length > DIGITS_MAX) return undefined;
  const named = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (named !== null) {
    if (named[2]!.toLowerCase() === 'nan') return named[1] === '' ? Number.NaN : undefined;
    return named[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  const plain = /^[+-]?_|_$|__|_[.eE+-]|[.eE+-]_/.test(text) ? text : text.replaceAll('_', '');
  const hex = HEXADECIMAL.exec(plain);
  if (hex !== null) {
    const digits = Number(`0x${hex[2]}${hex[3]}`);
    const v = digits * 2 ** (Number(hex[4]) - 4 * hex[3]!.length);
    return Number.isFinite(v) ? (hex[1] === '-' ? -v : v) : undefined;
  }
  if (!DECIMAL.test(plain)) return undefined;
  const v = Number(plain);
  return Number.isFinite(v) ? v : undefined;
}

const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

export function parseBool(text: string): boolean | undefined {
  return TRUE.has(text) ? true : FALSE.has(text) ? false : undefined;
}
