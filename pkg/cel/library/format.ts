import { goQuote } from '../../api/index.js';
import {
  Bytes,
  CelMap,
  Duration,
  fail,
  List,
  noOverload,
  Timestamp,
  TypeValue,
  typeName,
  Uint,
  type Value,
} from '../values.js';
import { formatDouble } from './numbers.js';
import { formatDuration, formatTimestamp } from './time.js';

/** Formats the argument of a clause, or returns the error message. */
export type Clause = (v: Value, precision: number | undefined) => string | { readonly error: string };

const DIGITS_MAX = 208;
const DEFAULT_PRECISION = 6;

/** `string.format(list)`. The clauses are %s %d %f %e %b %o %x %X %%. */
export function format(template: Value, args: Value): Value {
  if (typeof template !== 'string' || !(args instanceof List)) return noOverload('format', template, args);
  let out = '';
  let next = 0;
  const scan = scanFormat(template);
  for (;;) {
    const part = scan.next();
    if (part.done === true) return out;
    const { text, clause, precision, error } = part.value;
    out += text ?? '';
    if (clause === undefined && error === undefined) continue;
    // The argument is taken before the clause is parsed.
    if (next >= args.size) return fail(`index ${next} out of range`);
    if (error !== undefined) return fail(error);
    const shown = clause!(args.at(next++), precision);
    if (typeof shown !== 'string') return fail(`error during formatting: ${shown.error}`);
    out += shown;
  }
}

interface Part {
  readonly text?: string;
  readonly clause?: Clause;
  readonly verb?: string;
  readonly precision?: number | undefined;
  readonly error?: string;
}

/** The literal texts and clauses of a format string, in order. */
export function* scanFormat(template: string): Generator<Part> {
  let at = 0;
  while (at < template.length) {
    const percent = template.indexOf('%', at);
    if (percent < 0) {
      yield { text: template.slice(at) };
      return;
    }
    if (percent > at) yield { text: template.slice(at, percent) };
    if (template[percent + 1] === '%') {
      yield { text: '%' };
      at = percent + 2;
      continue;
    }
    let cursor = percent + 1;
    let precision: number | undefined;
    if (template[cursor] === '.') {
      const end = digitsEnd(template, cursor + 1);
      const digits = template.slice(cursor + 1, end);
      if (digits === '') {
        const reason = 'error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax';
        yield { error: `could not parse formatting clause: error while parsing precision: ${reason}` };
        return;
      }
      precision = Number(digits);
      cursor = end;
    }
    const verb = template[cursor];
    if (verb === undefined) {
      yield { error: 'could not parse formatting clause: unexpected end of string', verb: '' };
      return;
    }
    const clause = CLAUSES[verb];
    if (clause === undefined) {
      const point = String.fromCodePoint(template.codePointAt(cursor)!);
      yield { error: `could not parse formatting clause: unrecognized formatting clause "${point}"` };
      return;
    }
    yield { clause, verb, precision };
    at = cursor + 1;
  }
}

function digitsEnd(s: string, from: number): number {
  let end = from;
  while (end < s.length && s[end]! >= '0' && s[end]! <= '9') end++;
  return end;
}

const SENTENCES: Readonly<Record<string, string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  o: 'octal clause can only be used on integers',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
};

/** Why a clause does not take a value of a type. */
export const refusal = (verb: string, type: string): string => `${SENTENCES[verb.toLowerCase()]}, was given ${type}`;

const given = (verb: string, v: Value) => ({ error: refusal(verb, typeName(v)) });

function textOf(v: Value): string | { readonly error: string } {
  if (typeof v === 'string') return v;
  if (typeof v === 'number') return formatDouble(v);
  if (v instanceof Bytes) return new TextDecoder().decode(v.value);
  return shownOf(v, false);
}

/** The form within lists and maps: strings, bytes, timestamps and durations in quotes, doubles with six digits. */
const nested = (v: Value) => shownOf(v, true);

function shownOf(v: Value, isWithin: boolean): string | { readonly error: string } {
  if (v === null) return 'null';
  if (typeof v === 'boolean' || typeof v === 'bigint') return String(v);
  if (v instanceof Uint) return String(v.value);
  if (typeof v === 'number') return Number.isFinite(v) ? fixed(v, DEFAULT_PRECISION) : `"${formatDouble(v)}"`;
  if (typeof v === 'string') return goQuote(v);
  if (v instanceof Bytes) return quotedBytes(v);
  if (v instanceof Timestamp) return isWithin ? `timestamp("${formatTimestamp(v)}")` : formatTimestamp(v);
  if (v instanceof Duration) return isWithin ? `duration("${formatDuration(v)}")` : formatDuration(v);
  if (v instanceof TypeValue) return v.name;
  if (v instanceof List) {
    const parts: string[] = [];
    for (let i = 0; i < v.size; i++) {
      const part = nested(v.at(i));
      if (typeof part !== 'string') return part;
      parts.push(part);
    }
    return `[${parts.join(', ')}]`;
  }
  if (v instanceof CelMap && v.typeName === 'map') {
    const parts: (readonly [string, string])[] = [];
    for (const key of v.keys()) {
      const shownKey = nested(key);
      const shownValue = nested(v.find(key)!);
      if (typeof shownKey !== 'string') return shownKey;
      if (typeof shownValue !== 'string') return shownValue;
      parts.push([shownKey, shownValue]);
    }
    parts.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return `{${parts.map(([k, x]) => `${k}:${x}`).join(', ')}}`;
  }
  return isWithin ? { error: `no formatting function for ${typeName(v)}` } : given('s', v);
}

function quotedBytes({ value }: Bytes): string | { readonly error: string } {
  try {
    return `b${goQuote(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value))}`;
  } catch {
    const why = 'invalid UTF-8 in bytes, cannot convert to string';
    return { error: `could not convert argument "${why}" to string` };
  }
}

function decimal(v: Value): string | { readonly error: string } {
  if (typeof v === 'bigint') return String(v);
  if (v instanceof Uint) return String(v.value);
  return given('d', v);
}

/** Doubles, and the strings for infinity and NaN. */
function doubleOf(v: Value): number | undefined {
  if (typeof v === 'number') return v;
  if (v === 'NaN') return Number.NaN;
  if (v === 'Infinity') return Number.POSITIVE_INFINITY;
  if (v === '-Infinity') return Number.NEGATIVE_INFINITY;
  return undefined;
}

function special(v: number): string | undefined {
  if (Number.isNaN(v)) return 'NaN';
  return Number.isFinite(v) ? undefined : v > 0 ? '\u221e' : '-\u221e';
}

/** Fixed point, rounding half to even, as in Go. */
function fixed(v: number, precision: number): string {
  const digits = Math.min(precision, 100);
  const scaled = Math.abs(v) * 10 ** digits;
  let text = Math.abs(v).toFixed(digits);
  if (Math.abs(v) >= 1e21) text = BigInt(Math.abs(v)).toString() + (digits > 0 ? `.${'0'.repeat(digits)}` : '');
  else if (scaled < 2 ** 52 && scaled % 1 === 0.5 && Math.floor(scaled) % 2 === 0)
    text = (Math.floor(scaled) / 10 ** digits).toFixed(digits);
  if (precision > digits) text += '0'.repeat(Math.min(precision, DIGITS_MAX) - digits);
  const isZero = /^[0.]*$/.test(text);
  return v < 0 && !isZero ? `-${text}` : text;
}

const grouped = (text: string) => {
  const negative = text.startsWith('-');
  const [whole, fraction] = text.replace('-', '').split('.') as [string, string?];
  let out = '';
  for (let i = whole.length; i > 0; i -= 3) out = whole.slice(Math.max(0, i - 3), i) + (out === '' ? '' : `,${out}`);
  return (negative ? '-' : '') + out + (fraction === undefined ? '' : `.${fraction}`);
};

const SUPERSCRIPT = '\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079';

function scientific(v: number): string {
  const [mantissa, exponentText] = v.toExponential(DEFAULT_PRECISION).split('e') as [string, string];
  const exponent = Number(exponentText);
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  const raised = Array.from(digits, (d) => SUPERSCRIPT[Number(d)]).join('');
  return `${mantissa}\u00d710${exponent < 0 ? '\u207b' : ''}${raised}`;
}

const radix = (base: number, v: bigint) => v.toString(base);

function hexadecimal(v: Value): string | { readonly error: string } {
  if (typeof v === 'bigint') return radix(16, v);
  if (v instanceof Uint) return radix(16, v.value);
  const bytes = typeof v === 'string' ? new TextEncoder().encode(v) : v instanceof Bytes ? v.value : undefined;
  if (bytes === undefined) return given('x', v);
  return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');
}

export const CLAUSES: Readonly<Record<string, Clause>> = {
  s: textOf,
  d: decimal,
  f: (v, precision) => {
    const number = doubleOf(v);
    if (number === undefined) return given('f', v);
    return special(number) ?? grouped(fixed(number, precision ?? DEFAULT_PRECISION));
  },
  e: (v) => {
    const number = doubleOf(v);
    if (number === undefined) return given('e', v);
    return special(number) ?? scientific(number);
  },
  b: (v) => {
    if (typeof v === 'bigint') return radix(2, v);
    if (v instanceof Uint) return radix(2, v.value);
    if (typeof v === 'boolean') return v ? '1' : '0';
    return given('b', v);
  },
  o: (v) => {
    if (typeof v === 'bigint') return radix(8, v);
    if (v instanceof Uint) return radix(8, v.value);
    return given('o', v);
  },
  x: hexadecimal,
  X: (v) => {
    const shown = hexadecimal(v);
    return typeof shown === 'string' ? shown.toUpperCase() : shown;
  },
};
