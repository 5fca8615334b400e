import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { CertificateRequestParts } from './certificaterequest.js';
import { derValues } from './der.js';

/** The proof in a certificate request (RFC 2986) that the requester has the private key. */

interface Algorithm {
  readonly key: 'RSA' | 'ECDSA' | 'Ed25519';
  readonly hash: string | null;
}

const RSA = (hash: string): Algorithm => ({ key: 'RSA', hash });
const ECDSA = (hash: string): Algorithm => ({ key: 'ECDSA', hash });

/** Signature algorithms by object identifier. Requests may be signed over SHA-1, as in kube-apiserver. */
const ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  '2b6570': { key: 'Ed25519', hash: null },
  '2a8648ce3d0401': ECDSA('sha1'),
  '2a8648ce3d040302': ECDSA('sha256'),
  '2a8648ce3d040303': ECDSA('sha384'),
  '2a8648ce3d040304': ECDSA('sha512'),
  '2a864886f70d010105': RSA('sha1'),
  '2a864886f70d01010b': RSA('sha256'),
  '2a864886f70d01010c': RSA('sha384'),
  '2a864886f70d01010d': RSA('sha512'),
};
const MD5_RSA = '2a864886f70d010104';
const PSS = '2a864886f70d01010a';
/** The hashes in the parameters of RSASSA-PSS (RFC 4055), by object identifier in DER, and the length of their salt. */
const PSS_HASHES: readonly (readonly [identifier: string, hash: string, salt: string])[] = [
  ['0609608648016503040201', 'sha256', 'a203020120'],
  ['0609608648016503040202', 'sha384', 'a203020130'],
  ['0609608648016503040203', 'sha512', 'a203020140'],
];

/** Keys by their type in Node: the name of the algorithm, and the type in kube-apiserver's errors. */
const KEYS: Readonly<Record<string, readonly [algorithm: string, type: string]>> = {
  rsa: ['RSA', '*rsa.PublicKey'],
  ec: ['ECDSA', '*ecdsa.PublicKey'],
  ed25519: ['Ed25519', 'ed25519.PublicKey'],
};
const MODULUS_BITS_MIN = 1024;
const UNIMPLEMENTED = 'x509: cannot verify signature: algorithm unimplemented';

/** The key of a SubjectPublicKeyInfo in DER, or undefined if it is malformed or of an unknown algorithm. */
export function publicKeyOf(der: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

const OBJECT_IDENTIFIER = 0x06;
const ECDSA_KEY = '2a8648ce3d0201';
const CURVES: ReadonlySet<string> = new Set(['2b81040021', '2a8648ce3d030107', '2b81040022', '2b81040023']);

/** Returns why kube-apiserver does not read the key of a request, with its text. */
export function keyProblemOf({ publicKey }: CertificateRequestParts): string | undefined {
  const [info] = derValues(publicKey, 1) ?? [];
  const [algorithm] = info === undefined ? [] : (derValues(info.content, 2) ?? []);
  const [identifier, curve] = algorithm === undefined ? [] : (derValues(algorithm.content, 2) ?? []);
  if (identifier?.content.toString('hex') !== ECDSA_KEY) return undefined;
  if (curve?.tag !== OBJECT_IDENTIFIER) return 'x509: invalid ECDSA parameters';
  return CURVES.has(curve.content.toString('hex')) ? undefined : 'x509: unsupported elliptic curve';
}

/** Returns why the signature of a request does not prove possession of the key, with kube-apiserver's text. */
export function signatureProblemOf(parts: CertificateRequestParts): string | undefined {
  const key = publicKeyOf(parts.publicKey);
  const algorithm = algorithmOf(parts);
  if (parts.algorithm === MD5_RSA) return 'x509: cannot verify signature: insecure algorithm MD5-RSA';
  const [keyAlgorithm, keyType] = KEYS[key?.asymmetricKeyType ?? ''] ?? [];
  if (key === undefined || algorithm === undefined || keyAlgorithm === undefined) return UNIMPLEMENTED;
  if (algorithm.key !== keyAlgorithm)
    return `x509: signature algorithm specifies an ${algorithm.key} public key, but have public key of type ${keyType}`;
  const bits = key.asymmetricKeyDetails?.modulusLength ?? MODULUS_BITS_MIN;
  if (bits < MODULUS_BITS_MIN)
    return `crypto/rsa: ${bits}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)`;
  if (isSigned(key, algorithm, parts)) return undefined;
  return keyAlgorithm === 'RSA' ? 'crypto/rsa: verification error' : `x509: ${keyAlgorithm} verification failure`;
}

function algorithmOf({ algorithm, parameters }: CertificateRequestParts): Algorithm | undefined {
  if (algorithm !== PSS) return ALGORITHMS[algorithm];
  const hex = parameters.toString('hex');
  const hash = PSS_HASHES.find(([identifier, , salt]) => hex.includes(identifier) && hex.includes(salt))?.[1];
  return hash === undefined ? undefined : RSA(hash);
}

function isSigned(key: KeyObject, { hash }: Algorithm, parts: CertificateRequestParts): boolean {
  const { signed, algorithm, signature } = parts;
  try {
    if (algorithm !== PSS) return verify(hash, signed, key, signature);
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    return verify(hash, signed, { key, padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }, signature);
  } catch {
    return false;
  }
}
