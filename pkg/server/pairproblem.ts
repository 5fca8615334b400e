import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { pemBlocks } from '../api/index.js';
import type { KeyPair } from './issue.js';

/** What is wrong with a certificate and its key, with the message of Go's crypto/tls; undefined if they belong together. */
export function pairProblem({ cert, key }: KeyPair): string | undefined {
  const certificates = [...pemBlocks(cert)];
  const leaf = certificates.find(({ type }) => type === 'CERTIFICATE');
  if (leaf === undefined) return missingCertificate(certificates.map(({ type }) => type));
  const keys = [...pemBlocks(key)];
  const first = keys.findIndex(({ type }) => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY'));
  if (first < 0) return missingKey(keys.map(({ type }) => type));
  const certificate = parsed(() => new X509Certificate(leaf.text));
  if (certificate === undefined) return 'x509: malformed certificate';
  const privateKey = parsed(() => createPrivateKey(keys[first]!.text));
  if (privateKey === undefined) return 'tls: failed to parse private key';
  if (certificate.checkPrivateKey(privateKey)) return undefined;
  return kindOf(certificate.publicKey) === kindOf(privateKey)
    ? 'tls: private key does not match public key'
    : 'tls: private key type does not match public key type';
}

function missingCertificate(skipped: readonly string[]): string {
  if (skipped.length === 0) return 'tls: failed to find any PEM data in certificate input';
  if (skipped.length === 1 && skipped[0]!.endsWith('PRIVATE KEY'))
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${skipped.join(' ')}]`;
}

function missingKey(skipped: readonly string[]): string {
  if (skipped.length === 0) return 'tls: failed to find any PEM data in key input';
  if (skipped.length === 1 && skipped[0] === 'CERTIFICATE')
    return 'tls: found a certificate rather than a key in the PEM for the private key';
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${skipped.join(' ')}]`;
}

const kindOf = ({ asymmetricKeyType }: KeyObject): string | undefined => asymmetricKeyType;

function parsed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
