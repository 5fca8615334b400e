import { isCidrSloppy, isDns1123Label, isDns1123Subdomain, isIpv4Mapped, parseIp } from '../../api/index.js';
import { isDuration, isEmail, isHostname, isUri } from './textforms.js';

/**
 * The string formats of custom resources; unknown formats are ignored. They are those of kube-apiserver (the formats of OpenAPI and some
 * older ones), and equally strict.
 */
export const textFormats: ReadonlyMap<string, (text: string) => boolean> = new Map<string, (text: string) => boolean>([
  ['date', isDate],
  ['date-time', isDateTime],
  ['datetime', isDateTime],
  ['duration', isDuration],
  ['ipv4', isIpv4],
  ['ipv6', (t) => t.includes(':') && parseIp(t) !== undefined],
  ['cidr', (t) => isCidrSloppy(t).length === 0],
  ['mac', isMac],
  ['hostname', isHostname],
  ['uri', isUri],
  ['email', isEmail],
  ['uuid', (t) => UUID.test(t)],
  ['uuid3', (t) => uuidVersion(t) === '3'],
  ['uuid4', (t) => uuidVersion(t) === '4' && hasVariant(t)],
  ['uuid5', (t) => uuidVersion(t) === '5' && hasVariant(t)],
  ['bsonobjectid', (t) => /^[0-9a-fA-F]{24}$/.test(t)],
  ['isbn', (t) => isIsbn10(t) || isIsbn13(t)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['byte', isBase64],
  ['password', () => true],
  ['hexcolor', (t) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(t)],
  ['rgbcolor', isRgb],
  ['creditcard', isCreditCard],
  ['ssn', (t) => /^\d{3}[- ]\d{2}[- ]\d{4}$/.test(t)],
  ['k8s-short-name', (t) => isDns1123Label(t).length === 0],
  ['k8s-long-name', (t) => isDns1123Subdomain(t).length === 0],
]);

/** Reports whether a format of texts is known. */
export function isTextFormat(format: string): boolean {
  return textFormats.has(format);
}

function isDate(text: string): boolean {
  const m = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  return m !== null && isDay(Number(m[1]), Number(m[2]), Number(m[3]));
}

function isDay(year: number, month: number, day: number): boolean {
  const days = [31, year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28];
  days.push(31, 30, 31, 30, 31, 31, 30, 31, 30, 31);
  return day >= 1 && day <= (days[month - 1] ?? 0);
}

const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

function isDateTime(text: string): boolean {
  const m = DATE_TIME.exec(text);
  return m !== null && isDate(m[1]!) && Number(m[2]) < 24 && Number(m[3]) < 60 && Number(m[4]) < 60;
}

/** An address of four numbers, which may begin with zeros, or one that is mapped to IPv6. */
function isIpv4(text: string): boolean {
  const ip = parseIp(text);
  return ip !== undefined && (ip.family === 4 || isIpv4Mapped(ip));
}

function isMac(text: string): boolean {
  return (
    /^([0-9a-fA-F]{2}:){19}[0-9a-fA-F]{2}$/.test(text) ||
    /^([0-9a-fA-F]{2}-){19}[0-9a-fA-F]{2}$/.test(text) ||
    /^([0-9a-fA-F]{2}:){5}([0-9a-fA-F]{2})(:[0-9a-fA-F]{2}:[0-9a-fA-F]{2})?$/.test(text) ||
    /^([0-9a-fA-F]{2}-){5}([0-9a-fA-F]{2})(-[0-9a-fA-F]{2}-[0-9a-fA-F]{2})?$/.test(text) ||
    /^([0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4})?$/.test(text)
  );
}

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const uuidVersion = (text: string): string | undefined => (UUID.test(text) ? text.replaceAll('-', '')[12] : undefined);
const hasVariant = (text: string): boolean => /[89ab]/i.test(text.replaceAll('-', '')[16] ?? '');

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 10; i++) sum += (10 - i) * (digits[i] === 'X' ? 10 : Number(digits[i]));
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 13; i++) sum += Number(digits[i]) * (i % 2 === 0 ? 1 : 3);
  return sum % 10 === 0;
}

function isBase64(text: string): boolean {
  return text !== '' && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function isRgb(text: string): boolean {
  const m = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text);
  return m?.slice(1).every((n) => Number(n) <= 255 && (n === '0' || !n.startsWith('0'))) ?? false;
}

/** 13 to 19 digits with a valid Luhn checksum. */
function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]/g, '');
  if (!/^\d{13,19}$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const n = Number(digits[digits.length - 1 - i]) * (i % 2 === 0 ? 1 : 2);
    sum += n > 9 ? n - 9 : n;
  }
  return sum % 10 === 0;
}
