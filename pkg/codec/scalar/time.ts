/**
 * The canonical text of a scalar (null: Go's zero time), or the message of kube-apiserver's decoder for an invalid one.
 */
export type Canonical =
  | { readonly ok: true; readonly text: string | null }
  | { readonly ok: false; readonly message: string };

const RFC3339 = '2006-01-02T15:04:05Z07:00';
const RFC3339_MICRO = '2006-01-02T15:04:05.000000Z07:00';

/**
 * Parses a `metav1.Time`: RFC 3339 with any offset; a fraction is dropped. The canonical text is in UTC with seconds.
 * It accepts what Go's `time.Parse` accepts, including an hour of one digit and a comma before the fraction.
 */
export function canonicalTime(text: string): Canonical {
  if (isPlainUtc(text)) {
    const utc = text.length === PLAIN_LENGTH ? text : `${text.slice(0, SECONDS_LENGTH)}Z`;
    return { ok: true, text: utc === '0001-01-01T00:00:00Z' ? null : utc };
  }
  return new TimeParser(text, false).parse();
}

/** Parses a `metav1.MicroTime`: exactly six digits after the point. The canonical text is in UTC with six digits. */
export function canonicalMicroTime(text: string): Canonical {
  if (text.length === MICROS_LENGTH && isPlainUtc(text))
    return { ok: true, text: text === '0001-01-01T00:00:00.000000Z' ? null : text };
  return new TimeParser(text, true).parse();
}

/** Characters of a time to the second, with `Z`, and with six digits of a fraction. */
const SECONDS_LENGTH = 'YYYY-MM-DDTHH:MM:SS'.length;
const PLAIN_LENGTH = SECONDS_LENGTH + 1;
const MICROS_LENGTH = SECONDS_LENGTH + '.000000Z'.length;

/**
 * Reports whether a text is `YYYY-MM-DDTHH:MM:SSZ` of an existing day, perhaps with a fraction after a point, as nearly all times are. They need
 * no parser.
 */
function isPlainUtc(s: string): boolean {
  const last = s.length - 1;
  if (s.charCodeAt(last) !== 0x5a || s.charCodeAt(10) !== 0x54) return false;
  if (last !== SECONDS_LENGTH && !(last > PLAIN_LENGTH && s.charCodeAt(SECONDS_LENGTH) === 0x2e)) return false;
  for (let i = PLAIN_LENGTH; i < last; i++) if (!isDigit(s.charCodeAt(i))) return false;
  if (s.charCodeAt(4) !== 0x2d || s.charCodeAt(7) !== 0x2d || s.charCodeAt(13) !== 0x3a || s.charCodeAt(16) !== 0x3a)
    return false;
  const century = twoDigits(s, 0);
  const rest = twoDigits(s, 2);
  const month = twoDigits(s, 5);
  const day = twoDigits(s, 8);
  const hour = twoDigits(s, 11);
  const minute = twoDigits(s, 14);
  const second = twoDigits(s, 17);
  if (century < 0 || rest < 0 || month < 1 || month > 12 || day < 1) return false;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return false;
  return day <= daysIn(month, century * 100 + rest);
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

function twoDigits(s: string, at: number): number {
  const tens = s.charCodeAt(at) - 0x30;
  const ones = s.charCodeAt(at + 1) - 0x30;
  return tens < 0 || tens > 9 || !(ones >= 0 && ones <= 9) ? -1 : tens * 10 + ones;
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

function daysIn(month: number, year: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return leap ? 29 : MONTH_DAYS[month - 1]!;
}

/** Thrown and caught inside this file only. */
class TimeFailure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/**
 * Matches a text with the layout, element by element. The first element that does not match is reported with Go's
 * message.
 */
class TimeParser {
  readonly #text: string;
  readonly #layout: string;
  readonly #micro: boolean;
  #rest: string;

  constructor(text: string, micro: boolean) {
    this.#text = text;
    this.#micro = micro;
    this.#layout = micro ? RFC3339_MICRO : RFC3339;
    this.#rest = text;
  }

  parse(): Canonical {
    try {
      return { ok: true, text: this.#walk() };
    } catch (failure) {
      if (failure instanceof TimeFailure) return { ok: false, message: failure.message };
      throw failure;
    }
  }

  #walk(): string | null {
    const year = this.#year();
    this.#literal('-');
    const month = this.#number('01', true, 12, 'month');
    if (month === 0) this.#outOfRange('month');
    this.#literal('-');
    const day = this.#number('02', true, 99, 'day');
    this.#literal('T');
    const hour = this.#number('15', false, 23, 'hour');
    this.#literal(':');
    const minute = this.#number('04', true, 59, 'minute');
    this.#literal(':');
    const second = this.#number('05', true, 59, 'second');
    const micros = this.#fraction();
    const offsetSeconds = this.#offset();
    if (this.#rest !== '')
      throw new TimeFailure(`parsing time ${quoted(this.#text)}: extra text: ${quoted(this.#rest)}`);
    if (day < 1 || day > daysIn(month, year)) this.#outOfRange('day');
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day);
    date.setUTCHours(hour, minute, second - offsetSeconds);
    const utc = date
      .toISOString()
      .replace(/\.\d{3}Z$/, '')
      .replace(/^\+0*/, '');
    if (utc === '0001-01-01T00:00:00' && Number(micros) === 0) return null;
    return this.#micro ? `${utc}.${micros}Z` : `${utc}Z`;
  }

  #cannot(element: string, from: string): never {
    throw new TimeFailure(
      `parsing time ${quoted(this.#text)} as ${quoted(this.#layout)}: cannot parse ${quoted(from)} as ${quoted(element)}`,
    );
  }

  #outOfRange(what: string): never {
    throw new TimeFailure(`parsing time ${quoted(this.#text)}: ${what} out of range`);
  }

  #literal(c: string): void {
    if (!this.#rest.startsWith(c)) this.#cannot(c, this.#rest);
    this.#rest = this.#rest.slice(1);
  }

  #year(): number {
    const digits = /^\d{4}/.exec(this.#rest);
    if (digits === null) this.#cannot('2006', this.#rest);
    this.#rest = this.#rest.slice(4);
    return Number(digits[0]);
  }

  #number(element: string, twoDigitsOnly: boolean, max: number, what: string): number {
    const digits = (twoDigitsOnly ? /^\d\d/ : /^\d\d?/).exec(this.#rest);
    if (digits === null) this.#cannot(element, this.#rest);
    this.#rest = this.#rest.slice(digits[0].length);
    const n = Number(digits[0]);
    if (n > max) this.#outOfRange(what);
    return n;
  }

  /** Formats microseconds as six digits. */
  #fraction(): string {
    if (this.#micro) {
      const digits = /^[.,](\d{6})/.exec(this.#rest);
      if (digits === null) this.#cannot('.000000', this.#rest);
      this.#rest = this.#rest.slice(7);
      return digits[1]!;
    }
    const digits = /^[.,](\d+)/.exec(this.#rest);
    if (digits === null) return '000000';
    this.#rest = this.#rest.slice(digits[0].length);
    return digits[1]!.slice(0, 6).padEnd(6, '0');
  }

  #offset(): number {
    const rest = this.#rest;
    if (rest.startsWith('Z')) {
      this.#rest = rest.slice(1);
      return 0;
    }
    const offset = /^([+-])(\d\d):(\d\d)/.exec(rest);
    if (offset === null) this.#cannot('Z07:00', rest);
    this.#rest = rest.slice(6);
    const hours = Number(offset[2]);
    const minutes = Number(offset[3]);
    // Go accepts offsets of 24 hours and 60 minutes.
    if (hours > 24) this.#outOfRange('time zone offset hour');
    if (minutes > 60) this.#outOfRange('time zone offset minute');
    const seconds = hours * 3600 + minutes * 60;
    return offset[1] === '-' ? -seconds : seconds;
  }
}

/** Returns the seconds since the epoch and the nanoseconds of a canonical time, for protobuf. */
export function timeParts(text: string): { readonly seconds: number; readonly nanos: number } {
  const seconds = plainSeconds(text) ?? Math.floor(Date.parse(`${text.slice(0, SECONDS_LENGTH)}Z`) / 1000);
  const dot = text.indexOf('.');
  return { seconds, nanos: dot < 0 ? 0 : Number(text.slice(dot + 1, dot + 7)) * 1000 };
}

/** Returns the seconds since the epoch of a time of the usual form; undefined for others. */
function plainSeconds(s: string): number | undefined {
  if (!isPlainUtc(s)) return undefined;
  const year = twoDigits(s, 0) * 100 + twoDigits(s, 2);
  // `Date.UTC` takes these for years of the twentieth century.
  if (year < 100) return undefined;
  const month = twoDigits(s, 5) - 1;
  return Date.UTC(year, month, twoDigits(s, 8), twoDigits(s, 11), twoDigits(s, 14), twoDigits(s, 17)) / 1000;
}

/**
 * Returns the canonical text of protobuf's seconds and nanoseconds, or undefined if the year is out of range. As in
 * kube-apiserver, a time drops its fraction, and microseconds may exceed a second or be negative.
 */
export function timeOfParts(seconds: number, nanos: number, micro: boolean): string | undefined {
  const micros = micro ? Math.trunc(nanos / 1000) : 0;
  const carried = Math.floor(micros / 1_000_000);
  const date = new Date((seconds + carried) * 1000);
  if (Number.isNaN(date.getTime())) return undefined;
  const utc = date.toISOString().slice(0, -5);
  return micro ? `${utc}.${String(micros - carried * 1_000_000).padStart(6, '0')}Z` : `${utc}Z`;
}

/** A quoted text as the errors of Go's package time have it: bytes that are not printable ASCII are in hexadecimal. */
function quoted(text: string): string {
  let out = '';
  for (const byte of Buffer.from(text)) {
    if (byte < 0x20 || byte > 0x7f) out += `\\x${byte.toString(16).padStart(2, '0')}`;
    else out += byte === 0x22 || byte === 0x5c ? `\\${String.fromCharCode(byte)}` : String.fromCharCode(byte);
  }
  return `"${out}"`;
}
