import { connect as connectTcp, createServer, type Server, type Socket } from 'node:net';
import * as k8s from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeCbor, readCbor } from '../../pkg/codec/index.js';
import { kindSchema } from '../../pkg/schema/index.js';
import { startApiServer, type TestApiServer } from '../../pkg/server/index.js';
import { Client } from './client.js';
import { findKubectls, type Kubectl, KubectlRunner, oldestAndNewest } from './kubectl.js';

const CMS = '/api/v1/namespaces/default/configmaps';
const OBJECTS = 40;
const OBJECT_BYTES = 8192;

/** A proxy in front of a server that counts the bytes sent to the client, before a library decodes them. */
class Counter {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  bytes = 0;

  private constructor(port: number) {
    this.#server = createServer((client) => {
      const there = connectTcp(port, '127.0.0.1');
      for (const socket of [client, there]) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          client.destroy();
          there.destroy();
        });
      }
      there.on('data', (piece: Buffer) => {
        this.bytes += piece.length;
      });
      client.pipe(there);
      there.pipe(client);
    });
  }

  static async open(port: number): Promise<Counter> {
    const counter = new Counter(port);
    await new Promise<void>((resolve) => counter.#server.listen(0, '127.0.0.1', resolve));
    return counter;
  }

  /** The server's kubeconfig with the address of the proxy. */
  through(server: TestApiServer): string {
    const { port } = this.#server.address() as { port: number };
    return server.kubeconfig.replaceAll(server.url, `https://127.0.0.1:${port}`);
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

describe('compression, with clients that request it by default', () => {
  let server: TestApiServer;
  let counter: Counter;
  let config: k8s.KubeConfig;
  let core: k8s.CoreV1Api;

  beforeAll(async () => {
    // Controllers are off, because the tests count events.
    server = await startApiServer({ controllers: [] });
    counter = await Counter.open(Number(new URL(server.url).port));
    config = new k8s.KubeConfig();
    config.loadFromString(counter.through(server));
    core = config.makeApiClient(k8s.CoreV1Api);
    for (let i = 0; i < OBJECTS; i++) {
      const body = {
        metadata: { name: `big-${i}` },
        data: { text: `${i}.`.repeat(OBJECT_BYTES).slice(0, OBJECT_BYTES) },
      };
      await core.createNamespacedConfigMap({ namespace: 'default', body });
    }
  });
  afterAll(async () => {
    counter?.close();
    await server?.close();
  });

  const counted = async (act: () => Promise<unknown>): Promise<number> => {
    const before = counter.bytes;
    await act();
    return counter.bytes - before;
  };

  it('client-node gets large lists compressed and complete, and watch events without delay', async () => {
    let list: k8s.V1ConfigMapList | undefined;
    const bytes = await counted(async () => {
      list = await core.listNamespacedConfigMap({ namespace: 'default' });
    });
    const texts = list!.items.filter((o) => o.metadata?.name?.startsWith('big-')).map((o) => o.data?.['text']?.length);
    expect(texts).toEqual(Array.from({ length: OBJECTS }, () => OBJECT_BYTES));
    expect(bytes).toBeLessThan((OBJECTS * OBJECT_BYTES) / 4);

    const events: string[] = [];
    const first = await new Promise<string>((resolve, reject) => {
      const watch = new k8s.Watch(config);
      const note = (type: string, o: k8s.V1ConfigMap): void => {
        events.push(o.metadata?.name ?? '');
        resolve(type);
      };
      const query = { resourceVersion: list!.metadata!.resourceVersion!, timeoutSeconds: 20 };
      watch.watch(CMS, query, note, reject).then(async (going) => {
        await core.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'seen' } } });
        setTimeout(() => going.abort(), 20_000).unref();
      }, reject);
    });
    expect([first, events]).toEqual(['ADDED', ['seen']]);
  });

  it.skipIf(oldestAndNewest().length === 0).each(oldestAndNewest())(
    'kubectl $version gets large lists compressed, unless it disables compression',
    async (version) => {
      const k = new KubectlRunner(version, server.kubeconfigPath);
      try {
        const proxied = ['--server', new URL(config.getCurrentCluster()!.server).origin];
        // Discovery runs first, so that only lists are counted.
        await k.ok(['get', 'cm', ...proxied, '-o', 'name']);
        const list = async (...flags: string[]): Promise<number> =>
          counted(async () => {
            const { items } = JSON.parse(await k.ok(['get', 'cm', '-o', 'json', ...proxied, ...flags]));
            expect(
              items.filter((o: { data?: { text?: string } }) => o.data?.text?.length === OBJECT_BYTES).length,
            ).toBe(OBJECTS);
          });
        expect(await list()).toBeLessThan((OBJECTS * OBJECT_BYTES) / 4);
        expect(await list('--disable-compression')).toBeGreaterThan(OBJECTS * OBJECT_BYTES);
        expect(await list('--chunk-size=5')).toBeGreaterThan(OBJECTS * OBJECT_BYTES);
      } finally {
        k.close();
      }
    },
  );

  it('compresses from 128 KiB on, and only if the client accepts gzip', async () => {
    const client = new Client(server);
    const bytesOf = async (name: string): Promise<number> => (await client.ask(`${CMS}/${name}`)).body.length;
    const put = (fill: number) =>
      client.ask(`${CMS}/edge`, {
        method: 'PUT',
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'edge' }, data: { k: 'x'.repeat(fill) } },
      });
    await client.ask(CMS, { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'edge' } } });
    await put(100_000);
    const fill = 100_000 + 128 * 1024 - (await bytesOf('edge'));
    const encoding = async (accept: string): Promise<string | undefined> =>
      (await client.ask(`${CMS}/edge`, { headers: { 'accept-encoding': accept } })).headers['content-encoding'];
    await put(fill);
    expect([await bytesOf('edge'), await encoding('gzip')]).toEqual([128 * 1024, undefined]);
    await put(fill + 1);
    expect([await bytesOf('edge'), await encoding('gzip')]).toEqual([128 * 1024 + 1, 'gzip']);
    for (const accept of ['gzip, deflate, br', 'br, gzip;q=0.5'])
      expect([accept, await encoding(accept)]).toEqual([accept, 'gzip']);
    for (const accept of ['br', 'deflate', 'gzip;q=0', 'gzip; q=0.000', 'xgzip', ''])
      expect([accept, await encoding(accept)]).toEqual([accept, undefined]);
    client.close();
  });

  it('is disabled with its feature gate', async () => {
    const plain = await startApiServer({ featureGates: { APIResponseCompression: false } });
    const client = new Client(plain);
    await client.ask(CMS, {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'x'.repeat(300_000) } },
    });
    const got = await client.ask(`${CMS}/a`, { headers: { 'accept-encoding': 'gzip' } });
    expect([got.status, got.headers['content-encoding'], got.json().data.k.length]).toEqual([200, undefined, 300_000]);
    client.close();
    await plain.close();
  });
});

describe('bodies in CBOR', () => {
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { k: 'v' } };
  const { schema } = kindSchema({ group: '', version: 'v1', kind: 'ConfigMap' })!;
  const item = encodeCbor(schema, configMap);

  it('are accepted for create and apply, and sent in responses, if the feature gate is enabled', async () => {
    const server = await startApiServer({ featureGates: { CBORServingAndStorage: true } });
    const client = new Client(server);
    const applied = await client.ask(`${CMS}/c?fieldManager=m`, {
      method: 'PATCH',
      body: item,
      headers: { 'content-type': 'application/apply-patch+cbor', accept: 'application/cbor' },
    });
    const read = readCbor(applied.body);
    expect([applied.status, applied.headers['content-type'], read.ok && read.value]).toEqual([
      201,
      'application/cbor',
      expect.objectContaining({ data: { k: 'v' } }),
    ]);
    const headers = { 'content-type': 'application/cbor' };
    expect((await client.ask(CMS, { body: item, headers })).json().reason).toBe('AlreadyExists');
    const two = await client.ask(CMS, { body: Buffer.concat([item, item]), headers });
    expect([two.status, two.json().message]).toEqual([400, expect.stringContaining('extraneous data')]);
    const aggregated = ';g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    for (const [path, parameters] of [
      ['/api', ''],
      ['/apis', ''],
      ['/apis/apps', ''],
      ['/apis/apps/v1', ''],
      ['/api', aggregated],
      ['/apis', aggregated],
    ]) {
      const [cbor, json] = await Promise.all(
        ['cbor', 'json'].map((e) => client.ask(path!, { headers: { accept: `application/${e}${parameters}` } })),
      );
      const document = readCbor(cbor!.body);
      expect([cbor!.status, document.ok && document.value]).toEqual([200, json!.json()]);
    }
    client.close();
    await server.close();
  });

  it('are rejected if the feature gate is disabled', async () => {
    const server = await startApiServer();
    const client = new Client(server);
    for (const [method, type] of [
      ['PATCH', 'application/apply-patch+cbor'],
      ['PUT', 'application/cbor'],
    ] as const) {
      const refused = await client.ask(`${CMS}/c?fieldManager=m`, {
        method,
        body: item,
        headers: { 'content-type': type },
      });
      expect([refused.status, refused.json().reason]).toEqual([415, 'UnsupportedMediaType']);
    }
    expect((await client.ask(CMS, { headers: { accept: 'application/cbor' } })).status).toBe(406);
    client.close();
    await server.close();
  });
});

/** The dynamic client of kubectl supports CBOR since 1.32. */
function speaksCbor(): Kubectl | undefined {
  return findKubectls().findLast((k) => /^1\.(3[2-9]|[4-9]\d)$/.test(k.version));
}

const fluent = speaksCbor();
if (fluent === undefined)
  console.warn('CBOR with kubectl: skipped, no kubectl of 1.32 or newer beside the one in the path');

describe.skipIf(fluent === undefined).each([
  { gate: true, what: 'speak it to a server that does' },
  { gate: false, what: 'fall back where the server does not' },
])('clients that prefer CBOR', ({ gate, what }) => {
  const PREFER = { KUBE_FEATURE_ClientsAllowCBOR: 'true', KUBE_FEATURE_ClientsPreferCBOR: 'true' };
  const APPLY_SETS = { KUBECTL_APPLYSET: 'true' };
  let server: TestApiServer;
  let k: KubectlRunner;

  beforeAll(async () => {
    server = await startApiServer({ featureGates: { CBORServingAndStorage: gate } });
    k = new KubectlRunner(fluent!, server.kubeconfigPath);
  });
  afterAll(async () => {
    k?.close();
    await server?.close();
  });

  const configMap = (name: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {k: v, emoji: "\u{1f6f6}"}\n`;
  const command = (args: string, input?: string) =>
    k.run([...args.split(' '), '-v=8'], input, { ...PREFER, ...APPLY_SETS });

  it(`${what}: lists, watches, failures and bodies of the dynamic client`, async () => {
    const made = await command('apply -f - --server-side', configMap('a'));
    expect([made.code, made.out]).toEqual([0, 'configmap/a serverside-applied\n']);
    // `wait` is an informer: list, then watch.
    const waiting = command('wait cm/a --for=jsonpath={.data.k}=w --timeout=25s');
    expect((await command('patch cm a --type=merge -p {"data":{"k":"w"}}')).code).toBe(0);
    const waited = await waiting;
    expect([waited.code, waited.out]).toEqual([0, 'configmap/a condition met\n']);
    expect([
      waited.err.includes('Content-Type: application/cbor\n'),
      waited.err.includes('Content-Type: application/cbor-seq'),
    ]).toEqual([gate, gate]);
    // The object is deleted: the error is in the client's encoding.
    const deleted = await command('delete cm a');
    expect([deleted.code, /404 Not Found[\s\S]*Content-Type: application\/cbor/.test(deleted.err)]).toEqual([0, gate]);
    // Pruning sends delete requests with a body. After a 415 response the client uses JSON.
    const set = '-n default -f - --prune --applyset=secrets/set --server-side';
    await command(`apply ${set}`, `${configMap('b')}---\n${configMap('c')}`);
    const pruned = await command(`apply ${set}`, configMap('c'));
    if (gate) expect([pruned.code, pruned.out]).toEqual([0, 'configmap/c serverside-applied\nconfigmap/b pruned\n']);
    else
      expect([pruned.code, pruned.err]).toEqual([
        1,
        expect.stringMatching(
          /415 Unsupported[\s\S]*accepted media types include: application\/json, application\/yaml/,
        ),
      ]);
    expect(JSON.parse(await k.ok('get cm c -o json')).data).toEqual({ k: 'v', emoji: '\u{1f6f6}' });
  });
});
