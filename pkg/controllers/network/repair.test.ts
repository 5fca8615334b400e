import { expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { heldPorts, NODE_PORT_PREFIX } from '../../registry/index.js';
import { refusal } from '../../registry/testing.js';
import { prefixEnd } from '../../storage/index.js';
import { openScene } from '../testing/scene.js';
import { addressRepair } from './addressrepair.js';
import { nodePortRepair } from './nodeportrepair.js';

const ADDRESSES = 'ipaddresses.networking.k8s.io/v1';

const service = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
});

it('restores the address of a service that was deleted or assigned to another', async () => {
  const { bench, context, start, work } = await openScene();
  await start(addressRepair(context));
  const made = await bench.create('services', 'default', service('s'));
  const ip = String((made['spec'] as JsonObject)['clusterIP']);
  await work();
  const before = await bench.get(ADDRESSES, '', ip);
  await bench.delete(ADDRESSES, '', ip);
  await work();
  expect((await bench.get(ADDRESSES, '', ip))['spec']).toEqual(before['spec']);
  await bench.patch(ADDRESSES, ['', ip], { metadata: { labels: { 'ipaddress.kubernetes.io/managed-by': 'me' } } });
  await work();
  expect((await bench.get(ADDRESSES, '', ip))['metadata']).toMatchObject({
    labels: { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' },
  });
});

it('removes an address whose service does not exist, after a delay', async () => {
  const { bench, context, start, work } = await openScene();
  await start(addressRepair(context));
  await bench.create(ADDRESSES, '', {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: { name: '10.96.7.7', labels: { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' } },
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 'gone' } },
  });
  await work(50);
  expect(await bench.get(ADDRESSES, '', '10.96.7.7')).toBeDefined();
  await work(15);
  expect(await refusal(bench.get(ADDRESSES, '', '10.96.7.7'))).toMatch(/^404/);
});

it('reconciles the list of node ports with the services', async () => {
  const { bench, context, start, work } = await openScene();
  const made = await bench.create('services', 'default', service('s', { type: 'NodePort' }));
  const [port = 0] = heldPorts(made);
  const { keyspace } = bench;
  await keyspace.txn({
    compares: [],
    ops: [
      { kind: 'delete', key: `${NODE_PORT_PREFIX}${port}` },
      { kind: 'put', key: `${NODE_PORT_PREFIX}30999`, value: Buffer.from('default/gone') },
    ],
  });
  await start(nodePortRepair(context, keyspace));
  await work();
  const read = await keyspace.range({ start: NODE_PORT_PREFIX, end: prefixEnd(NODE_PORT_PREFIX) });
  expect(read.kind === 'ok' && read.items.map((item) => item.key)).toEqual([`${NODE_PORT_PREFIX}${port}`]);
});

it('allocates addresses of further ranges that are ready, but not of one that is being deleted', async () => {
  const { bench } = await openScene();
  const CIDRS = 'servicecidrs.networking.k8s.io/v1';
  const own = { clusterIP: '192.0.2.5' };
  expect(await refusal(bench.create('services', 'default', service('s', own)))).toContain('does not match');
  await bench.create(CIDRS, '', {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: 'more', finalizers: ['x.example/hold'] },
    spec: { cidrs: ['192.0.2.0/28'] },
  });
  expect(await refusal(bench.create('services', 'default', service('s', own)))).toContain('does not match');
  const conditions = [
    { type: 'Ready', status: 'True', reason: '', message: '', lastTransitionTime: '2030-01-01T00:00:00Z' },
  ];
  await bench.patch(`${CIDRS}/status`, ['', 'more'], { status: { conditions } });
  await bench.create('services', 'default', service('s', own));
  await bench.delete(CIDRS, '', 'more');
  expect(await refusal(bench.create('services', 'default', service('t', { clusterIP: '192.0.2.6' })))).toContain(
    'does not match',
  );
});

it('creates no address for a service that is deleted meanwhile', async () => {
  let interrupt: (() => Promise<unknown>) | undefined;
  const { bench, context, start, work } = await openScene((cluster) => ({
    ...cluster,
    get: async (at) => {
      const found = await cluster.get(at);
      const then = interrupt;
      if (at.resource.resource === 'services' && then !== undefined) {
        interrupt = undefined;
        await then();
      }
      return found;
    },
  }));
  const made = await bench.create('services', 'default', service('s'));
  await start(addressRepair(context));
  await work();
  interrupt = () => bench.delete('services', 'default', 's');
  await bench.patch('services', ['default', 's'], { metadata: { labels: { a: 'b' } } });
  await work();
  const ip = String((made['spec'] as JsonObject)['clusterIP']);
  expect(await refusal(bench.get(ADDRESSES, '', ip))).toMatch(/^404/);
});
