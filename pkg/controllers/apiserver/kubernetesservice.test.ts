import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { kubernetesServiceObject } from '../../registry/index.js';
import { Bench } from '../../registry/testing.js';
import { clusterOf } from '../../server/cluster.js';
import { kubernetesService } from './kubernetesservice.js';
import { announceServer, type ServerAddress } from './liveservers.js';

async function scene() {
  const bench = await Bench.open();
  const { world, registry, keyspace } = bench;
  const context = { world, cluster: clusterOf(registry, world), log: () => {} };
  const service = kubernetesServiceObject({ serviceAddress: '10.96.0.1', securePort: 6443 });
  const controller = kubernetesService(context, { keyspace, service, endpoints: true });
  await controller.start();
  onTestFinished(() => controller.stop());
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve));
  };
  const announce = (server: ServerAddress) => announceServer(keyspace, world, server, () => {});
  const slices = async (): Promise<Record<string, unknown>> => {
    const { items } = await bench.list('endpointslices.discovery.k8s.io/v1', 'default');
    return Object.fromEntries(
      items.map((s) => [
        (s['metadata'] as JsonObject)['name'],
        (s['endpoints'] as JsonObject[]).flatMap((e) => e['addresses']),
      ]),
    );
  };
  return { bench, announce, settle, slices };
}

it('lists the running servers, those on another port in a separate subset and slice', async () => {
  const { bench, announce, settle, slices } = await scene();
  announce({ address: '192.0.2.2', port: 6443 });
  announce({ address: '192.0.2.1', port: 6443 });
  const other = announce({ address: '192.0.2.1', port: 6444 });
  await settle();
  const { subsets, metadata } = await bench.get('endpoints', 'default', 'kubernetes');
  expect(subsets).toEqual([
    {
      addresses: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }],
      ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
    },
    { addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'https', port: 6444, protocol: 'TCP' }] },
  ]);
  expect((metadata as JsonObject)['labels']).toEqual({ 'endpointslice.kubernetes.io/skip-mirror': 'true' });
  expect(await slices()).toEqual({ kubernetes: ['192.0.2.1', '192.0.2.2'], 'kubernetes-6444': ['192.0.2.1'] });
  await other.withdraw();
  await settle();
  expect(await slices()).toEqual({ kubernetes: ['192.0.2.1', '192.0.2.2'] });
});

it('keeps the last endpoints if no server is listed', async () => {
  const { announce, settle, slices } = await scene();
  await announce({ address: '192.0.2.1', port: 6443 }).withdraw();
  await settle();
  const only = announce({ address: '192.0.2.2', port: 6443 });
  await settle();
  await only.withdraw();
  await settle();
  expect(await slices()).toEqual({ kubernetes: ['192.0.2.2'] });
});

it('restores deleted or changed objects', async () => {
  const { bench, announce, settle, slices } = await scene();
  announce({ address: '2001:db8::1', port: 6443 });
  await settle();
  await bench.delete('services', 'default', 'kubernetes');
  await bench.delete('endpointslices.discovery.k8s.io/v1', 'default', 'kubernetes');
  await bench.patch('endpoints', ['default', 'kubernetes'], { subsets: null, metadata: { labels: { kept: 'yes' } } });
  await settle();
  expect(await slices()).toEqual({ kubernetes: ['2001:db8::1'] });
  const { spec } = await bench.get('services', 'default', 'kubernetes');
  expect((spec as JsonObject)['clusterIPs']).toEqual(['10.96.0.1']);
  const { subsets, metadata } = await bench.get('endpoints', 'default', 'kubernetes');
  expect(subsets).toHaveLength(1);
  expect((metadata as JsonObject)['labels']).toMatchObject({ kept: 'yes' });
  const slice = ['endpointslices.discovery.k8s.io/v1', 'default', 'kubernetes'] as const;
  await bench.patch(slice[0], [slice[1], slice[2]], { metadata: { labels: { own: 'yes' } } });
  await settle();
  const { metadata: sliceMeta } = await bench.get(...slice);
  expect((sliceMeta as JsonObject)['labels']).toEqual({ 'kubernetes.io/service-name': 'kubernetes' });
});
