import { withoutTrailing } from '../base/index.js';
import { goQuote } from './go-format.js';

/** What Go's `time.Parse` reads as RFC 3339: T and Z in capitals; an hour of one digit and a comma are accepted. */
const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/;

/** `2006-01-02T15:04:05Z` of milliseconds since the epoch, as the API writes times. */
export function formatTime(milliseconds: number): string {
  return `${new Date(Math.floor(milliseconds / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/** `2006-01-02T15:04:05.000000Z`. */
export function formatMicroTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 23)}000Z`;
}

export interface Instant {
  /** Whole seconds since the epoch. */
  readonly seconds: number;
  readonly nanos: number;
  /** As many digits as were written. */
  readonly fractionDigits: number;
}

export function parseInstant(text: string): Instant | undefined {
  const m = RFC3339.exec(text);
  if (m === null) return undefined;
  const [year, month, day, hour, minute, second] = m.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const zone = m[8]!;
  let offset = 0;
  if (zone.length > 1) {
    const [h, min] = [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))];
    if (h > 24 || min > 60) return undefined;
    offset = (zone[0] === '-' ? -1 : 1) * (h * 60 + min);
  }
  // Date.UTC reads years below 100 as 19xx, so the year is set separately.
  const date = new Date(Date.UTC(2000, month - 1, day, hour, minute, second));
  date.setUTCFullYear(year, month - 1, day);
  const digits = m[7] ?? '';
  return {
    seconds: date.getTime() / 1000 - offset * 60,
    nanos: Number(digits.slice(0, 9).padEnd(9, '0')),
    fractionDigits: digits.length,
  };
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Milliseconds since the epoch, or undefined. */
export function parseTime(text: string): number | undefined {
  const t = parseInstant(text);
  return t === undefined ? undefined : t.seconds * 1000 + Math.floor(t.nanos / 1_000_000);
}

/** UTC, without the fraction; undefined if the text is not a time. */
export function canonicalTime(text: string): string | undefined {
  const t = parseInstant(text);
  return t === undefined ? undefined : formatTime(t.seconds * 1000);
}

/** UTC with six digits. kube-apiserver reads micro times only with exactly six. */
export function canonicalMicroTime(text: string): string | undefined {
  const t = parseInstant(text);
  if (t === undefined || t.fractionDigits !== 6) return undefined;
  const whole = formatTime(t.seconds * 1000);
  return `${whole.slice(0, 19)}.${String(Math.floor(t.nanos / 1000)).padStart(6, '0')}Z`;
}

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** More than any duration needs, because its digits are multiplied out. */
const DURATION_CHARACTERS_MAX = 128;
const DURATION = /^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[nuµμ]s|ms?|s|h))+$/;

/** Nanoseconds of `1h2m3.5s`, or undefined. */
export function parseDuration(text: string): bigint | undefined {
  const sign = text.startsWith('-') ? -1n : 1n;
  const rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === '0') return 0n;
  if (rest.length > DURATION_CHARACTERS_MAX || !DURATION.test(rest)) return undefined;
  let total = 0n;
  for (const [, whole, fraction = '', unit] of rest.matchAll(/(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g)) {
    const scale = UNITS[unit!]!;
    total += BigInt(whole === '' ? 0 : whole!) * scale;
    if (fraction !== '') total += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
  }
  return total > 2n ** 63n - 1n ? undefined : sign * total;
}

/** The error for an invalid duration, with the text of Go's time package. */
export function durationProblem(text: string): string {
  const quoted = goQuote(text);
  const unsigned = /^[+-]/.test(text) ? text.slice(1) : text;
  const number = unsigned.slice(0, lengthOf(unsigned, isNumeral));
  const rest = unsigned.slice(number.length);
  const unit = rest.slice(
    0,
    lengthOf(rest, (c) => !isNumeral(c)),
  );
  if (number === '' || !/[0-9]/.test(number)) return `time: invalid duration ${quoted}`;
  if (unit === '') return `time: missing unit in duration ${quoted}`;
  if (!Object.hasOwn(UNITS, unit)) return `time: unknown unit ${goQuote(unit)} in duration ${quoted}`;
  return `time: invalid duration ${quoted}`;
}

const isNumeral = (c: string): boolean => c === '.' || (c >= '0' && c <= '9');

/** Returns the number of leading characters that satisfy `test`. */
function lengthOf(text: string, test: (c: string) => boolean): number {
  let length = 0;
  while (length < text.length && test(text[length]!)) length++;
  return length;
}

/** Go's form of a duration: `1h2m3.5s`, `1.5ms`, `0s`. */
export function formatDuration(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  const sign = nanos < 0n ? '-' : '';
  const n = nanos < 0n ? -nanos : nanos;
  if (n < 1_000_000_000n) {
    const [unit, name] =
      n < 1_000n ? ([1n, 'ns'] as const) : n < 1_000_000n ? ([1_000n, 'µs'] as const) : ([1_000_000n, 'ms'] as const);
    return `${sign}${decimal(n, unit)}${name}`;
  }
  const hours = n / UNITS['h']!;
  const minutes = (n / UNITS['m']!) % 60n;
  const seconds = decimal(n % UNITS['m']!, 1_000_000_000n);
  const h = hours > 0n ? `${hours}h` : '';
  const m = hours > 0n || minutes > 0n ? `${minutes}m` : '';
  return `${sign}${h}${m}${seconds}s`;
}

function decimal(n: bigint, unit: bigint): string {
  const rest = n % unit;
  if (rest === 0n) return String(n / unit);
  const digits = withoutTrailing(String(rest).padStart(String(unit).length - 1, '0'), '0');
  return `${n / unit}.${digits}`;
}
