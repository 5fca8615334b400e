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

const DNS: x509.JsonGeneralNames = [{ type: 'dns', value: 'a.example' }];

async function requestFor(name: string, names = DNS): Promise<string> {
  const keys = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name,
    keys,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [new x509.SubjectAlternativeNameExtension(names)],
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

it('writes the subject and the alternative names in the order and with the parts of kube-controller-manager', async () => {
  const ca = await issueAuthority('ca', systemWorld.clock.now(), 1);
  const signer = certificateSigner({ world: systemWorld, config: SIGNING, own: () => ca });
  const sign = async (request: string): Promise<X509Certificate> =>
    new X509Certificate(await signer.sign(LEGACY, request, { usages: ['client auth'], duration: HOUR }));
  const request = await requestFor('CN=first, O=b, O=a, C=DE, L=here, DC=example, OU=unit, ST=there, CN=last*', [
    { type: 'url', value: 'spiffe://a/b' },
    { type: 'ip', value: '10.0.0.1' },
    { type: 'email', value: 'a@b.example' },
    { type: 'id', value: '1.2.3.4' },
    { type: 'dns', value: 'a' },
  ]);
  expect(await signer.read(request)).toMatchObject({ commonName: 'last*', organizations: ['b', 'a'] });
  const certificate = await sign(request);
  expect(certificate.subject).toBe('C=DE\nST=there\nL=here\nO=a + O=b\nOU=unit\nCN=last*');
  expect(certificate.subjectAltName).toBe('DNS:a, email:a@b.example, IP Address:10.0.0.1, URI:spiffe://a/b');
  // Organizations are a PrintableString, and the name with a star is no such.
  expect(certificate.raw.includes(Buffer.from([0x13, 1, 0x62]))).toBe(true);
  expect(certificate.raw.includes(Buffer.from([0x0c, 5, ...Buffer.from('last*')]))).toBe(true);
  const nameless = new x509.X509Certificate((await sign(await requestFor(''))).raw);
  expect(nameless.getExtension('2.5.29.17')?.critical).toBe(true);
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
