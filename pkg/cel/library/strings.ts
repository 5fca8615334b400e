import { declare, type Library } from '../environment.js';
import { ArrayList, codePoints, fail, itemsOf, List, noOverload, type Value } from '../values.js';
import { format } from './format.js';

/** Positions count code points. Plain ASCII, the common case, needs no array of code points. */
function pointsOf(s: string): readonly string[] | string {
  return codePoints(s) === s.length ? s : Array.from(s);
}

function textBetween(points: readonly string[] | string, from: number, to: number): string {
  return typeof points === 'string' ? points.slice(from, to) : points.slice(from, to).join('');
}

function charAt(s: Value, i: Value): Value {
  if (typeof s !== 'string' || typeof i !== 'bigint') return noOverload('charAt', s, i);
  const points = pointsOf(s);
  if (i < 0n || i > BigInt(points.length)) return fail(`index out of range: ${i}`);
  return points[Number(i)] ?? '';
}

/** Converts a position in code units to code points. */
const inPoints = (s: string, units: number) => (units < 0 ? -1n : BigInt(codePoints(s.slice(0, units))));
/** Converts a position in code points to code units. */
function inUnits(points: readonly string[] | string, position: number): number {
  return typeof points === 'string' ? position : points.slice(0, position).join('').length;
}

function indexOf(...args: Value[]): Value {
  const [s, sub, from] = args;
  if (typeof s !== 'string' || typeof sub !== 'string') return noOverload('indexOf', ...args);
  if (args.length === 2) return inPoints(s, s.indexOf(sub));
  if (typeof from !== 'bigint') return noOverload('indexOf', ...args);
  if (from < 0n) return fail(`index out of range: ${from}`);
  const points = pointsOf(s);
  if (sub === '') return from < BigInt(points.length) ? from : BigInt(points.length);
  if (from >= BigInt(points.length)) return -1n;
  return inPoints(s, s.indexOf(sub, inUnits(points, Number(from))));
}

function lastIndexOf(...args: Value[]): Value {
  const [s, sub, from] = args;
  if (typeof s !== 'string' || typeof sub !== 'string') return noOverload('lastIndexOf', ...args);
  if (args.length === 2) return sub === '' ? BigInt(codePoints(s)) : inPoints(s, s.lastIndexOf(sub));
  if (typeof from !== 'bigint') return noOverload('lastIndexOf', ...args);
  if (from < 0n) return fail(`index out of range: ${from}`);
  const points = pointsOf(s);
  if (sub === '') return from < BigInt(points.length) ? from : BigInt(points.length);
  if (from >= BigInt(points.length)) return -1n;
  return inPoints(s, s.lastIndexOf(sub, inUnits(points, Number(from))));
}

function replace(...args: Value[]): Value {
  const [s, old, by, count] = args;
  if (typeof s !== 'string' || typeof old !== 'string' || typeof by !== 'string') return noOverload('replace', ...args);
  if (args.length === 3) return replaceTimes(s, old, by, Number.POSITIVE_INFINITY);
  if (typeof count !== 'bigint') return noOverload('replace', ...args);
  return replaceTimes(s, old, by, count < 0n ? Number.POSITIVE_INFINITY : Number(count));
}

/**
 * Characters of a text that replace or join makes. The cost of the call does not bound it: the result can be thousands of times as long as
 * the arguments.
 */
const MADE_MAX = 16 * 1024 * 1024;

const tooLong = (name: string): Value => fail(`${name}: the result exceeds the limit of ${MADE_MAX} characters`);

function replaceTimes(s: string, old: string, by: string, times: number): Value {
  if (old !== '') {
    const parts = splitTimes(s, old, times);
    if (s.length + (parts.length - 1) * (by.length - old.length) > MADE_MAX) return tooLong('replace');
    return parts.join(by);
  }
  const points = Array.from(s);
  if (s.length + Math.min(points.length + 1, times) * by.length > MADE_MAX) return tooLong('replace');
  let out = '';
  let left = times;
  for (let i = 0; i <= points.length; i++) {
    if (left > 0) {
      out += by;
      left--;
    }
    out += points[i] ?? '';
  }
  return out;
}

/** Splits at the first `times` separators. */
function splitTimes(s: string, separator: string, times: number): string[] {
  const parts: string[] = [];
  let start = 0;
  while (parts.length < times) {
    const i = s.indexOf(separator, start);
    if (i < 0) break;
    parts.push(s.slice(start, i));
    start = i + separator.length;
  }
  parts.push(s.slice(start));
  return parts;
}

function split(...args: Value[]): Value {
  const [s, separator, limit] = args;
  if (typeof s !== 'string' || typeof separator !== 'string' || (args.length === 3 && typeof limit !== 'bigint'))
    return noOverload('split', ...args);
  const most = limit === undefined || (limit as bigint) < 0n ? Number.POSITIVE_INFINITY : Number(limit);
  if (most === 0) return new ArrayList([]);
  if (separator !== '') return new ArrayList(splitTimes(s, separator, most - 1));
  const points = Array.from(s);
  if (points.length <= most) return new ArrayList(points);
  return new ArrayList([...points.slice(0, most - 1), points.slice(most - 1).join('')]);
}

function join(...args: Value[]): Value {
  const [list, separator] = args;
  if (!(list instanceof List) || (args.length === 2 && typeof separator !== 'string'))
    return noOverload('join', ...args);
  const items = itemsOf(list);
  if (!items.every((i) => typeof i === 'string')) return noOverload('join', ...args);
  const between = (separator as string | undefined) ?? '';
  let length = between.length * items.length;
  for (const item of items as readonly string[]) length += item.length;
  return length > MADE_MAX ? tooLong('join') : items.join(between);
}

function substring(...args: Value[]): Value {
  const [s, start, end] = args;
  if (typeof s !== 'string' || typeof start !== 'bigint' || (args.length === 3 && typeof end !== 'bigint'))
    return noOverload('substring', ...args);
  const points = pointsOf(s);
  const length = BigInt(points.length);
  if (args.length === 2) {
    if (start < 0n || start > length) return fail(`index out of range: ${start}`);
    return textBetween(points, Number(start), points.length);
  }
  const to = end as bigint;
  if (start > to) return fail(`invalid substring range. start: ${start}, end: ${to}`);
  if (start < 0n || start > length) return fail(`index out of range: ${start}`);
  if (to < 0n || to > length) return fail(`index out of range: ${to}`);
  return textBetween(points, Number(start), Number(to));
}

const asciiCase =
  (name: string, upper: boolean) =>
  (s: Value): Value => {
    if (typeof s !== 'string') return noOverload(name, s);
    return upper ? s.replace(/[a-z]+/g, (m) => m.toUpperCase()) : s.replace(/[A-Z]+/g, (m) => m.toLowerCase());
  };

/** White space as defined by Unicode, as in Go's TrimSpace. */
const SPACE = new Set(
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000',
);

function trim(s: Value): Value {
  if (typeof s !== 'string') return noOverload('trim', s);
  let start = 0;
  let end = s.length;
  while (start < end && SPACE.has(s[start]!)) start++;
  while (end > start && SPACE.has(s[end - 1]!)) end--;
  return s.slice(start, end);
}

const QUOTED: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

/** Returns the string in double quotes, with escapes. */
export function quote(s: string): string {
  let out = '"';
  for (const c of s) out += QUOTED[c] ?? c;
  return `${out}"`;
}

export const stringsLibrary: Library = {
  functions: [
    declare('charAt', ['string_char_at_int: string.(int): string'], charAt),
    declare(
      'indexOf',
      ['string_index_of_string: string.(string): int', 'string_index_of_string_int: string.(string, int): int'],
      indexOf,
    ),
    declare(
      'lastIndexOf',
      [
        'string_last_index_of_string: string.(string): int',
        'string_last_index_of_string_int: string.(string, int): int',
      ],
      lastIndexOf,
    ),
    declare('lowerAscii', ['string_lower_ascii: string.(): string'], asciiCase('lowerAscii', false)),
    declare('upperAscii', ['string_upper_ascii: string.(): string'], asciiCase('upperAscii', true)),
    declare(
      'replace',
      [
        'string_replace_string_string: string.(string, string): string',
        'string_replace_string_string_int: string.(string, string, int): string',
      ],
      replace,
    ),
    declare(
      'split',
      [
        'string_split_string: string.(string): list(string)',
        'string_split_string_int: string.(string, int): list(string)',
      ],
      split,
    ),
    declare(
      'substring',
      ['string_substring_int: string.(int): string', 'string_substring_int_int: string.(int, int): string'],
      substring,
    ),
    declare('trim', ['string_trim: string.(): string'], trim),
    declare('join', ['list_join: list(string).(): string', 'list_join_string: list(string).(string): string'], join),
    declare('format', ['string_format: string.(list(dyn)): string'], format),
    declare('strings.quote', ['strings_quote: (string): string'], (s) =>
      typeof s === 'string' ? quote(s) : noOverload('strings.quote', s),
    ),
  ],
};
