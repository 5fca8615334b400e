import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiServer, type TestApiServer } from '../../pkg/server/index.js';
import { Cluster, isBuilt } from '../chaos/cluster.js';
import { Client } from './client.js';

/**
 * Adds, changes and removes a kind while one or three servers handle other requests: every verb, on every peer, without a restart.
 */

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CMS = '/api/v1/namespaces/default/configmaps';
const SHOPS = (version: string): string => `/apis/example.com/${version}/namespaces/default/shops`;

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        owner: { type: 'string', minLength: 2 },
        till: { type: 'object', properties: { n: { type: 'integer' } } },
      },
    },
    status: { type: 'object', properties: { open: { type: 'integer' } } },
  },
};

const version = (name: string, storage: boolean): object => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: schema },
  subresources: { status: {}, scale: { specReplicasPath: '.spec.till.n', statusReplicasPath: '.status.open' } },
  additionalPrinterColumns: [{ name: 'Owner', type: 'string', jsonPath: '.spec.owner' }],
});

const definition = (...versions: readonly object[]): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'shops.example.com' },
  spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'shops', kind: 'Shop' }, versions },
});

const shop = (name: string): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Shop',
  metadata: { name },
  spec: { owner: 'ann', till: { n: 1 } },
});

const merge = { 'content-type': 'application/merge-patch+json' };
const WAIT_MS = 30_000;

/** Repeats a request until the response is as expected. Followers apply writes with a short delay. */
async function eventually<T>(ask: () => Promise<T>, wanted: (value: T) => boolean): Promise<T> {
  const end = performance.now() + WAIT_MS;
  for (;;) {
    const value = await ask();
    if (wanted(value)) return value;
    if (performance.now() > end) throw new Error(`never became so: ${JSON.stringify(value).slice(0, 300)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Writes and reads config maps through all peers until it is stopped; returns the failed requests. */
function load(peers: readonly Client[]): () => Promise<readonly number[]> {
  let stopped = false;
  const refused: number[] = [];
  const work = peers.map(async (peer, p) => {
    for (let i = 0; !stopped; i++) {
      const name = `load-${p}-${i}`;
      const made = await peer.ask(CMS, { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } } });
      const read = await peer.ask(`${CMS}/${name}`);
      for (const { status } of [made, read]) if (status >= 300) refused.push(status);
    }
  });
  return async () => {
    stopped = true;
    await Promise.all(work);
    return refused;
  };
}

async function story(peers: readonly Client[]): Promise<void> {
  const first = peers[0]!;
  const last = peers.at(-1)!;
  const stop = load(peers);
  const etags = await Promise.all(peers.map(aggregated));
  const others = first.watch(`${CMS}?watch=true`);
  expect((await first.ask(DEFINITIONS, { body: definition(version('v1', true)) })).status).toBe(201);
  await eventually(
    () => first.ask(SHOPS('v1')),
    (r) => r.status === 200,
  );
  // What one peer serves, all do.
  for (const peer of peers) expect((await peer.ask(SHOPS('v1'))).status).toBe(200);
  await served(peers, etags);
  await verbs(first, last);
  // Add a second version and make it the storage version.
  const before = (await first.ask(SHOPS('v1'), { body: shop('kept') })).json();
  const patch = { spec: { versions: [version('v1', false), version('v2', true)] } };
  const changed = await last.ask(`${DEFINITIONS}/shops.example.com`, { method: 'PATCH', headers: merge, body: patch });
  expect(changed.json().status.storedVersions).toEqual(['v1', 'v2']);
  for (const peer of peers) {
    expect((await peer.ask(SHOPS('v2'))).status).toBe(200);
    const kept = (await peer.ask(`${SHOPS('v2')}/kept`)).json();
    expect(kept).toMatchObject({
      apiVersion: 'example.com/v2',
      spec: before.spec,
      metadata: { uid: before.metadata.uid },
    });
    expect((await peer.ask(`${SHOPS('v1')}/kept`)).json().apiVersion).toBe('example.com/v1');
  }
  // Deleting the definition deletes its objects; their watches see it.
  const discovered = (await first.ask('/apis', { headers: AGGREGATED })).json().items;
  expect(discovered.find((g: { metadata: { name: string } }) => g.metadata.name === 'example.com')).toMatchObject({
    versions: [
      { version: 'v2', resources: [{ responseKind: { group: 'example.com', version: 'v2', kind: 'Shop' } }] },
      {},
    ],
  });
  const watch = first.watch(`${SHOPS('v1')}?watch=true`);
  await watch.until((w) => w.events.length > 0);
  const gone = await first.ask(`${DEFINITIONS}/shops.example.com`, { method: 'DELETE' });
  expect(gone.json().metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
  for (const peer of peers) {
    await eventually(
      () => peer.ask(`${DEFINITIONS}/shops.example.com`),
      (r) => r.status === 404,
    );
    await eventually(
      () => peer.ask(SHOPS('v1')),
      (r) => r.status === 404,
    );
    await eventually(
      () => peer.ask('/openapi/v3/apis/example.com/v1'),
      (r) => r.status === 404,
    );
  }
  await watch.until((w) => w.ended);
  expect(watch.events.map((e) => `${e.type} ${e.object.metadata.name}`)).toEqual(['ADDED kept', 'DELETED kept']);
  expect(others.ended).toBe(false);
  others.close();
  expect(await stop()).toEqual([]);
}

const AGGREGATED = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };

const aggregated = async (peer: Client): Promise<string> =>
  String((await peer.ask('/apis', { headers: AGGREGATED })).headers['etag']);

async function served(peers: readonly Client[], etags: readonly string[]): Promise<void> {
  for (const [i, peer] of peers.entries()) {
    expect((await peer.ask('/apis/example.com/v1')).json().resources.map((r: { name: string }) => r.name)).toEqual([
      'shops',
      'shops/status',
      'shops/scale',
    ]);
    expect(await aggregated(peer)).not.toBe(etags[i]);
    const { components } = (await peer.ask('/openapi/v3/apis/example.com/v1')).json();
    expect(Object.keys(components.schemas)).toContain('com.example.v1.Shop');
    expect((await peer.ask('/openapi/v2')).json().definitions).toHaveProperty(['com.example.v1.Shop']);
  }
}

/** Tests every verb. Writes through one peer are read through another. */
async function verbs(writer: Client, reader: Client): Promise<void> {
  const at = `${SHOPS('v1')}/a`;
  // A watch without a version may begin after the first writes, whose events it then lacks.
  const { resourceVersion } = (await reader.ask(SHOPS('v1'))).json().metadata;
  const watch = reader.watch(`${SHOPS('v1')}?watch=true&resourceVersion=${resourceVersion}`);
  expect((await writer.ask(SHOPS('v1'), { body: shop('a') })).status).toBe(201);
  const made = (await reader.ask(at)).json();
  expect(made).toMatchObject({ spec: { owner: 'ann' }, metadata: { generation: 1 } });
  const bad = { ...made, spec: { owner: 'x' } };
  expect((await writer.ask(at, { method: 'PUT', body: bad })).status).toBe(422);
  expect(
    (await writer.ask(at, { method: 'PUT', body: { ...made, spec: { owner: 'bob', till: { n: 2 } } } })).status,
  ).toBe(200);
  expect((await writer.ask(at, { method: 'PATCH', headers: merge, body: { spec: { till: { n: 3 } } } })).status).toBe(
    200,
  );
  const operations = [{ op: 'replace', path: '/spec/owner', value: 'cy' }];
  const json = { 'content-type': 'application/json-patch+json' };
  expect((await writer.ask(at, { method: 'PATCH', headers: json, body: operations })).status).toBe(200);
  const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
  expect((await writer.ask(at, { method: 'PATCH', headers: strategic, body: {} })).status).toBe(415);
  const apply = { 'content-type': 'application/apply-patch+yaml' };
  const applied = await writer.ask(`${SHOPS('v1')}/applied?fieldManager=me`, {
    method: 'PATCH',
    headers: apply,
    body: shop('applied'),
  });
  expect(applied.status).toBe(201);
  await writer.ask(`${at}/status`, { method: 'PATCH', headers: merge, body: { status: { open: 1 } } });
  const scale = (await reader.ask(`${at}/scale`)).json();
  expect(scale).toMatchObject({ kind: 'Scale', spec: { replicas: 3 }, status: { replicas: 1 } });
  await writer.ask(`${at}/scale`, { method: 'PUT', body: { ...scale, spec: { replicas: 7 } } });
  const table = await reader.ask(SHOPS('v1'), { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } });
  expect(table.json().rows.map((r: { cells: unknown[] }) => r.cells)).toEqual([
    ['a', 'cy'],
    ['applied', 'ann'],
  ]);
  expect((await reader.ask(at)).json()).toMatchObject({ spec: { owner: 'cy', till: { n: 7 } }, status: { open: 1 } });
  expect((await writer.ask(at, { method: 'DELETE' })).status).toBe(200);
  expect((await reader.ask(at)).status).toBe(404);
  expect((await writer.ask(SHOPS('v1'), { method: 'DELETE' })).json().items).toHaveLength(1);
  expect((await reader.ask(SHOPS('v1'))).json().items).toEqual([]);
  await watch.until((w) => w.events.filter((e) => e.type === 'DELETED').length === 2);
  expect(watch.events.filter((e) => e.type !== 'BOOKMARK').map((e) => `${e.type} ${e.object.metadata.name}`)).toEqual([
    'ADDED a',
    ...Array.from({ length: 3 }, () => 'MODIFIED a'),
    'ADDED applied',
    'MODIFIED a',
    'MODIFIED a',
    'DELETED a',
    'DELETED applied',
  ]);
  watch.close();
}

describe('adding, changing and removing a kind under load', () => {
  let server: TestApiServer;

  beforeAll(async () => {
    server = await startApiServer();
  });

  afterAll(() => server.close());

  it('on one peer', { timeout: 120_000 }, async () => {
    const { url, ca, cert, key } = server;
    const peer = new Client({ url, ca, cert, key });
    await story([peer]);
    peer.close();
  });
});

describe.skipIf(!isBuilt)('a kind is added, changed and removed under load', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start();
  });

  afterAll(() => cluster.close());

  it('on three peers', { timeout: 120_000 }, async () => {
    const { ca, cert, key } = cluster.access;
    const peers = cluster.names.map((name) => new Client({ url: cluster.url(name), ca, cert, key }));
    await story(peers);
    for (const peer of peers) peer.close();
  });
});
