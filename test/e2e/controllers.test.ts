import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster, isBuilt } from '../chaos/cluster.js';
import { Client } from './client.js';

if (!isBuilt) console.warn('tests of controllers on three peers skipped: dist/ is missing (npm run build)');

/** As many node ports as services, so that the second round fails if one is leaked. */
const SERVICES = 200;
const PORTS = '30000-30199';
const SERVICES_PATH = '/api/v1/namespaces/default/services';
const ADDRESSES_PATH = '/apis/networking.k8s.io/v1/ipaddresses';
const PATIENCE = 120_000;

// biome-ignore lint/suspicious/noExplicitAny: tests read any response
type Any = any;

let cluster: Cluster;
const clients = new Map<string, Client>();

function client(name: string): Client {
  let found = clients.get(name);
  if (found === undefined) {
    const { ca, cert, key } = cluster.access;
    found = new Client({ url: cluster.url(name), ca, cert, key });
    clients.set(name, found);
  }
  return found;
}

const up = (): readonly string[] => cluster.names.filter((name) => cluster.isUp(name));

/** Sends the request to running peers, one after the other, until one serves it with a status below 500. */
async function ask(path: string, request: Parameters<Client['ask']>[1] = {}, first = 0): Promise<Any> {
  const end = performance.now() + PATIENCE;
  for (let i = first; ; i++) {
    const names = up();
    try {
      const reply = await client(names[i % names.length]!).ask(path, request);
      if (reply.status < 429) return reply;
    } catch {
      // The peer was killed: try the next one.
    }
    if (performance.now() > end) throw new Error(`${path} was not answered`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const items = async (path: string): Promise<Any[]> => (await ask(path)).json().items;

beforeAll(async () => {
  if (isBuilt) cluster = await Cluster.start({ args: [`--service-node-port-range=${PORTS}`] });
});

afterAll(async () => {
  for (const c of clients.values()) c.close();
  await cluster?.close();
});

describe.skipIf(!isBuilt).sequential('three peers', () => {
  it('allocate no address and no node port twice, and leak none', async () => {
    const service = (i: number): object => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: `s${i}` },
      spec: { type: 'NodePort', selector: { none: 'x' }, ports: [{ port: 80 }] },
    });
    const all = Array.from({ length: SERVICES }, (_, i) => i);
    for (let round = 0; round < 2; round++) {
      const made = await Promise.all(all.map((i) => ask(SERVICES_PATH, { body: service(i) }, i)));
      expect(made.map((reply) => reply.status).filter((status) => status !== 201)).toEqual([]);
      const specs = made.map((reply) => reply.json().spec);
      expect(new Set(specs.map((spec) => spec.clusterIP)).size).toBe(SERVICES);
      expect(new Set(specs.map((spec) => spec.ports[0].nodePort)).size).toBe(SERVICES);
      expect(await items(ADDRESSES_PATH)).toHaveLength(SERVICES + 1);
      await Promise.all(all.map((i) => ask(`${SERVICES_PATH}/s${i}`, { method: 'DELETE' }, i)));
      expect(await items(ADDRESSES_PATH)).toHaveLength(1);
    }
    await eventually('the endpoints of deleted services go', async () => {
      const left = await items('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices');
      return left.every((slice) => slice.metadata.labels['kubernetes.io/service-name'] === 'kubernetes');
    });
  });

  it('are all in the endpoints of the Service kubernetes', async () => {
    const ports = async (): Promise<number[]> => {
      const reply = await ask('/api/v1/namespaces/default/endpoints/kubernetes');
      return reply.status === 200
        ? (reply.json().subsets ?? []).flatMap((s: Any) => s.ports.map((p: Any) => p.port))
        : [];
    };
    const of = (names: readonly string[]): string =>
      String(names.map((name) => Number(new URL(cluster.url(name)).port)).toSorted());
    await eventually('three servers', async () => String((await ports()).toSorted()) === of(cluster.names));
    const [dead = ''] = cluster.names;
    await cluster.kill(dead);
    await eventually('two servers', async () => String((await ports()).toSorted()) === of(up()));
    await cluster.up(dead);
    await eventually('three servers again', async () => String((await ports()).toSorted()) === of(cluster.names));
    const leases = await items('/apis/coordination.k8s.io/v1/namespaces/kube-system/leases');
    expect(leases.filter((lease) => lease.metadata.labels?.['apiserver.kubernetes.io/identity'])).toHaveLength(3);
  });

  it('finish the work of a killed leader, and do nothing twice', async () => {
    const REPLICAS = 60;
    const controllers = '/api/v1/namespaces/default/replicationcontrollers';
    const podsOf = async (name: string): Promise<Any[]> =>
      items(`/api/v1/namespaces/default/pods?labelSelector=rc%3D${name}`);
    for (let round = 0; round < 2; round++) {
      const name = `rc${round}`;
      const labels = { rc: name };
      const spec = { containers: [{ name: 'c', image: 'i' }] };
      await ask(controllers, {
        body: {
          apiVersion: 'v1',
          kind: 'ReplicationController',
          metadata: { name },
          spec: { replicas: REPLICAS, selector: labels, template: { metadata: { labels }, spec } },
        },
      });
      await eventually('some pods', async () => (await podsOf(name)).length >= 5);
      const leader = await cluster.leader();
      await cluster.kill(leader);
      const status = async (): Promise<Any> => (await ask(`${controllers}/${name}`)).json().status;
      await eventually('all pods', async () => (await status()).replicas === REPLICAS);
      // No pod is deleted, because none was surplus.
      expect((await podsOf(name)).filter((pod) => pod.metadata.deletionTimestamp === undefined)).toHaveLength(REPLICAS);
      const events = await items('/api/v1/namespaces/default/events?fieldSelector=reason%3DSuccessfulDelete');
      expect(events).toEqual([]);
      await cluster.up(leader);
    }
  });
});
