import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configOf, parseCommandLine } from '../config/index.js';
import { GivenCertificates } from './givencertificates.js';
import { issueAuthority, issueLeaf, type KeyPair } from './issue.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trireme-certificates-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const now = Date.now();
const authority = issueAuthority('clients', now, 5);
const leaf = async (commonName: string): Promise<KeyPair> =>
  issueLeaf(await authority, { subject: { commonName }, use: 'server', days: 2 }, now);

const put = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const putPair = (name: string, { cert, key }: KeyPair): void => {
  put(`${name}.crt`, cert);
  put(`${name}.key`, key);
};

function open(...more: readonly string[]): GivenCertificates {
  const at = (name: string): string => join(folder, name);
  const line = parseCommandLine([
    `--data-dir=${folder}`,
    `--tls-cert-file=${at('main.crt')}`,
    `--tls-private-key-file=${at('main.key')}`,
    `--tls-sni-cert-key=${at('sni.crt')},${at('sni.key')}:a.example`,
    `--client-ca-file=${at('ca.crt')}`,
    `--requestheader-client-ca-file=${at('proxy.crt')}`,
    '--requestheader-username-headers=X-Remote-User',
    ...more,
  ]);
  if (line.kind !== 'run') throw new Error('not a run');
  return new GivenCertificates(configOf(line.values));
}

describe('the certificates of flags', () => {
  it('are renewed one by one: a file with an error keeps its last content', async () => {
    const { cert: ca } = await issueAuthority('a', now, 5);
    const { cert: proxy } = await issueAuthority('b', now, 5);
    const [main, sni] = [await leaf('main'), await leaf('sni')];
    putPair('main', main);
    putPair('sni', sni);
    put('ca.crt', ca);
    put('proxy.crt', proxy);
    const certificates = open();
    const first = { pair: main, clientCa: ca, proxyCa: proxy, named: [{ ...sni, names: ['a.example'] }] };
    expect(certificates.current).toEqual(first);
    const errors: string[] = [];
    const reload = (): boolean => certificates.reload(({ message }) => void errors.push(message));
    expect(reload()).toBe(false);

    put('ca.crt', 'nothing');
    put('sni.key', main.key);
    const next = await leaf('next');
    putPair('main', next);
    expect(reload()).toBe(true);
    expect(certificates.current).toEqual({ ...first, pair: next });
    expect(reload()).toBe(false);
    expect(errors).toEqual([
      `error loading CA bundle for "client-ca-bundle::${join(folder, 'ca.crt')}": data does not contain any valid RSA or ECDSA certificates`,
      'failed to load SNI cert and key: tls: private key does not match public key',
    ]);

    put('ca.crt', proxy);
    expect(reload()).toBe(true);
    expect(certificates.current.clientCa).toBe(proxy);
    put('ca.crt', 'nothing');
    reload();
    expect(errors).toHaveLength(3);
  });

  it('are renewed in the folder of --cert-dir, too', async () => {
    const [first, next] = [await leaf('first'), await leaf('next')];
    putPair('apiserver', first);
    const line = parseCommandLine([`--data-dir=${folder}`, `--cert-dir=${folder}`]);
    if (line.kind !== 'run') throw new Error('not a run');
    const certificates = new GivenCertificates(configOf(line.values));
    const reload = (): boolean =>
      certificates.reload((error) => {
        throw error;
      });
    expect(reload()).toBe(false);
    putPair('apiserver', next);
    expect(reload()).toBe(true);
    expect(certificates.current.pair).toEqual(next);
    expect(reload()).toBe(false);
  });

  it('are refused at the start if one cannot be used', async () => {
    putPair('main', await leaf('main'));
    putPair('sni', await leaf('sni'));
    const { cert } = await authority;
    put('ca.crt', cert);
    expect(() => open()).toThrow('proxy.crt');
    put('proxy.crt', cert);
    expect(() => open()).toThrow('overlapping certificates');
    expect(open('--requestheader-allowed-names=x').current.proxyCa).toBe(cert);
  });
});
