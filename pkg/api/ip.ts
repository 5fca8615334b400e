/**
 * Strict parsing of addresses and networks, as kube-apiserver accepts them in new objects. `net.isIP` is not enough: it
 * gives neither a reason nor the canonical form that allocation keys use.
 */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

export interface Cidr {
  readonly address: IpAddress;
  readonly prefixLength: number;
}

/** The maximum length: four octets with as many digits as `parseIpv4` reads. IPv6 addresses are shorter. */
const ADDRESS_CHARACTERS_MAX = 4 * 16 + 3;

/** Accepts leading zeros in IPv4 octets (read as decimal), as old objects may have them; undefined if the text is not an address. */
export function parseIp(text: string): IpAddress | undefined {
  if (text.length > ADDRESS_CHARACTERS_MAX) return undefined;
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): IpAddress | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  let value = 0n;
  for (const part of parts) {
    if (!/^[0-9]{1,16}$/.test(part)) return undefined;
    const n = Number(part);
    if (n > 255) return undefined;
    value = value * 256n + BigInt(n);
  }
  return { family: 4, value };
}

function parseIpv6(text: string): IpAddress | undefined {
  if (text.length > 64) return undefined;
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = groups(halves[0]!, halves.length === 1);
  const tail = halves.length === 2 ? groups(halves[1]!, true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const given = head.length + tail.length;
  if (halves.length === 1 ? given !== 8 : given > 7) return undefined;
  const all = [...head, ...new Array<number>(8 - given).fill(0), ...tail];
  return { family: 6, value: all.reduce((v, g) => v * 65536n + BigInt(g), 0n) };
}

/** 16-bit groups of one side of `::`; `last` allows an IPv4 tail. */
function groups(text: string, last: boolean): number[] | undefined {
  if (text === '') return [];
  const out: number[] = [];
  const parts = text.split(':');
  for (const [i, part] of parts.entries()) {
    if (last && i === parts.length - 1 && part.includes('.')) {
      const v4 = parseIpv4(part);
      if (v4 === undefined) return undefined;
      out.push(Number(v4.value >> 16n), Number(v4.value & 0xffffn));
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) out.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return out;
}

const MAPPED = 0xffff00000000n;
export const isIpv4Mapped = (ip: IpAddress): boolean => ip.family === 6 && ip.value >> 32n === MAPPED >> 32n;

/** The IPv4 address that an IPv4-mapped IPv6 address has in it; any other address itself. */
export const unmappedIp = (ip: IpAddress): IpAddress =>
  isIpv4Mapped(ip) ? { family: 4, value: ip.value & 0xffffffffn } : ip;

/** RFC 5952 for IPv6, dotted quad for IPv4. */
export function formatIp(ip: IpAddress): string {
  if (ip.family === 4) return [24n, 16n, 8n, 0n].map((s) => String((ip.value >> s) & 255n)).join('.');
  if (isIpv4Mapped(ip)) return `::ffff:${formatIp(unmappedIp(ip))}`;
  const g: number[] = [];
  for (let shift = 112n; shift >= 0n; shift -= 16n) g.push(Number((ip.value >> shift) & 0xffffn));
  let best = 0;
  let at = -1;
  for (let i = 0; i < 8; ) {
    let j = i;
    while (j < 8 && g[j] === 0) j++;
    if (j - i > best && j - i > 1) [best, at] = [j - i, i];
    i = j === i ? i + 1 : j;
  }
  const hex = (from: number, to: number): string =>
    g
      .slice(from, to)
      .map((x) => x.toString(16))
      .join(':');
  return at < 0 ? hex(0, 8) : `${hex(0, at)}::${hex(at + best, 8)}`;
}

const NOT_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const NOT_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
const NOT_INTERFACE = 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)';
const leadingZeros = (text: string): boolean => /(^|[.:])0[0-9]+(\.|$)/.test(text) && text.includes('.');

/** Strict: no leading zeros, no IPv4-mapped IPv6. */
export function isIp(text: string): readonly string[] {
  const ip = parseIp(text);
  if (ip === undefined) return [NOT_IP];
  if (leadingZeros(text)) return ['must not have leading 0s'];
  return isIpv4Mapped(ip) ? ['must not be an IPv4-mapped IPv6 address'] : [];
}

/** Strict and in canonical form. */
export function isCanonicalIp(text: string): readonly string[] {
  const found = isIp(text);
  if (found.length > 0) return found;
  const canonical = formatIp(parseIp(text)!);
  return canonical === text ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
}

/** Any form that `parseIp` reads, as old objects may have it. */
export function isIpSloppy(text: string): readonly string[] {
  return parseIp(text) === undefined ? [NOT_IP] : [];
}

const CIDR_CHARACTERS_MAX = ADDRESS_CHARACTERS_MAX + 1 + 16;

export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  if (slash < 0 || text.length > CIDR_CHARACTERS_MAX) return undefined;
  const address = parseIp(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (address === undefined || !/^[0-9]{1,16}$/.test(length)) return undefined;
  const prefixLength = Number(length);
  return prefixLength <= (address.family === 4 ? 32 : 128) ? { address, prefixLength } : undefined;
}

export function maskIp(ip: IpAddress, prefixLength: number): IpAddress {
  const host = BigInt((ip.family === 4 ? 32 : 128) - prefixLength);
  return { family: ip.family, value: (ip.value >> host) << host };
}

export const formatCidr = (c: Cidr): string => `${formatIp(c.address)}/${c.prefixLength}`;

export function cidrContains(c: Cidr, ip: IpAddress): boolean {
  return c.address.family === ip.family && maskIp(ip, c.prefixLength).value === maskIp(c.address, c.prefixLength).value;
}

/** Strict: no leading zeros, not IPv4-mapped, no bits beyond the prefix. */
export function isCidr(text: string): readonly string[] {
  const cidr = parseCidr(text);
  if (cidr === undefined) return [NOT_CIDR];
  const [address, length] = text.split('/') as [string, string];
  if (leadingZeros(address) || /^0[0-9]/.test(length)) return ['must not have leading 0s in IP or prefix length'];
  if (isIpv4Mapped(cidr.address)) return ['must not have an IPv4-mapped IPv6 address'];
  return maskIp(cidr.address, cidr.prefixLength).value === cidr.address.value
    ? []
    : ['must not have bits set beyond the prefix length'];
}

export function isCanonicalCidr(text: string): readonly string[] {
  const found = isCidr(text);
  if (found.length > 0) return found;
  const canonical = formatCidr(parseCidr(text)!);
  return canonical === text ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
}

export function isCidrSloppy(text: string): readonly string[] {
  return parseCidr(text) === undefined ? [NOT_CIDR] : [];
}

/** An address with the length of its network's prefix: host bits are allowed. */
export function isInterfaceAddress(text: string): readonly string[] {
  const cidr = parseCidr(text);
  if (cidr === undefined) return [NOT_INTERFACE];
  const canonical = formatCidr(cidr);
  return canonical === text ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
}
