import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { certificateRequestIn } from './certificaterequest.js';
import { signatureProblemOf } from './requestsignature.js';

const der = (tag: number, ...content: readonly Buffer[]): Buffer => {
  const inner = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, 0x82, inner.length >> 8, inner.length & 0xff]), inner]);
};
const identifier = (hex: string): Buffer => der(0x30, der(0x06, Buffer.from(hex, 'hex')));

const ECDSA_SHA1 = '2a8648ce3d0401';
const ECDSA_SHA256 = '2a8648ce3d040302';
const RSA_MD5 = '2a864886f70d010104';
const RSA_SHA256 = '2a864886f70d01010b';
const ED25519 = '2b6570';

interface Pair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}
const ec = (namedCurve: string): Pair => generateKeyPairSync('ec', { namedCurve });
const rsa = (modulusLength: number): Pair => generateKeyPairSync('rsa', { modulusLength });
const [p256, rsa2048, ed25519] = [ec('P-256'), rsa(2048), generateKeyPairSync('ed25519')];

/** Returns the problem with a request of this key, signed with `hash` by the same key or `signer`. */
function problem(key: Pair, algorithm: string, hash: string | null, signer = key): string | undefined {
  const publicKey = key.publicKey.export({ type: 'spki', format: 'der' });
  const info = der(0x30, der(0x02, Buffer.from([0])), der(0x30), publicKey, der(0xa0));
  const signature = sign(hash, info, createPrivateKey(signer.privateKey.export({ type: 'pkcs8', format: 'pem' })));
  const body = der(0x30, info, identifier(algorithm), der(0x03, Buffer.from([0]), signature)).toString('base64');
  const read = certificateRequestIn(
    `-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----\n`,
  );
  return typeof read === 'string' ? read : signatureProblemOf(read);
}

const UNIMPLEMENTED = 'x509: cannot verify signature: algorithm unimplemented';

describe('the signature of a certificate request', () => {
  it.each<[string, Pair, string, string | null, Pair?]>([
    ['ECDSA over SHA-256', p256, ECDSA_SHA256, 'sha256'],
    ['ECDSA over SHA-1', p256, ECDSA_SHA1, 'sha1'],
    ['ECDSA with P-224', ec('P-224'), ECDSA_SHA256, 'sha256'],
    ['RSA', rsa2048, RSA_SHA256, 'sha256'],
    ['Ed25519', ed25519, ED25519, null],
  ])('proves possession of the key: %s', (_, key, algorithm, hash) => {
    expect(problem(key, algorithm, hash)).toBeUndefined();
  });

  it.each<[string, string, Pair, string, string | null, Pair?]>([
    ['of another key', 'x509: ECDSA verification failure', p256, ECDSA_SHA256, 'sha256', ec('P-256')],
    ['of another RSA key', 'crypto/rsa: verification error', rsa2048, RSA_SHA256, 'sha256', rsa(2048)],
    [
      ...['of another Ed25519 key', 'x509: Ed25519 verification failure'],
      ...[ed25519, ED25519, null, generateKeyPairSync('ed25519')],
    ] as [string, string, Pair, string, null, Pair],
    ['over MD5', 'x509: cannot verify signature: insecure algorithm MD5-RSA', rsa2048, RSA_MD5, 'md5'],
    ['over another hash', UNIMPLEMENTED, p256, '2a8648ce3d040301', 'sha224'],
    ['of another type of key', UNIMPLEMENTED, generateKeyPairSync('ed448'), '2b6571', null],
    ['of an unknown curve', 'x509: unsupported elliptic curve', ec('secp256k1'), ECDSA_SHA256, 'sha256'],
    [
      'for another type of key',
      'x509: signature algorithm specifies an RSA public key, but have public key of type *ecdsa.PublicKey',
      ...[p256, RSA_SHA256, 'sha256'],
    ] as [string, string, Pair, string, string],
    [
      'of a short RSA key',
      'crypto/rsa: 768-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)',
      ...[rsa(768), RSA_SHA256, 'sha256'],
    ] as [string, string, Pair, string, string],
  ])('does not count %s', (_, expected, key, algorithm, hash, signer) => {
    expect(problem(key, algorithm, hash, signer)).toBe(expected);
  });
});
