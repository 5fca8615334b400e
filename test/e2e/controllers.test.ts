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

const OBJECTS = 150;
const numbers = Array.from({ length: OBJECTS }, (_, i) => i);
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const LAMPS = '/apis/x.example/v1/namespaces/default/lamps';

const map = (name: string, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
});
const isGone = async (path: string): Promise<boolean> => (await ask(path)).status === 404;

/** Creates an object through every peer in turn. */
async function make(path: string, body: object, i = 0): Promise<Any> {
  const reply = await ask(path, { body }, i);
  expect(reply.status).toBe(201);
  return reply.json();
}

const WORK: readonly Work[] = [
  {
    name: 'the deletion of a namespace',
    prepare: async () => {
      await make('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'gone' } });
      await Promise.all(numbers.map((i) => make('/api/v1/namespaces/gone/configmaps', map(`m${i}`), i)));
    },
    begin: () => ask('/api/v1/namespaces/gone', { method: 'DELETE' }),
    isDone: async () =>
      (await isGone('/api/v1/namespaces/gone')) && (await items('/api/v1/namespaces/gone/configmaps')).length === 0,
  },
  {
    name: 'the deletion of dependents, and of nothing else',
    prepare: async () => {
      const [dying, living] = await Promise.all(['dying', 'living'].map((name) => make(CONFIG_MAPS, map(name))));
      const reference = ({ metadata: { name, uid } }: Any) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid });
      const owners = (i: number) => (i % 3 === 0 ? [dying, living] : [dying]);
      const metadata = (i: number) => ({ labels: { owned: 'yes' }, ownerReferences: owners(i).map(reference) });
      await Promise.all(numbers.map((i) => make(CONFIG_MAPS, map(`owned${i}`, metadata(i)), i)));
    },
    begin: () => ask(`${CONFIG_MAPS}/dying`, { method: 'DELETE' }),
    isDone: async () => {
      const left = await items(`${CONFIG_MAPS}?labelSelector=owned`);
      return left.length === OBJECTS / 3 && left.every((o) => o.metadata.ownerReferences.length === 1);
    },
  },
  {
    name: 'the deletion of a definition with its objects',
    prepare: async () => {
      const schema = { openAPIV3Schema: { type: 'object' } };
      await make(DEFINITIONS, {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'lamps.x.example' },
        spec: {
          group: 'x.example',
          scope: 'Namespaced',
          names: { plural: 'lamps', kind: 'Lamp' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      });
      await eventually('every peer serves the definition', async () => {
        const replies = await Promise.all(cluster.names.map((name) => client(name).ask(LAMPS)));
        return replies.every((reply) => reply.status === 200);
      });
      const lamp = (i: number) => ({ apiVersion: 'x.example/v1', kind: 'Lamp', metadata: { name: `l${i}` } });
      await Promise.all(numbers.map((i) => make(LAMPS, lamp(i), i)));
    },
    begin: () => ask(`${DEFINITIONS}/lamps.x.example`, { method: 'DELETE' }),
    isDone: async () => (await isGone(`${DEFINITIONS}/lamps.x.example`)) && (await isGone(LAMPS)),
  },
  {
    name: 'the objects of every namespace',
    prepare: async () => {},
    begin: () =>
      Promise.all(
        numbers.map((i) =>
          make('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `n${i}` } }, i),
        ),
      ),
    isDone: async () => {
      const given = async (path: string, name: string): Promise<number> =>
        (await items(path)).filter(({ metadata }) => metadata.name === name && /^n\d/.test(metadata.namespace)).length;
      return (
        (await given('/api/v1/serviceaccounts', 'default')) === OBJECTS &&
        (await given('/api/v1/configmaps', 'kube-root-ca.crt')) === OBJECTS
      );
    },
  },
];

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

  it.each(WORK.map((of) => [of.name, of] as const))('finish %s after the leader was killed', async (_, of) => {
    await of.prepare();
    const leader = await cluster.leader();
    await of.begin();
    await cluster.kill(leader);
    await eventually(of.name, of.isDone);
    await cluster.up(leader);
    // The killed peer has nothing to do again.
    await eventually('the same on the killed peer', of.isDone);
  });
});

interface Work {
  readonly name: string;
  readonly prepare: () => Promise<unknown>;
  /** The request after which controllers have work. */
  readonly begin: () => Promise<unknown>;
  readonly isDone: () => Promise<boolean>;
}
