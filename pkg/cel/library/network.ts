import {
  type Cidr,
  cidrContains,
  formatCidr,
  formatIp,
  type IpAddress,
  isIpv4Mapped,
  maskIp,
  parseCidr,
  parseIp,
} from '../../api/index.js';
import { declare, type Library } from '../environment.js';
import { fail, NO_OVERLOAD, noOverload, Opaque, type Value } from '../values.js';
import { typeConstants } from './standard.js';

const IP = 'net.IP';
const CIDR = 'net.CIDR';

export class IpValue extends Opaque {
  readonly ip: IpAddress;

  constructor(ip: IpAddress) {
    super();
    this.ip = ip;
  }

  get typeName(): string {
    return IP;
  }

  override get size(): number {
    return this.ip.family === 4 ? 4 : 16;
  }

  equals(other: Value): boolean {
    return other instanceof IpValue && other.ip.family === this.ip.family && other.ip.value === this.ip.value;
  }
}

export class CidrValue extends Opaque {
  readonly cidr: Cidr;

  constructor(cidr: Cidr) {
    super();
    this.cidr = cidr;
  }

  get typeName(): string {
    return CIDR;
  }

  /** The bytes of the prefix. */
  override get size(): number {
    return Math.ceil(this.cidr.prefixLength / 8);
  }

  equals(other: Value): boolean {
    if (!(other instanceof CidrValue)) return false;
    return formatCidr(other.cidr) === formatCidr(this.cidr);
  }
}

const LENGTH_MAX = 256;
const hasLeadingZero = (number: string): boolean => number.length > 1 && number.startsWith('0');

/** Reports whether an octet has a leading zero. */
function hasPaddedOctet(address: string): boolean {
  const octets = address.slice(address.lastIndexOf(':') + 1).split('.');
  return octets.length > 1 && octets.some(hasLeadingZero);
}

const quoted = (s: string) => JSON.stringify(s);

/** Returns the address, or the error message if the text is not an address. */
function readIp(text: string): IpAddress | string {
  const percent = text.indexOf('%');
  if (percent > 0 && parseIp(text.slice(0, percent))?.family === 6)
    return `IP address ${quoted(text)} with zone value is not allowed`;
  const ip = text.length > LENGTH_MAX || hasPaddedOctet(text) ? undefined : parseIp(text);
  if (ip === undefined)
    return `IP Address ${quoted(text)} parse error during conversion from string: ParseAddr(${quoted(text)}): ${whyNoIp(text)}`;
  return isIpv4Mapped(ip) ? `IPv4-mapped IPv6 address ${quoted(text)} is not allowed` : ip;
}

function whyNoIp(text: string): string {
  const mark = /[.:%]/.exec(text)?.[0];
  if (mark === undefined) return 'unable to parse IP';
  if (mark === '%') return 'missing IPv6 address';
  return mark === ':' ? whyNoIpv6(text) : whyNoIpv4(text);
}

function whyNoIpv4(text: string): string {
  const fields = text.split('.');
  for (const [i, field] of fields.entries()) {
    if (field === '')
      return `IPv4 field must have at least one digit (at ${quoted(fields.slice(i).join('.') || text)})`;
    const bad = /[^0-9]/.exec(field);
    if (bad !== null) return `unexpected character (at ${quoted(text.slice(text.indexOf(field) + bad.index))})`;
    if (field.length > 1 && field.startsWith('0')) return 'IPv4 field has octet with leading zero';
    if (Number(field) > 255) return 'IPv4 field has value >255';
    if (i > 3) return 'IPv4 address too long';
  }
  return fields.length < 4 ? 'IPv4 address too short' : 'unable to parse IP';
}

function whyNoIpv6(text: string): string {
  const at = (sentence: string, rest: string) => `${sentence} (at ${quoted(rest)})`;
  let rest = text;
  let groups = 0;
  let hasGap = rest.startsWith('::');
  if (hasGap) rest = rest.slice(2);
  while (groups < 8) {
    const digits = /^[0-9A-Fa-f]*/.exec(rest)![0].length;
    if (digits > 4) return at('each group must have 4 or less digits', rest);
    if (digits === 0) return at('each colon-separated field must have at least one digit', rest);
    if (rest[digits] === '.') {
      if (!hasGap && groups !== 6)
        return at('embedded IPv4 address must replace the final 2 fields of the address', rest);
      if (groups > 6) return at('too many hex fields to fit an embedded IPv4 at the end of the address', rest);
      return whyNoIpv4(rest);
    }
    groups++;
    rest = rest.slice(digits);
    if (rest === '') break;
    if (rest[0] !== ':') return at('unexpected character, want colon', rest);
    if (rest.length === 1) return at('colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (rest[0] !== ':') continue;
    if (hasGap) return at('multiple :: in address', rest);
    hasGap = true;
    rest = rest.slice(1);
    if (rest === '') break;
  }
  if (rest !== '') return at('trailing garbage after address', rest);
  return hasGap ? 'the :: must expand to at least one field of zeros' : 'address string too short';
}

function readCidr(text: string): Cidr | string {
  const prefix = 'network address parse error during conversion from string: ';
  const slash = text.lastIndexOf('/');
  const isPadded = hasPaddedOctet(text.slice(0, slash)) || hasLeadingZero(text.slice(slash + 1));
  const cidr = text.length > LENGTH_MAX || isPadded ? undefined : parseCidr(text);
  // Two functions of kube-apiserver add the prefix to this error.
  if (cidr === undefined) return `${prefix}${prefix}netip.ParsePrefix(${quoted(text)}): ${whyNoCidr(text)}`;
  return isIpv4Mapped(cidr.address) ? `${prefix}IPv4-mapped IPv6 address ${quoted(text)} is not allowed` : cidr;
}

function whyNoCidr(text: string): string {
  const slash = text.lastIndexOf('/');
  if (slash < 0) return "no '/'";
  const ip = readIp(text.slice(0, slash));
  if (typeof ip === 'string') return ip.slice(ip.indexOf('ParseAddr'));
  const bits = text.slice(slash + 1);
  if (!/^[0-9]+$/.test(bits) || (bits.length > 1 && bits.startsWith('0')))
    return `bad bits after slash: ${quoted(bits)}`;
  return 'prefix length out of range';
}

const onIp =
  (name: string, call: (ip: IpAddress) => Value) =>
  (v: Value): Value =>
    v instanceof IpValue ? call(v.ip) : noOverload(name, v);
const onText =
  (name: string, call: (s: string) => Value) =>
  (v: Value): Value =>
    typeof v === 'string' ? call(v) : noOverload(name, v);

const octet = (ip: IpAddress, shift: bigint) => (ip.value >> shift) & 0xffn;
const isLoopback = (ip: IpAddress) => (ip.family === 4 ? octet(ip, 24n) === 127n : ip.value === 1n);
const isLinkLocalUnicast = (ip: IpAddress) =>
  ip.family === 4 ? ip.value >> 16n === 0xa9fen : ip.value >> 118n === 0xfe80n >> 6n;
const isLinkLocalMulticast = (ip: IpAddress) =>
  ip.family === 4 ? ip.value >> 8n === 0xe00000n : ((ip.value >> 112n) & 0xff0fn) === 0xff02n;
const isMulticast = (ip: IpAddress) => (ip.family === 4 ? ip.value >> 28n === 0xen : ip.value >> 120n === 0xffn);
const isGlobalUnicast = (ip: IpAddress) =>
  ip.value !== 0n &&
  !(ip.family === 4 && ip.value === 0xffffffffn) &&
  !isLoopback(ip) &&
  !isMulticast(ip) &&
  !isLinkLocalUnicast(ip);

function containsIp(cidr: Value, other: Value): Value {
  if (!(cidr instanceof CidrValue)) return noOverload('containsIP', cidr, other);
  if (other instanceof IpValue) return cidrContains(cidr.cidr, other.ip);
  if (typeof other !== 'string') return noOverload('containsIP', cidr, other);
  const ip = readIp(other);
  return typeof ip === 'string' ? NO_OVERLOAD : cidrContains(cidr.cidr, ip);
}

function containsCidr(cidr: Value, other: Value): Value {
  if (!(cidr instanceof CidrValue)) return noOverload('containsCIDR', cidr, other);
  const inner = other instanceof CidrValue ? other.cidr : typeof other === 'string' ? readCidr(other) : undefined;
  if (inner === undefined) return noOverload('containsCIDR', cidr, other);
  if (typeof inner === 'string') return fail(inner);
  const masked = maskIp(inner.address, inner.prefixLength);
  return cidrContains(cidr.cidr, masked) && cidr.cidr.prefixLength <= inner.prefixLength;
}

function ip(v: Value): Value {
  if (v instanceof CidrValue) return new IpValue(v.cidr.address);
  if (typeof v !== 'string') return noOverload('ip', v);
  const found = readIp(v);
  return typeof found === 'string' ? fail(found) : new IpValue(found);
}

export const networkLibrary: Library = {
  constants: new Map([...typeConstants(IP)!, ...typeConstants(CIDR)!]),
  functions: [
    declare('ip', [`string_to_ip: (string): ${IP}`, `cidr_ip: ${CIDR}.(): ${IP}`], ip),
    declare(
      'isIP',
      ['is_ip: (string): bool'],
      onText('isIP', (s) => typeof readIp(s) !== 'string'),
    ),
    declare(
      'ip.isCanonical',
      ['ip_is_canonical: (string): bool'],
      onText('ip.isCanonical', (s) => {
        const found = readIp(s);
        return typeof found === 'string' ? fail(found) : formatIp(found) === s;
      }),
    ),
    declare(
      'family',
      [`ip_family: ${IP}.(): int`],
      onIp('family', (a) => BigInt(a.family)),
    ),
    declare(
      'isUnspecified',
      [`ip_is_unspecified: ${IP}.(): bool`],
      onIp('isUnspecified', (a) => a.value === 0n),
    ),
    declare('isLoopback', [`ip_is_loopback: ${IP}.(): bool`], onIp('isLoopback', isLoopback)),
    declare(
      'isLinkLocalMulticast',
      [`ip_is_link_local_multicast: ${IP}.(): bool`],
      onIp('isLinkLocalMulticast', isLinkLocalMulticast),
    ),
    declare(
      'isLinkLocalUnicast',
      [`ip_is_link_local_unicast: ${IP}.(): bool`],
      onIp('isLinkLocalUnicast', isLinkLocalUnicast),
    ),
    declare('isGlobalUnicast', [`ip_is_global_unicast: ${IP}.(): bool`], onIp('isGlobalUnicast', isGlobalUnicast)),
    declare(
      'cidr',
      [`string_to_cidr: (string): ${CIDR}`],
      onText('cidr', (s) => {
        const found = readCidr(s);
        return typeof found === 'string' ? fail(found) : new CidrValue(found);
      }),
    ),
    declare(
      'isCIDR',
      ['is_cidr: (string): bool'],
      onText('isCIDR', (s) => typeof readCidr(s) !== 'string'),
    ),
    declare(
      'containsIP',
      [`cidr_contains_ip_string: ${CIDR}.(string): bool`, `cidr_contains_ip_ip: ${CIDR}.(${IP}): bool`],
      containsIp,
    ),
    declare(
      'containsCIDR',
      [`cidr_contains_cidr_string: ${CIDR}.(string): bool`, `cidr_contains_cidr: ${CIDR}.(${CIDR}): bool`],
      containsCidr,
    ),
    declare('prefixLength', [`cidr_prefix_length: ${CIDR}.(): int`], (v) =>
      v instanceof CidrValue ? BigInt(v.cidr.prefixLength) : noOverload('prefixLength', v),
    ),
    declare('masked', [`cidr_masked: ${CIDR}.(): ${CIDR}`], (v) =>
      v instanceof CidrValue
        ? new CidrValue({ ...v.cidr, address: maskIp(v.cidr.address, v.cidr.prefixLength) })
        : noOverload('masked', v),
    ),
    declare('string', [`ip_to_string: (${IP}): string`, `cidr_to_string: (${CIDR}): string`], (v) => {
      if (v instanceof IpValue) return formatIp(v.ip);
      return v instanceof CidrValue ? formatCidr(v.cidr) : noOverload('string', v);
    }),
  ],
};
