import {
  type Cidr,
  formatCidr,
  formatIp,
  isCidr,
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

/** Warns about a range that an older release accepted, or that is not in canonical form. Invalid ranges are rejected elsewhere. */
export function cidrWarning(text: string, path: string, warn: Warn): void {
  const cidr = parseCidr(text);
  if (cidr === undefined) return;
  const { address, prefixLength } = cidr;
  const canonical = formatCidr({ address: maskIp(address, prefixLength), prefixLength });
  const isStrict = (problem: string): boolean => !isCidr(text).some((found) => found.startsWith(problem));
  const standard = isStrict('must not have leading 0s') && isStrict('must not have an IPv4-mapped');
  const network = standard ? canonical : plainNetwork(cidr);
  const given = JSON.stringify(text);
  const ambiguous = maskIp(address, prefixLength).value !== address.value;
  if (ambiguous) {
    const single = `${formatIp(unmappedIp(address))}/${address.family === 4 ? 32 : 128}`;
    warn(
      `${path}: CIDR value ${given} is ambiguous in this context (should be ${JSON.stringify(network)} or ${JSON.stringify(single)}?)`,
    );
  }
  if (!standard) warn(`${path}: non-standard CIDR value ${given} is invalid: use ${JSON.stringify(network)}`);
  else if (!ambiguous && address.family === 6 && canonical !== text)
    warn(`${path}: IPv6 CIDR value ${given} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`);
}

/** The network of a range whose address may be an IPv4 address mapped into IPv6, as the IPv4 range that it is. */
function plainNetwork({ address, prefixLength }: Cidr): string {
  const masked = maskIp(address, prefixLength);
  const plain = unmappedIp(masked);
  const length = plain.family === address.family ? prefixLength : Math.max(0, prefixLength - 96);
  return formatCidr({ address: plain, prefixLength: length });
}
