import { constants, type KeyObject, verify } from 'node:crypto';
import { certificateRequest, publicKeyOf, signatureProblemOf } from '../../../api/index.js';

/** Public keys of pods, and the proof that a requester has the private key. */

export interface StubRequest {
  /** Undefined if the algorithm of the key is unknown. */
  readonly key: KeyObject | undefined;
  /** Whether the request is signed with the key. */
  readonly isSigned: boolean;
}

/** A certificate request (RFC 2986) in DER, or undefined if the bytes are something else. */
export function stubRequestOf(der: Buffer): StubRequest | undefined {
  const parts = certificateRequest(der);
  if (parts === undefined) return undefined;
  const key = publicKeyOf(parts.publicKey);
  return { key, isSigned: signatureProblemOf(parts) === undefined };
}

/** Whether `proof` is a signature of `message` with the private key: ECDSA and RSASSA-PSS over SHA-256, or Ed25519. */
export function provesPossession(key: KeyObject, message: string, proof: Buffer): boolean {
  const bytes = Buffer.from(message);
  try {
    if (key.asymmetricKeyType === 'ed25519') return verify(null, bytes, key, proof);
    if (key.asymmetricKeyType !== 'rsa') return verify('sha256', bytes, key, proof);
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    return verify('sha256', bytes, { key, padding, saltLength: constants.RSA_PSS_SALTLEN_AUTO }, proof);
  } catch {
    return false;
  }
}

const CURVES: Readonly<Record<string, string>> = {
  secp224r1: 'P-224',
  prime256v1: 'P-256',
  secp384r1: 'P-384',
  secp521r1: 'P-521',
};
const CURVES_ALLOWED = ['P-256', 'P-384', 'P-521'];
const MODULUS_BITS_ALLOWED = [3072, 4096];

/** A property of a key that pods' certificates may not have, and its value as errors print it. */
export interface KeyProblem {
  readonly kind: 'curve' | 'modulus' | 'type';
  readonly value: string;
}

export function keyProblem(key: KeyObject | undefined): KeyProblem | undefined {
  const { namedCurve = '', modulusLength = 0 } = key?.asymmetricKeyDetails ?? {};
  switch (key?.asymmetricKeyType) {
    case 'ed25519':
      return undefined;
    case 'ec': {
      const curve = CURVES[namedCurve] ?? namedCurve;
      return CURVES_ALLOWED.includes(curve) ? undefined : { kind: 'curve', value: `curve ${curve}` };
    }
    case 'rsa':
      if (MODULUS_BITS_ALLOWED.includes(modulusLength)) return undefined;
      return { kind: 'modulus', value: `${modulusLength}-bit modulus` };
    default:
      return { kind: 'type', value: '' };
  }
}

export function isSameKey(a: KeyObject, b: KeyObject): boolean {
  const bytes = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });
  return bytes(a).equals(bytes(b));
}
