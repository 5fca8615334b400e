import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../config/index.js';
import { givenAuthorities, givenPair } from './given.js';
import { makePki, type Pki, serverNames } from './pki.js';

let folder = '';
let pki: Pki;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trireme-given-'));
  pki = await makePki(serverNames([], '10.96.0.1'), Date.now());
  const { serving, admin } = pki;
  const files = { 'a.crt': serving.cert, 'a.key': serving.key, 'b.key': admin.key, garbage: 'x' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pair = (cert: string, key: string) =>
  givenPair(
    { flag: 'tls-cert-file', path: join(folder, cert) },
    { flag: 'tls-private-key-file', path: join(folder, key) },
  );

describe('files named by flags', () => {
  it('are read', () => {
    expect(pair('a.crt', 'a.key')).toEqual(pki.serving);
    expect(givenAuthorities({ flag: 'client-ca-file', path: join(folder, 'a.crt') })).toBe(pki.serving.cert);
  });

  it.each([
    ['none', 'a.key', /^--tls-cert-file: open .*none: no such file or directory$/],
    ['a.crt', 'none', /^--tls-private-key-file: open .*none: no such file or directory$/],
    ['garbage', 'a.key', /^--tls-cert-file: .*garbage has no PEM certificate$/],
    ['a.crt', 'garbage', /^--tls-private-key-file: .*garbage is not the key of the certificate .*a\.crt/],
    ['a.crt', 'b.key', /^--tls-private-key-file: .*b\.key is not the key of the certificate .*a\.crt/],
    ['.', 'a.key', /^--tls-cert-file: read .*: is a directory$/],
  ])('are rejected with the name of the flag: %s and %s', (cert, key, message) => {
    expect(() => pair(cert, key)).toThrow(ConfigError);
    expect(() => pair(cert, key)).toThrow(message);
  });
});
