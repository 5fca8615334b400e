import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';
import { expect, it, onTestFinished } from 'vitest';
import type { SigningConfig } from '../config/index.js';
import { certificateExpiry, certificateSigner } from './certificatesigner.js';
import { issueAuthority } from './issue.js';
import { systemWorld } from './world.js';

const HOUR = 3_600_000;
const SIGNING: SigningConfig = { duration: HOUR, authority: undefined, authorities: new Map() };
const LEGACY = 'kubernetes.io/legacy-unknown';

async function requestFor(name: string): Promise<string> {
  const keys = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name,
    keys,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'a.example' }])],
  });
  return request.toString('pem');
}

it('signs a certificate as requested, with the usages of its object', async () => {
  const now = systemWorld.clock.now();
  const ca = await issueAuthority('ca', now, 1);
  const signer = certificateSigner({ world: systemWorld, config: SIGNING, own: () => ca });
  const request = await requestFor('O=system:nodes, CN=system:node:a');
  expect(await signer.read(request)).toEqual({
    commonName: 'system:node:a',
    organizations: ['system:nodes'],
    dnsNames: 1,
    addresses: 0,
    emails: 0,
    uris: 0,
  });
  const pem = await signer.sign(LEGACY, request, { usages: ['digital signature', 'server auth'], duration: HOUR });
  const certificate = new X509Certificate(pem);
  expect(certificate.verify(new X509Certificate(ca.cert).publicKey)).toBe(true);
  expect(certificate.subject).toBe('O=system:nodes\nCN=system:node:a');
  expect(certificate.subjectAltName).toBe('DNS:a.example');
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(certificate.ca).toBe(false);
  const end = certificateExpiry(pem)!;
  expect(end).toBeGreaterThanOrEqual(now + HOUR - 1000);
  expect(end).toBeLessThanOrEqual(systemWorld.clock.now() + HOUR);
});

it('signs only with the authority of a flag, and refuses a forged request', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signer-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const ca = await issueAuthority('other', systemWorld.clock.now(), 1);
  const files = { certFile: join(folder, 'ca.crt'), keyFile: join(folder, 'ca.key') };
  writeFileSync(files.certFile, ca.cert);
  writeFileSync(files.keyFile, ca.key);
  const config: SigningConfig = { ...SIGNING, authorities: new Map([['legacy-unknown', files]]) };
  const own = () => {
    throw new Error('the authority of the server is not used');
  };
  const signer = certificateSigner({ world: systemWorld, config, own });
  const terms = { usages: ['client auth'], duration: HOUR };
  const request = await requestFor('CN=a');
  expect(new X509Certificate(await signer.sign(LEGACY, request, terms)).issuer).toBe('CN=other');
  await expect(signer.sign('kubernetes.io/kubelet-serving', request, terms)).rejects.toThrow('no authority');
  const lines = request.trim().split('\n');
  const body = Buffer.from(lines.slice(1, -1).join(''), 'base64');
  body[body.length - 3]! ^= 1;
  const forged = [lines[0], body.toString('base64'), lines.at(-1)].join('\n');
  await expect(signer.sign(LEGACY, forged, terms)).rejects.toThrow('signature');
});
