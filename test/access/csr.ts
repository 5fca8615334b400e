import { webcrypto } from 'node:crypto';

/** A PEM certificate request in base64, as in `spec.request`. */
export async function certificateRequest(commonName: string, organization?: string): Promise<string> {
  // The library requires that the other one is loaded first.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
  const keys = await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
  const name = [{ CN: [commonName] }, ...(organization === undefined ? [] : [{ O: [organization] }])];
  const csr = await x509.Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm });
  return Buffer.from(csr.toString('pem')).toString('base64');
}
