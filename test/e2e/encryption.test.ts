import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { accessOf } from '../../pkg/client/index.js';
import { Cluster } from '../chaos/cluster.js';
import { KmsPlugin } from '../kms/plugin.js';
import { Client } from './client.js';
import { isBuilt, ServerProcess } from './process.js';

if (!isBuilt) console.warn('encryption tests skipped: dist/ is missing (npm run build)');

const folder = mkdtempSync(join(tmpdir(), 'trireme-encryption-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const key = (letter: string): string => Buffer.alloc(32, letter).toString('base64');
const keyed = (provider: string, ...keys: readonly (readonly [string, string])[]): object => ({
  [provider]: { keys: keys.map(([name, letter]) => ({ name, secret: key(letter) })) },
});

let files = 0;
/** Writes an EncryptionConfiguration for secrets and configmaps; returns its flags. */
function encrypted(...providers: object[]): { readonly file: string; readonly flags: readonly string[] } {
  const file = join(folder, `encryption-${++files}.yaml`);
  rewrite(file, providers);
  return { file, flags: [`--encryption-provider-config=${file}`] };
}

function rewrite(file: string, providers: readonly object[]): void {
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [{ resources: ['secrets', 'configmaps', 'widgets.example.com'], providers }],
  };
  writeFileSync(file, JSON.stringify(configuration));
}

function clientOf(server: ServerProcess): Client {
  const { ca, cert, key: own } = accessOf(server.kubeconfig);
  return new Client({ url: server.url, ca, cert, key: own });
}

const HIDDEN = 'hidden-text-of-covered-kinds';
const SHOWN = 'text-of-other-kinds';
const SECRETS = '/api/v1/namespaces/default/secrets';

/** Every form in which the text may appear: unchanged, and in base64 at each of the three alignments. */
function forms(text: string): readonly Buffer[] {
  const encoded = ['', 'a', 'ab'].map((before) =>
    Buffer.from(before + text)
      .toString('base64')
      .slice(4, -4),
  );
  return [text, ...encoded].map((form) => Buffer.from(form));
}

function filesBelow(at: string): readonly string[] {
  return readdirSync(at, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The files that have the text in any form. */
function filesWith(text: string, ...places: readonly string[]): readonly string[] {
  return places.flatMap(filesBelow).filter((file) => {
    const bytes = readFileSync(file);
    return forms(text).some((form) => bytes.includes(form));
  });
}

const secret = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, annotations: { note: HIDDEN } },
  stringData: { password: HIDDEN },
});

/** Writes with every verb, objects of encrypted kinds and of one that is not encrypted. */
async function writeMuch(client: Client, suffix = ''): Promise<void> {
  const ok = async (path: string, ask: Parameters<Client['ask']>[1]): Promise<void> => {
    const { status, body } = await client.ask(path, ask);
    if (status >= 300) throw new Error(`${path}: ${status} ${body.toString()}`);
  };
  for (let i = 0; i < 20; i++) await ok(SECRETS, { body: secret(`s${i}${suffix}`) });
  await ok(`${SECRETS}/s1${suffix}`, { method: 'PUT', body: { ...secret(`s1${suffix}`), type: 'Opaque' } });
  await ok(`${SECRETS}/s2${suffix}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { stringData: { more: HIDDEN } },
  });
  await ok(`${SECRETS}/applied${suffix}?fieldManager=me`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: { ...secret(`applied${suffix}`) },
  });
  await ok(`${SECRETS}/s3${suffix}`, { method: 'DELETE' });
  await ok('/api/v1/namespaces/default/configmaps', {
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c${suffix}` }, data: { a: HIDDEN } },
  });
  await ok('/api/v1/namespaces/default/serviceaccounts', {
    body: {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: `sa${suffix}`, annotations: { note: SHOWN } },
    },
  });
}

describe.skipIf(!isBuilt)('encryption at rest', () => {
  it('leaves no plaintext of an encrypted kind in log, store, snapshot or restored folder', async () => {
    const { flags } = encrypted(keyed('aesgcm', ['key1', 'a']), { identity: {} });
    const dataDir = join(folder, 'one');
    const server = await ServerProcess.start(dataDir, 0, [
      ...flags,
      '--snapshot-count=30',
      '--auto-compaction-retention=1s',
    ]);
    const client = clientOf(server);
    const watch = client.watch(`${SECRETS}?watch=true`);
    await writeMuch(client);
    await watch.until((w) => w.events.some((e) => e.type === 'DELETED' && e.object.metadata.name === 's3'), 60_000);
    watch.close();
    const found = (await client.ask(`${SECRETS}/s1`)).json();
    expect(Buffer.from(found.data.password, 'base64').toString()).toBe(HIDDEN);
    const saved = await client.ask('/peer/v1/snapshot');
    const snapshots = mkdtempSync(join(folder, 'snapshots-'));
    writeFileSync(join(snapshots, 'saved.snap'), saved.body);
    await server.stop();
    client.close();
    expect(filesWith(SHOWN, dataDir, snapshots).length).toBeGreaterThan(1);
    expect(filesWith(HIDDEN, dataDir, snapshots)).toEqual([]);
    const again = await ServerProcess.start(dataDir, 0, flags);
    const second = clientOf(again);
    expect((await second.ask(SECRETS)).json().items.length).toBe(20);
    await again.kill();
    second.close();
    expect(filesWith(HIDDEN, dataDir)).toEqual([]);
  });

  it('reports a wrong key for the object, keeps the object, and allows its unsafe deletion', async () => {
    const dataDir = join(folder, 'wrong');
    const right = encrypted(keyed('aescbc', ['key1', 'a']));
    const first = await ServerProcess.start(dataDir, 0, right.flags);
    let client = clientOf(first);
    await client.ask(SECRETS, { body: secret('a') });
    await client.ask(SECRETS, { body: secret('b') });
    client.close();
    await first.stop();

    const wrong = await ServerProcess.start(dataDir, 0, encrypted(keyed('aescbc', ['key2', 'b'])).flags);
    client = clientOf(wrong);
    const why =
      'data from the storage is not transformable revision=0: no matching key was found for the provided AES transformer';
    const corrupt = (at: string): string =>
      `StorageError: corrupt object, Code: 7, Key: ${at}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`;
    const failure = async (path: string, ask = {}): Promise<unknown> => {
      const { status, json } = await client.ask(path, ask);
      const { reason, message, details } = json();
      return { status, reason, message, details };
    };
    const internal = (message: string): object => ({
      status: 500,
      reason: 'InternalError',
      message: `Internal error occurred: ${message}`,
      details: { causes: [{ message }] },
    });
    expect(await failure(`${SECRETS}/a`)).toEqual(internal(corrupt('/secrets/default/a')));
    expect(await failure(`${SECRETS}/a`, { method: 'DELETE' })).toEqual(internal(corrupt('/secrets/default/a')));
    expect(await failure(`${SECRETS}/a`, { method: 'PUT', body: secret('a') })).toEqual(internal(why));
    expect((await client.ask(SECRETS, { body: secret('a') })).status).toBe(409);
    expect(await failure(SECRETS)).toEqual({
      status: 500,
      reason: 'StorageReadError',
      message: `failed to read one or more secrets from the storage: ${corrupt('/registry/secrets/default/a')} (and 1 more)`,
      details: {
        name: 'list',
        kind: 'secrets',
        causes: ['a', 'b'].map((name) => ({
          reason: 'UnexpectedServerResponse',
          message: corrupt(`/registry/secrets/default/${name}`),
          field: `/registry/secrets/default/${name}`,
        })),
      },
    });
    expect((await client.ask(`${SECRETS}?watch=true&timeoutSeconds=1`)).status).toBe(500);
    expect((await client.ask('/api/v1/namespaces/default/serviceaccounts')).status).toBe(200);
    const unsafe = `${SECRETS}/a?ignoreStoreReadErrorWithClusterBreakingPotential=true`;
    expect((await client.ask(`${unsafe}&dryRun=All`, { method: 'DELETE' })).status).toBe(200);
    const removed = await client.ask(unsafe, { method: 'DELETE' });
    expect(removed.json()).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'Secret' },
      code: 200,
    });
    expect((await client.ask(`${SECRETS}/a`)).status).toBe(404);
    client.close();
    await wrong.stop();

    const back = await ServerProcess.start(dataDir, 0, right.flags);
    client = clientOf(back);
    const items = (await client.ask(SECRETS)).json().items;
    expect(items.map((o: { metadata: { name: string } }) => o.metadata.name)).toEqual(['b']);
    const name = '/registry/secrets/default/b';
    client.close();
    await back.stop();
    expect(filesWith(name, dataDir).length).toBeGreaterThan(0);
  });

  it('rewrites an object by an update without change once its key is no longer the first', async () => {
    const dataDir = join(folder, 'rotate');
    const first = await ServerProcess.start(dataDir, 0, encrypted(keyed('aescbc', ['key1', 'a'])).flags);
    let client = clientOf(first);
    await client.ask(SECRETS, { body: secret('a') });
    client.close();
    await first.stop();
    const both = keyed('aescbc', ['key2', 'b'], ['key1', 'a']);
    const second = await ServerProcess.start(dataDir, 0, encrypted(both).flags);
    client = clientOf(second);
    const before = (await client.ask(`${SECRETS}/a`)).json();
    const touched = (await client.ask(`${SECRETS}/a`, { method: 'PUT', body: before })).json();
    expect(touched.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
    const again = (await client.ask(`${SECRETS}/a`, { method: 'PUT', body: touched })).json();
    expect(again.metadata.resourceVersion).toBe(touched.metadata.resourceVersion);
    client.close();
    await second.stop();
    const third = await ServerProcess.start(dataDir, 0, encrypted(keyed('aescbc', ['key2', 'b'])).flags);
    client = clientOf(third);
    expect((await client.ask(`${SECRETS}/a`)).status).toBe(200);
    client.close();
    await third.stop();
  });

  it('is renewed for all objects by a StorageVersionMigration', async () => {
    const dataDir = join(folder, 'migrate');
    const first = await ServerProcess.start(dataDir, 0, encrypted(keyed('secretbox', ['key1', 'a'])).flags);
    let client = clientOf(first);
    for (const name of ['a', 'b', 'c']) await client.ask(SECRETS, { body: secret(name) });
    client.close();
    await first.stop();
    const both = encrypted(keyed('secretbox', ['key2', 'b'], ['key1', 'a']));
    const second = await ServerProcess.start(dataDir, 0, both.flags);
    client = clientOf(second);
    const migrations = '/apis/storagemigration.k8s.io/v1/storageversionmigrations';
    const made = await client.ask(migrations, {
      body: {
        apiVersion: 'storagemigration.k8s.io/v1',
        kind: 'StorageVersionMigration',
        metadata: { name: 'secrets' },
        spec: { resource: { group: '', resource: 'secrets' } },
      },
    });
    expect(made.status).toBe(201);
    const succeeded = async (): Promise<boolean> =>
      (await client.ask(`${migrations}/secrets`))
        .json()
        .status?.conditions?.some(
          (c: { type: string; status: string }) => c.type === 'Succeeded' && c.status === 'True',
        );
    await expect.poll(succeeded, { timeout: 60_000 }).toBe(true);
    client.close();
    await second.stop();
    const third = await ServerProcess.start(dataDir, 0, encrypted(keyed('secretbox', ['key2', 'b'])).flags);
    client = clientOf(third);
    expect((await client.ask(SECRETS)).json().items.length).toBe(3);
    client.close();
    await third.stop();
  });

  it('uses a KMS plug-in over a socket, reports its health, and reads values of the previous key', async () => {
    const plugin = new KmsPlugin(join(folder, 'kms.sock'));
    await plugin.start();
    const kms = { kms: { apiVersion: 'v2', name: 'test', endpoint: plugin.endpoint, timeout: '5s' } };
    const dataDir = join(folder, 'kms');
    const flags = [...encrypted(kms).flags, '--encryption-provider-config-automatic-reload'];
    const server = await ServerProcess.start(dataDir, 0, flags);
    let client = clientOf(server);
    expect((await client.ask(SECRETS, { body: secret('a') })).status).toBe(201);
    expect((await client.ask('/readyz/kms-providers')).body.toString()).toBe('ok');
    expect((await client.ask('/healthz?verbose')).body.toString()).toContain('[+]kms-providers ok');
    expect((await client.ask('/livez?verbose')).body.toString()).not.toContain('kms');
    const metrics = (await client.ask('/metrics')).body.toString();
    expect(metrics).toContain('transformer_prefix="k8s:enc:kms:v2:test:",status="OK"');
    client.close();
    await server.stop();
    expect(filesWith(HIDDEN, dataDir)).toEqual([]);
    plugin.use('key-2');
    const second = await ServerProcess.start(dataDir, 0, flags);
    client = clientOf(second);
    const before = (await client.ask(`${SECRETS}/a`)).json();
    expect(plugin.calls.decrypt).toBe(1);
    const touched = (await client.ask(`${SECRETS}/a`, { method: 'PUT', body: before })).json();
    expect(touched.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
    client.close();
    await second.stop();
    await plugin.stop();
  });
});

describe.skipIf(!isBuilt)('encryption at rest with three peers', () => {
  it('no peer stores plaintext, a rotation on one peer after the other loses nothing, and a snapshot can be restored', async () => {
    const old = encrypted(keyed('secretbox', ['key1', 'a']));
    const added = encrypted(keyed('secretbox', ['key1', 'a'], ['key2', 'b']));
    const promoted = encrypted(keyed('secretbox', ['key2', 'b'], ['key1', 'a']));
    const cluster = await Cluster.start({ args: ['--snapshot-count=50', ...old.flags] });
    try {
      const { ca, cert, key: own } = cluster.access;
      const clients = new Map(
        cluster.names.map((name) => [name, new Client({ url: cluster.url(name), ca, cert, key: own })]),
      );
      const [a = '', b = '', c = ''] = cluster.names;
      await writeMuch(clients.get(a)!, '-a');
      await cluster.kill(c);
      await writeMuch(clients.get(b)!, '-b');
      const restart = async (name: string, flags: readonly string[]): Promise<void> => {
        if (cluster.isUp(name)) await cluster.kill(name);
        await cluster.up(name, flags);
      };
      for (const name of [c, a, b]) await restart(name, added.flags);
      await restart(a, promoted.flags);
      // A writes with the new key, and B and C can read it.
      await writeMuch(clients.get(a)!, '-rotated');
      for (const name of cluster.names) {
        const { status, json } = await clients.get(name)!.ask(SECRETS);
        expect([name, status, json().items.length]).toEqual([name, 200, 60]);
      }
      const snapshot = join(cluster.folder, 'saved.snap');
      expect((await cluster.ctl('snapshot', 'save', snapshot)).code).toBe(0);
      const inspected = await cluster.ctl(
        'snapshot',
        'inspect',
        snapshot,
        '--key=/registry/secrets/default/s1-rotated',
      );
      expect(inspected.out).toContain('encrypted by k8s:enc:secretbox:v1:key2:');
      const restored = join(folder, 'restored');
      expect((await cluster.ctl('snapshot', 'restore', snapshot, `--data-dir=${restored}`)).code).toBe(0);
      for (const name of cluster.names) await cluster.kill(name);
      expect(filesWith(SHOWN, cluster.folder, restored).length).toBeGreaterThan(4);
      expect(filesWith(HIDDEN, cluster.folder, restored)).toEqual([]);
      const server = await ServerProcess.start(restored, 0, promoted.flags);
      const client = clientOf(server);
      expect((await client.ask(SECRETS)).json().items.length).toBe(60);
      client.close();
      await server.stop();
      for (const one of clients.values()) one.close();
    } finally {
      await cluster.close();
    }
  });
});
