import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { World } from '../base/index.js';
import { makeClusterFolders } from './clusterfolders.js';
import { keepPki, serverNames } from './pki.js';
import { PROGRAM_VERSION } from './version.js';
import { systemWorld } from './world.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trireme-folders-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const peer = (name: string) => ({
  name,
  serverUrl: `https://127.0.0.1:${name.charCodeAt(0)}`,
  peerUrl: `https://10.0.0.${name.charCodeAt(0)}:2380`,
});
const read = (...path: string[]): string => readFileSync(join(folder, ...path), 'utf8');

describe('the folders of a cluster', () => {
  it('give every peer the same authorities, and a kubeconfig with a context for each', async () => {
    const made = await makeClusterFolders(folder, [peer('a'), peer('b')]);
    expect(made).toEqual({
      kubeconfig: join(folder, 'admin.kubeconfig'),
      dataDirs: [join(folder, 'a'), join(folder, 'b')],
    });
    for (const name of ['ca.crt', 'ca.key', 'peer-ca.crt']) expect(read('b', 'pki', name)).toBe(read('a', 'pki', name));
    expect(read('a', 'pki', 'ca.crt')).not.toBe(read('a', 'pki', 'peer-ca.crt'));
    expect(statSync(join(folder, 'a', 'pki', 'ca.key')).mode & 0o777).toBe(0o600);
    const config = parse(read('admin.kubeconfig'));
    expect(config.contexts.map((c: { name: string }) => c.name)).toEqual(['kubernetes-admin@trireme', 'a', 'b']);
    expect(config.clusters.map((c: { cluster: { server: string } }) => c.cluster.server)).toEqual([
      'https://127.0.0.1:97',
      'https://127.0.0.1:97',
      'https://127.0.0.1:98',
    ]);
  });

  it('are kept when a peer is added', async () => {
    await makeClusterFolders(folder, [peer('a')]);
    const before = read('a', 'pki', 'ca.key');
    await makeClusterFolders(folder, [peer('a'), peer('d')]);
    expect([read('a', 'pki', 'ca.key'), read('d', 'pki', 'ca.key')]).toEqual([before, before]);
  });

  it('reject a folder of another cluster', async () => {
    await makeClusterFolders(folder, [peer('a')]);
    rmSync(join(folder, 'authority'), { recursive: true });
    await expect(makeClusterFolders(folder, [peer('a')])).rejects.toThrow('is of another cluster');
  });

  it('have the authority from which a peer issues its own certificates', async () => {
    await makeClusterFolders(folder, [peer('a'), peer('b')]);
    const names = serverNames(['127.0.0.1'], '10.96.0.1');
    const now = Date.now();
    const [a, b] = await Promise.all(['a', 'b'].map((n) => keepPki(join(folder, n, 'pki'), names, now)));
    expect(a!.ca).toEqual(b!.ca);
    expect(a!.serving.cert).not.toBe(b!.serving.cert);
  });

  it('have a certificate for the peer port that names the peer, but not the key of the peer authority', async () => {
    await makeClusterFolders(folder, [peer('a'), peer('b')]);
    const [a, b] = ['a', 'b'].map((name) => new X509Certificate(read(name, 'pki', 'peer.crt')));
    const authority = new X509Certificate(read('authority', 'peer-ca.crt'));
    expect(a!.verify(authority.publicKey)).toBe(true);
    expect(a!.subjectAltName).toBe('IP Address:10.0.0.97, URI:trireme://member/a');
    expect(b!.subjectAltName).toContain('URI:trireme://member/b');
    expect(existsSync(join(folder, 'a', 'pki', 'peer-ca.key'))).toBe(false);
    expect(existsSync(join(folder, 'authority', 'peer-ca.key'))).toBe(true);
    expect(statSync(join(folder, 'a', 'pki', 'peer.key')).mode & 0o777).toBe(0o600);
  });

  it('keep a valid peer certificate, and renew one that expires soon', async () => {
    const at = (now: number): World => ({ ...systemWorld, clock: { ...systemWorld.clock, now: () => now } });
    const start = Date.now();
    const certificate = async (now: number): Promise<string> => {
      await makeClusterFolders(folder, [peer('a')], at(now));
      return read('a', 'pki', 'peer.crt');
    };
    const first = await certificate(start);
    expect(await certificate(start + 30 * 86_400_000)).toBe(first);
    expect(await certificate(start + 340 * 86_400_000)).not.toBe(first);
  });
});

describe('the version of the program', () => {
  it('is that of the package', () => {
    const file = new URL('../../package.json', import.meta.url);
    expect(JSON.parse(readFileSync(file, 'utf8')).version).toBe(PROGRAM_VERSION);
  });
});
