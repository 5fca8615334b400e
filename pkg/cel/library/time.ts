import { Duration, fail, Timestamp, type Value } from '../values.js';
import { plainDouble } from './numbers.js';

/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z. */
const SECONDS_MIN = -62_135_596_800;
const SECONDS_MAX = 253_402_300_799;

export function timestampInRange(seconds: number): boolean {
  return seconds >= SECONDS_MIN && seconds <= SECONDS_MAX;
}

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,40}))?(Z|[+-]\d\d:\d\d)$/;

/** Parses RFC 3339 in upper case; undefined if the text is not such a time. */
export function parseTimestamp(text: string): Timestamp | undefined {
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
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const offset = m[8] === 'Z' ? 0 : offsetOf(m[8]!);
  if (offset === undefined) return undefined;
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset;
  return new Timestamp(seconds, Number((m[7] ?? '').padEnd(9, '0').slice(0, 9)), offset);
}

function offsetOf(text: string): number | undefined {
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(4, 6))];
  if (hours > 24 || minutes > 60) return undefined;
  return (text[0] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

const two = (n: number) => String(n).padStart(2, '0');

export function formatTimestamp(t: Timestamp): string {
  const date = new Date((t.seconds + t.offset) * 1000);
  const fraction = t.nanos === 0 ? '' : `.${String(t.nanos).padStart(9, '0').replace(/0+$/, '')}`;
  const day = `${String(date.getUTCFullYear()).padStart(4, '0')}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  const abs = Math.abs(t.offset);
  const zone =
    t.offset === 0
      ? 'Z'
      : `${t.offset < 0 ? '-' : '+'}${two(Math.trunc(abs / 3600))}:${two(Math.trunc((abs % 3600) / 60))}`;
  return `${day}T${time}${fraction}${zone}`;
}

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  '\u00b5s': 1_000n,
  '\u03bcs': 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const PART = /([0-9]*)(?:\.([0-9]*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;
const LENGTH_MAX = 1000;

/** Parses a duration in Go's form: `1h30m`, `-1.5s`. */
export function parseDuration(text: string): Duration | undefined {
  if (text.length > LENGTH_MAX) return undefined;
  const negative = text.startsWith('-');
  const body = negative || text.startsWith('+') ? text.slice(1) : text;
  if (body === '0') return new Duration(0n);
  if (body === '') return undefined;
  let nanos = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < body.length) {
    const m = PART.exec(body);
    if (m === null || (m[1] === '' && (m[2] ?? '') === '')) return undefined;
    const unit = UNITS[m[3]!]!;
    nanos += BigInt(m[1] === '' ? '0' : m[1]!) * unit;
    const fraction = m[2] ?? '';
    if (fraction !== '') nanos += (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
  }
  const v = negative ? -nanos : nanos;
  return BigInt.asIntN(64, v) === v ? new Duration(v) : undefined;
}

/** Seconds with a fraction: `3661.5s`. */
export function formatDuration(d: Duration): string {
  const seconds = Number(d.nanos / 1_000_000_000n) + Number(d.nanos % 1_000_000_000n) / 1e9;
  return `${plainDouble(seconds)}s`;
}

/** The date whose UTC parts are the local parts at `zone`. */
function local(t: Timestamp, zone: string | undefined): Date | string {
  if (zone === undefined || zone === '' || zone === 'UTC' || zone === 'Local') return new Date(t.seconds * 1000);
  const colon = zone.indexOf(':');
  if (colon >= 0) {
    const offset = fixedOffset(zone, colon);
    return typeof offset === 'string' ? offset : new Date((t.seconds + offset) * 1000);
  }
  if (/^[/\\]|(^|[/\\])\.\.($|[/\\])/.test(zone)) return 'time: invalid location name';
  const format = zoneFormat(zone);
  if (format === undefined) return `unknown time zone ${zone}`;
  const parts = new Map(format.formatToParts(new Date(t.seconds * 1000)).map((p) => [p.type, Number(p.value)]));
  const date = new Date(0);
  date.setUTCFullYear(parts.get('year')!, parts.get('month')! - 1, parts.get('day')!);
  date.setUTCHours(parts.get('hour')! % 24, parts.get('minute')!, parts.get('second')!);
  return date;
}

/** `+05:30`, `-08:00`, `02:00`; hours and minutes are not bounded. */
function fixedOffset(zone: string, colon: number): number | string {
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)];
  for (const part of [hours, minutes]) {
    if (!/^[+-]?[0-9]{1,9}$/.test(part)) return `strconv.Atoi: parsing ${JSON.stringify(part)}: invalid syntax`;
  }
  const sign = hours.startsWith('-') ? -1 : 1;
  return Number(hours) * 3600 + sign * Number(minutes) * 60;
}

const FORMATS_MAX = 256;
const formats = new Map<string, Intl.DateTimeFormat | undefined>();

function zoneFormat(zone: string): Intl.DateTimeFormat | undefined {
  if (formats.has(zone)) return formats.get(zone);
  let format: Intl.DateTimeFormat | undefined;
  try {
    // Intl accepts offsets, and names in any case, but expressions do not.
    if (/^[A-Z]/.test(zone)) format = new Intl.DateTimeFormat('en-US-u-ca-iso8601-nu-latn', zoneOptions(zone));
    const known = format?.resolvedOptions().timeZone ?? zone;
    if (known !== zone && known.toLowerCase() === zone.toLowerCase()) format = undefined;
  } catch {
    format = undefined;
  }
  if (formats.size >= FORMATS_MAX) formats.clear();
  formats.set(zone, format);
  return format;
}

const zoneOptions = (timeZone: string): Intl.DateTimeFormatOptions => ({
  timeZone,
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
  hour12: false,
});

const getter =
  (read: (d: Date, t: Timestamp) => number) =>
  (t: Timestamp, zone: string | undefined): Value => {
    const date = local(t, zone);
    return typeof date === 'string' ? fail(date) : BigInt(read(date, t));
  };

/** Parts of a timestamp in a zone; UTC without a zone. */
export const TIME_GETTERS: Readonly<Record<string, (t: Timestamp, zone: string | undefined) => Value>> = {
  getFullYear: getter((d) => d.getUTCFullYear()),
  getMonth: getter((d) => d.getUTCMonth()),
  getDate: getter((d) => d.getUTCDate()),
  getDayOfMonth: getter((d) => d.getUTCDate() - 1),
  getDayOfWeek: getter((d) => d.getUTCDay()),
  getDayOfYear: getter((d) => {
    const start = new Date(0);
    start.setUTCFullYear(d.getUTCFullYear(), 0, 1);
    return Math.floor((d.getTime() - start.getTime()) / 86_400_000);
  }),
  getHours: getter((d) => d.getUTCHours()),
  getMinutes: getter((d) => d.getUTCMinutes()),
  getSeconds: getter((d) => d.getUTCSeconds()),
  getMilliseconds: getter((_d, t) => Math.floor(t.nanos / 1_000_000)),
};
