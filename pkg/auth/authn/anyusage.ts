import { X509Certificate } from 'node:crypto';
import type { PeerCertificate } from 'node:tls';
import { type DerValue, derValues } from '../../api/index.js';

/**
 * The verification of client certificates for any usage (anyExtendedKeyUsage). OpenSSL does not accept them for clients, Go does. For such a
 * certificate TLS reports an invalid purpose, which hides problems that were found before. So it is verified here, and only if a configured
 * authority issued it directly.
 */

export const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
export const ANY_USAGE = '2.5.29.37.0';

/** Reports whether the certificate is for any usage, and one of the authorities issued it. `now`: milliseconds since the epoch. */
export function isIssuedForAnyUsage(
  { raw, ext_key_usage: usages }: PeerCertificate,
  authorities: Iterable<X509Certificate>,
  now: number,
): boolean {
  if (usages?.includes(ANY_USAGE) !== true || !isUnderstood(raw) || !isSoundlySigned(raw)) return false;
  const leaf = new X509Certificate(raw);
  if (!isValidAt(leaf, now)) return false;
  for (const authority of authorities) if (isIssuedBy(leaf, authority, now)) return true;
  return false;
}

/**
 * `checkIssued` compares the names and key identifiers and checks the key usage of the authority, `verify` checks the signature. An authority
 * with other constraints (on names) issued nothing here: they are critical, and this does not check them.
 */
function isIssuedBy(leaf: X509Certificate, authority: X509Certificate, now: number): boolean {
  // Node declares the usages as always present; they are undefined if the certificate does not restrict them.
  const usages = authority.keyUsage as readonly string[] | undefined;
  if (usages !== undefined && !usages.includes(CLIENT_AUTH) && !usages.includes(ANY_USAGE)) return false;
  if (!authority.ca || !isUnderstood(authority.raw)) return false;
  return isValidAt(authority, now) && leaf.checkIssued(authority) && leaf.verify(authority.publicKey);
}

const isValidAt = ({ validFrom, validTo }: X509Certificate, now: number): boolean =>
  Date.parse(validFrom) <= now && now < Date.parse(validTo);

const BOOLEAN = 0x01;
const OBJECT_IDENTIFIER = 0x06;
const SEQUENCE = 0x30;
const EXTENSIONS = 0xa3;

/** The extensions that may be critical: key usage, alternative names, basic constraints and extended key usage; in hexadecimal digits. */
const CRITICAL = ['551d0f', '551d11', '551d13', '551d25'];
/** Signatures with MD5 or SHA-1, which no longer prove anything. */
const BROKEN_SIGNATURES = ['2a864886f70d010104', '2a864886f70d010105', '2a8648ce3d0401', '2a8648ce380403'];

/** A certificate has up to ten parts, and fewer extensions than this. */
const VALUES_MAX = 100;

/** The parts of a certificate: its content and the algorithm of its signature (RFC 5280, section 4.1). */
function partsOf(der: Buffer): readonly DerValue[] {
  const [certificate] = derValues(der, 1) ?? [];
  return inside(certificate, SEQUENCE);
}

function isSoundlySigned(der: Buffer): boolean {
  const [, algorithm] = partsOf(der);
  const [signature] = inside(algorithm, SEQUENCE);
  return signature?.tag === OBJECT_IDENTIFIER && !BROKEN_SIGNATURES.includes(signature.content.toString('hex'));
}

/** Reports whether all critical extensions are known (RFC 5280, section 4.2). */
function isUnderstood(der: Buffer): boolean {
  const [info] = partsOf(der);
  const parts = inside(info, SEQUENCE);
  if (parts.length === 0) return false;
  const [extensions] = inside(
    parts.find(({ tag }) => tag === EXTENSIONS),
    EXTENSIONS,
  );
  return inside(extensions, SEQUENCE).every((extension) => {
    const [identifier, critical] = inside(extension, SEQUENCE);
    const isCritical = critical?.tag === BOOLEAN && critical.content[0] !== 0;
    return identifier !== undefined && (!isCritical || CRITICAL.includes(identifier.content.toString('hex')));
  });
}

/** The values in a value with this tag; none if it has another one, or is malformed. */
const inside = (value: DerValue | undefined, tag: number): readonly DerValue[] =>
  value?.tag === tag ? (derValues(value.content, VALUES_MAX) ?? []) : [];
