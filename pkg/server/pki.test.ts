import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { issueAuthority } from './issue.js';
import { authorityWarning, isPair, issueAdmin, keepKubeconfig, keepPki, serverNames } from './pki.js';

const NOW = Date.parse('2026-05-01T00:00:00Z');
const DAY = 86_400_000;
const names = serverNames(['127.0.0.1'], '10.96.0.1');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trireme-pki-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the keys of a first start', () => {
  it('have one authority and the required names', async () => {
    const pki = await keepPki(folder, names, NOW);
    const ca = new X509Certificate(pki.ca.cert);
    const serving = new X509Certificate(pki.serving.cert);
    const admin = new X509Certificate(pki.admin.cert);
    expect(ca.ca).toBe(true);
    expect(serving.verify(ca.publicKey)).toBe(true);
    expect(admin.verify(ca.publicKey)).toBe(true);
    for (const name of ['localhost', 'kubernetes', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'])
      expect(serving.checkHost(name)).toBe(name);
    for (const address of ['127.0.0.1', '::1', '10.96.0.1']) expect(serving.checkIP(address)).toBe(address);
    expect(admin.subject).toBe('O=system:masters\nCN=kubernetes-admin');
    expect(serving.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(admin.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    for (const file of ['ca.key', 'apiserver.key', 'admin.key'])
      expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  });

  it('do not change on later starts', async () => {
    const first = await keepPki(folder, names, NOW);
    expect(await keepPki(folder, names, NOW + 30 * DAY)).toEqual(first);
  });

  it('are renewed by the same authority before they expire', async () => {
    const first = await keepPki(folder, names, NOW);
    const later = await keepPki(folder, names, NOW + 340 * DAY);
    expect(later.ca).toEqual(first.ca);
    expect(later.serving).not.toEqual(first.serving);
    expect(later.admin).not.toEqual(first.admin);
    expect(Date.parse(new X509Certificate(later.serving.cert).validTo)).toBeGreaterThan(NOW + 700 * DAY);
  });

  it('are renewed when a name of the server changes', async () => {
    const first = await keepPki(folder, names, NOW);
    const moved = await keepPki(folder, serverNames(['192.0.2.7'], '10.96.0.1'), NOW);
    expect(moved.admin).toEqual(first.admin);
    expect(new X509Certificate(moved.serving.cert).checkIP('192.0.2.7')).toBe('192.0.2.7');
  });

  it('expire with their authority, with a warning a month before', async () => {
    const { ca } = await keepPki(folder, names, NOW);
    const ends = Date.parse(new X509Certificate(ca.cert).validTo);
    expect(authorityWarning(ca, ends - 31 * DAY)).toBeUndefined();
    const said = (word: string) =>
      `the authority CN=kubernetes-ca ${word} at ${new Date(ends).toISOString()}: clients and peers that trust it need a new one`;
    expect(authorityWarning(ca, ends - 29 * DAY)).toBe(said('ends'));
    expect(authorityWarning(ca, ends + DAY)).toBe(said('ended'));
  });

  it('do not replace an authority that lacks its key', async () => {
    await keepPki(folder, names, NOW);
    rmSync(join(folder, 'ca.key'));
    await expect(keepPki(folder, names, NOW)).rejects.toThrow(/ca\.key is missing/);
  });

  it('do not replace an authority that cannot be parsed or has the wrong key', async () => {
    const { ca } = await keepPki(folder, names, NOW);
    const refused = /ca\.key is not the key of the certificate .*ca\.crt: restore it/;
    writeFileSync(join(folder, 'ca.crt'), 'x');
    await expect(keepPki(folder, names, NOW)).rejects.toThrow(refused);
    const other = await issueAuthority('kubernetes-ca', NOW, 10);
    writeFileSync(join(folder, 'ca.crt'), other.cert);
    await expect(keepPki(folder, names, NOW)).rejects.toThrow(refused);
    expect(readFileSync(join(folder, 'ca.key'), 'utf8')).toBe(ca.key);
  });

  it('are created again if a renewal was interrupted between the key and its certificate', async () => {
    const { ca, serving, admin } = await keepPki(folder, names, NOW);
    writeFileSync(join(folder, 'apiserver.key'), admin.key);
    const again = await keepPki(folder, names, NOW);
    expect([again.ca, again.admin]).toEqual([ca, admin]);
    expect(again.serving.cert).not.toBe(serving.cert);
    expect(isPair(again.serving)).toBe(true);
  });

  it('are signed by an authority whose key has another encoding', async () => {
    const { ca } = await keepPki(folder, names, NOW);
    const sec1 = createPrivateKey(ca.key).export({ type: 'sec1', format: 'pem' }) as string;
    writeFileSync(join(folder, 'ca.key'), sec1);
    const moved = await keepPki(folder, serverNames(['192.0.2.7'], '10.96.0.1'), NOW);
    expect(new X509Certificate(moved.serving.cert).verify(new X509Certificate(ca.cert).publicKey)).toBe(true);
    const { privateKey } = generateKeyPairSync('ed25519');
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    await expect(issueAdmin({ cert: ca.cert, key }, NOW)).rejects.toThrow(
      'is ed25519; this server signs with ECDSA P-256 only',
    );
  });
});

describe('the kubeconfig', () => {
  it('is readable by its owner only and embeds its certificates', async () => {
    const pki = await keepPki(join(folder, 'pki'), names, NOW);
    const file = join(folder, 'admin.kubeconfig');
    keepKubeconfig(file, 'https://127.0.0.1:6443', pki);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('server: https://127.0.0.1:6443');
    expect(text).toContain(Buffer.from(pki.admin.key).toString('base64'));
    chmodSync(file, 0o400);
    keepKubeconfig(file, 'https://127.0.0.1:6443', pki);
    expect(statSync(file).mode & 0o777).toBe(0o400);
  });
});
