import { createHash, createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';

/** A key that signs or verifies service-account tokens. */
export interface TokenKey {
  /** The key id: SHA-256 of the public key in DER (SubjectPublicKeyInfo), in unpadded base64url. */
  readonly id: string;
  /** The only algorithm for which the key is used (RFC 7518): a token with another one is refused. */
  readonly algorithm: 'RS256' | 'ES256' | 'ES384' | 'ES512';
  readonly publicKey: KeyObject;
}

export interface SigningKey extends TokenKey {
  readonly privateKey: KeyObject;
}

/** The error for a PEM file without a usable key. */
export class TokenKeyError extends Error {
  override readonly name = 'TokenKeyError';
}

const CURVES: Readonly<Record<string, TokenKey['algorithm']>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

/** The first private key of a PEM text: RSA, or ECDSA on P-256, P-384 or P-521. */
export function signingKey(pem: string): SigningKey {
  const block = pemBlocks(pem).find(({ label }) => label.endsWith('PRIVATE KEY'));
  const privateKey = block === undefined ? undefined : parsed(() => createPrivateKey(block.text));
  if (privateKey === undefined) throw new TokenKeyError('data does not contain a valid RSA or ECDSA private key');
  return { ...tokenKey(createPublicKey(privateKey)), privateKey };
}

/** Returns all keys of a PEM text: public keys, certificates, and the public halves of private keys. */
export function verificationKeys(pem: string): readonly TokenKey[] {
  const found = pemBlocks(pem).flatMap(({ label, text }) => {
    let key: KeyObject | undefined;
    if (label === 'CERTIFICATE') key = parsed(() => new X509Certificate(text).publicKey);
    else if (label.endsWith('PUBLIC KEY') || label.endsWith('PRIVATE KEY')) key = parsed(() => createPublicKey(text));
    return key === undefined ? [] : [tokenKey(key)];
  });
  if (found.length === 0) throw new TokenKeyError('data does not contain any valid RSA or ECDSA public keys');
  return found;
}

function tokenKey(publicKey: KeyObject): TokenKey {
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return { id: createHash('sha256').update(der).digest('base64url'), algorithm: algorithmOf(publicKey), publicKey };
}

function algorithmOf(key: KeyObject): TokenKey['algorithm'] {
  if (key.asymmetricKeyType === 'rsa') return 'RS256';
  const curve = key.asymmetricKeyType === 'ec' ? CURVES[key.asymmetricKeyDetails?.namedCurve ?? ''] : undefined;
  if (curve === undefined)
    throw new TokenKeyError('only RSA keys and ECDSA keys on P-256, P-384 and P-521 are supported');
  return curve;
}

/** Undefined for what is no key of any kind. */
function parsed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

interface PemBlock {
  readonly label: string;
  readonly text: string;
}

const BEGIN = '-----BEGIN ';
const DASHES = '-----';

function pemBlocks(pem: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  for (let at = pem.indexOf(BEGIN); at >= 0; at = pem.indexOf(BEGIN, at + 1)) {
    const label = pem.slice(at + BEGIN.length, pem.indexOf(DASHES, at + BEGIN.length));
    const closing = `-----END ${label}-----`;
    const end = pem.indexOf(closing, at);
    if (end < 0) break;
    blocks.push({ label, text: pem.slice(at, end + closing.length) });
  }
  return blocks;
}

/** Returns the public keys as a JSON Web Key Set (RFC 7517), as `/openid/v1/jwks` serves them. */
export function keySet(keys: readonly TokenKey[]): { readonly keys: readonly Readonly<Record<string, string>>[] } {
  return {
    keys: keys.map(({ id, algorithm, publicKey }) => {
      const { kty, ...parameters } = publicKey.export({ format: 'jwk' }) as Record<string, string>;
      return { use: 'sig', kty: kty!, kid: id, alg: algorithm, ...parameters };
    }),
  };
}
