import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { PeerTls } from '../common/config.js';
import { memberUri } from '../common/memberuri.js';

x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A peer CA for one test. Its certificates are valid for these addresses. */
export async function testPeerCa(
  addresses: readonly string[] = ['127.0.0.1'],
): Promise<{ issue(name: string): Promise<PeerTls> }> {
  const keys = await generate();
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=test peer CA',
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  return {
    issue: async (name) => {
      const own = await generate();
      const cert = await x509.X509CertificateGenerator.create({
        subject: `CN=${name}`,
        issuer: ca.subject,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: ALGORITHM,
        extensions: [
          new x509.SubjectAlternativeNameExtension([
            { type: 'dns', value: 'localhost' },
            { type: 'url', value: memberUri(name) },
            ...addresses.map((value) => ({ type: 'ip' as const, value })),
          ]),
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
        ],
      });
      const key = await webcrypto.subtle.exportKey('pkcs8', own.privateKey);
      return { ca: ca.toString('pem'), cert: cert.toString('pem'), key: x509.PemConverter.encode(key, 'PRIVATE KEY') };
    },
  };
}

async function generate() {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}
