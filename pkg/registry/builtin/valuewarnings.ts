import {
  formatCidr,
  formatIp,
  isIntegerQuantity,
  isIp,
  type JsonValue,
  maskIp,
  parseCidr,
  parseIp,
  parseQuantity,
  unmappedIp,
} from '../../api/index.js';

/** Warnings about single values. `path` is the field path as the warning shows it. */

type Warn = (text: string) => void;

/** Quantities of bytes must be whole. */
export function fractionalBytes(amount: JsonValue | undefined, path: string, warn: Warn): void {
  const text = amount === undefined || amount === null ? '' : String(amount);
  const q = text === '' ? undefined : parseQuantity(text);
  if (q !== undefined && !isIntegerQuantity(q))
    warn(`${path}: fractional byte value "${text}" is invalid, must be an integer`);
}

/** Warns about an address that is not in canonical form. Invalid addresses are rejected elsewhere. */
export function ipWarning(text: string, path: string, warn: Warn): void {
  const ip = parseIp(text);
  if (ip === undefined) return;
  if (isIp(text).length > 0) {
    warn(
      `${path}: non-standard IP address ${JSON.stringify(text)} is invalid: use ${JSON.stringify(formatIp(unmappedIp(ip)))}`,
    );
    return;
  }
  if (ip.family === 4) return;
  const canonical = formatIp(ip);
  if (canonical !== text)
    warn(
      `${path}: IPv6 address ${JSON.stringify(text)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`,
    );
}

export function cidrWarning(text: string, path: string, warn: Warn): void {
  const cidr = parseCidr(text);
  if (cidr === undefined || cidr.address.family === 4) return;
  const canonical = formatCidr({ address: maskIp(cidr.address, cidr.prefixLength), prefixLength: cidr.prefixLength });
  if (canonical !== text)
    warn(
      `${path}: IPv6 CIDR value ${JSON.stringify(text)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`,
    );
}
