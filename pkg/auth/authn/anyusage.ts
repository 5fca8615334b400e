import { X509Certificate } from 'node:crypto';
import type { DetailedPeerCertificate, PeerCertificate } from 'node:tls';
import { type DerValue, derValues } from '../../api/index.js';

/**
 * The verification of client certificates for any usage (anyExtendedKeyUsage). OpenSSL does not accept them for clients, Go does. For such a
 * certificate TLS reports an invalid purpose, which hides problems that were found before. So it is verified here: a configured authority
 * issued it, directly or through intermediate authorities that the client sent. It follows RFC 5280, section 6.1, and refuses what it does
 * not check.
 */

export const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
export const ANY_USAGE = '2.5.29.37.0';

/** Intermediate authorities between a certificate and a configured authority. Each costs a check of a signature. */
const INTERMEDIATES_MAX = 3;

/**
 * Reports whether the certificate is for any usage, and one of the authorities issued it, perhaps through intermediate ones.
 * `now`: milliseconds since the epoch.
 */
export function isIssuedForAnyUsage(
  shown: PeerCertificate | DetailedPeerCertificate,
  authorities: Iterable<X509Certificate>,
  now: number,
): boolean {
  if (shown.ext_key_usage?.includes(ANY_USAGE) !== true) return false;
  const roots = [...authorities];
  let at: PeerCertificate | DetailedPeerCertificate = shown;
  for (let between = 0; ; between++) {
    if (!isSoundlySigned(at.raw) || !isUnderstood(at.raw)) return false;
    const certificate = new X509Certificate(at.raw);
    if (!isValidAt(certificate, now)) return false;
    if (roots.some((root) => isIssuedBy(certificate, root, between) && isValidAt(root, now))) return true;
    const next: DetailedPeerCertificate | undefined = 'issuerCertificate' in at ? at.issuerCertificate : undefined;
    if (next === undefined || between === INTERMEDIATES_MAX) return false;
    if (!isIssuedBy(certificate, new X509Certificate(next.raw), between)) return false;
    at = next;
  }
}

/**
 * `checkIssued` compares the names and key identifiers and checks the key usage of the authority, `verify` checks the signature. `between`: the
 * intermediate authorities between this one and the certificate of the client. An authority with constraints on names issued nothing here.
 */
function isIssuedBy(certificate: X509Certificate, authority: X509Certificate, between: number): boolean {
  // Node declares the usages as always present; they are undefined if the certificate does not restrict them.
  const usages = authority.keyUsage as readonly string[] | undefined;
  if (usages !== undefined && !usages.includes(CLIENT_AUTH) && !usages.includes(ANY_USAGE)) return false;
  if (!authority.ca || !isUnderstood(authority.raw) || between > pathLengthOf(authority.raw)) return false;
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

const isValidAt = ({ validFrom, validTo }: X509Certificate, now: number): boolean =>
  Date.parse(validFrom) <= now && now < Date.parse(validTo);

const BOOLEAN = 0x01;
const INTEGER = 0x02;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const SEQUENCE = 0x30;
const EXTENSIONS = 0xa3;

const BASIC_CONSTRAINTS = '551d13';
const NAME_CONSTRAINTS = '551d1e';
/** The extensions that may be critical: key usage, alternative names, basic constraints and extended key usage; in hexadecimal digits. */
const CRITICAL = ['551d0f', '551d11', BASIC_CONSTRAINTS, '551d25'];
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

/** Extensions and their values by identifier, in hexadecimal digits; undefined if the certificate is malformed. */
function extensionsOf(der: Buffer): readonly Extension[] | undefined {
  const [info] = partsOf(der);
  const parts = inside(info, SEQUENCE);
  if (parts.length === 0) return undefined;
  const [extensions] = inside(
    parts.find(({ tag }) => tag === EXTENSIONS),
    EXTENSIONS,
  );
  const found: Extension[] = [];
  for (const extension of inside(extensions, SEQUENCE)) {
    const [identifier, second, third] = inside(extension, SEQUENCE);
    if (identifier === undefined) return undefined;
    const isCritical = second?.tag === BOOLEAN && second.content[0] !== 0;
    found.push({
      identifier: identifier.content.toString('hex'),
      isCritical,
      value: second?.tag === BOOLEAN ? third : second,
    });
  }
  return found;
}

interface Extension {
  readonly identifier: string;
  readonly isCritical: boolean;
  readonly value: DerValue | undefined;
}

/** Reports whether all critical extensions are known (RFC 5280, section 4.2), and there are no constraints on names. */
function isUnderstood(der: Buffer): boolean {
  const extensions = extensionsOf(der);
  if (extensions === undefined) return false;
  return extensions.every(
    ({ identifier, isCritical }) => identifier !== NAME_CONSTRAINTS && (!isCritical || CRITICAL.includes(identifier)),
  );
}

/** The number of intermediate authorities that may follow an authority. Negative if it is malformed: then it may issue nothing. */
function pathLengthOf(der: Buffer): number {
  const { value } = extensionsOf(der)?.find(({ identifier }) => identifier === BASIC_CONSTRAINTS) ?? {};
  const [constraints] = inside(value, OCTET_STRING);
  const length = inside(constraints, SEQUENCE).find(({ tag }) => tag === INTEGER);
  if (length === undefined) return Number.POSITIVE_INFINITY;
  const { content } = length;
  return content.length >= 1 && content.length <= 6 ? content.readIntBE(0, content.length) : -1;
}

/** The values in a value with this tag; none if it has another one, or is malformed. */
const inside = (value: DerValue | undefined, tag: number): readonly DerValue[] =>
  value?.tag === tag ? (derValues(value.content, VALUES_MAX) ?? []) : [];
