import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../config/index.js';
import { givenAuthorities, givenPair, refuseOverlap } from './given.js';
import { makePki, type Pki, serverNames } from './pki.js';

let folder = '';
let pki: Pki;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trireme-given-'));
  pki = await makePki(serverNames([], '10.96.0.1'), Date.now());
  const { serving, admin } = pki;
  const block = (type: string): string => `-----BEGIN ${type}-----\nZm9v\n-----END ${type}-----\n`;
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  const files = {
    'a.crt': serving.cert,
    'a.key': serving.key,
    'b.key': admin.key,
    garbage: 'x',
    foo: block('FOO'),
    two: serving.key + block('FOO'),
    broken: block('PRIVATE KEY'),
    malformed: block('CERTIFICATE'),
    rsa: String(rsa),
  };
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
    ['none', 'a.key', /^open .*none: no such file or directory$/],
    ['a.crt', 'none', /^open .*none: no such file or directory$/],
    ['.', 'a.key', /^read .*: is a directory$/],
    ['garbage', 'a.key', /^tls: failed to find any PEM data in certificate input$/],
    [
      'a.key',
      'a.crt',
      /^tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM/,
    ],
    [
      'two',
      'a.key',
      /^tls: failed to find "CERTIFICATE" PEM block in .* of the following types: \[EC PRIVATE KEY FOO\]$/,
    ],
    ['a.crt', 'garbage', /^tls: failed to find any PEM data in key input$/],
    ['a.crt', 'a.crt', /^tls: found a certificate rather than a key in the PEM for the private key$/],
    ['a.crt', 'foo', /^tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input .*: \[FOO\]$/],
    ['a.crt', 'b.key', /^tls: private key does not match public key$/],
    ['a.crt', 'rsa', /^tls: private key type does not match public key type$/],
    ['a.crt', 'broken', /^tls: failed to parse private key$/],
    ['malformed', 'a.key', /^x509: malformed certificate$/],
  ])('are rejected with the message of kube-apiserver: %s and %s', (cert, key, message) => {
    expect(() => pair(cert, key)).toThrow(ConfigError);
    expect(() => pair(cert, key)).toThrow(message);
  });

  it('of authorities without a certificate are rejected with the message of kube-apiserver', () => {
    const path = join(folder, 'garbage');
    expect(() => givenAuthorities({ flag: 'client-ca-file', path })).toThrow(
      `error loading CA bundle for "client-ca-bundle::${path}": data does not contain any valid RSA or ECDSA certificates`,
    );
  });

  it('of front proxies must not be those of clients without allowed names', () => {
    const [ca, other] = [pki.ca.cert, pki.serving.cert];
    const message = /^--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; /;
    expect(() => refuseOverlap(`${other}\n${ca}`, ca, [])).toThrow(message);
    expect(() => refuseOverlap(`${other}\n${ca}`, ca.replaceAll('\n', '\r\n'), [])).toThrow(message);
    expect(() => refuseOverlap(ca, ca, ['front-proxy'])).not.toThrow();
    expect(() => refuseOverlap(other, ca, [])).not.toThrow();
  });

  it('for further names are rejected as those', () => {
    const named = (cert: string) =>
      givenPair(
        { flag: 'tls-sni-cert-key', path: join(folder, cert) },
        { flag: 'tls-sni-cert-key', path: join(folder, 'a.key') },
      );
    expect(() => named('garbage')).toThrow(
      /^failed to load SNI cert and key: tls: failed to find any PEM data in certificate input$/,
    );
    for (const [cert, key] of [
      ['', 'a.key'],
      ['a.crt', ''],
    ] as const)
      expect(() =>
        givenPair({ flag: 'tls-sni-cert-key', path: cert }, { flag: 'tls-sni-cert-key', path: key }),
      ).toThrow(/^failed to load SNI cert and key: missing filename for serving cert$/);
  });

  it.each([
    ['none', 'a.key', /^--peer-cert-file: open .*none: no such file or directory$/],
    ['garbage', 'a.key', /^--peer-cert-file: .*garbage has no PEM certificate$/],
    ['a.crt', 'b.key', /^--peer-key-file: .*b\.key is not the key of the certificate .*a\.crt/],
  ])('between peers are rejected with the name of the flag: %s and %s', (cert, key, message) => {
    const peer = () =>
      givenPair(
        { flag: 'peer-cert-file', path: join(folder, cert) },
        { flag: 'peer-key-file', path: join(folder, key) },
      );
    expect(peer).toThrow(ConfigError);
    expect(peer).toThrow(message);
  });
});
