import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepFrontProxy, trustOf } from './frontproxy.js';

const NOW = Date.parse('2026-05-01T00:00:00Z');
const YEAR = 365 * 86_400_000;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trireme-pki-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

it('is a client certificate of an authority of its own, with the name that is published', async () => {
  const made = await keepFrontProxy(folder, NOW);
  const client = new X509Certificate(made.client.cert);
  expect(client.verify(new X509Certificate(made.ca.cert).publicKey)).toBe(true);
  expect(client.subject).toBe('CN=front-proxy-client');
  expect(client.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  expect(trustOf(made)).toMatchObject({ clientCa: made.ca.cert, allowedNames: ['front-proxy-client'] });
  for (const file of ['front-proxy-ca.key', 'front-proxy-client.key'])
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
});

it('stays the same on later starts, until the certificate ends', async () => {
  const made = await keepFrontProxy(folder, NOW);
  expect(await keepFrontProxy(folder, NOW + YEAR)).toEqual(made);
  const later = await keepFrontProxy(folder, NOW + 10 * YEAR);
  expect(later.ca).toEqual(made.ca);
  expect(later.client).not.toEqual(made.client);
});
