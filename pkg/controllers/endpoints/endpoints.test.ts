import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { Bench } from '../../registry/testing.js';
import { clusterOf } from '../../server/cluster.js';
import type { ControllerContext } from '../controller.js';
import { endpointsController } from './endpoints.js';
import { endpointSliceController } from './endpointslice.js';
import { mirroringController } from './mirroring.js';
import { pack } from './slices.js';

async function scene(endpointsMax = 100) {
  const bench = await Bench.open();
  const { world, registry } = bench;
  const context: ControllerContext = { world, cluster: clusterOf(registry, world), log: () => {} };
  const controllers = [
    endpointsController(context),
    endpointSliceController(context, { endpointsMax }),
    mirroringController(context, { addressesMax: 3 }),
  ];
  for (const c of controllers) await c.start();
  onTestFinished(() => {
    for (const c of controllers) c.stop();
  });
  const work = async (): Promise<void> => {
    for (let second = 0; second < 3; second++) {
      world.advance(1000);
      for (let i = 0; i < 60; i++) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await bench.create('nodes', '', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', labels: { 'topology.kubernetes.io/zone': 'z' } },
  });
  const service = (name: string, spec: JsonObject) =>
    bench.create('services', 'default', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, labels: { l: 'v' } },
      spec,
    });
  const pod = async (name: string, ips: readonly string[], ready: boolean, spec: JsonObject = {}): Promise<void> => {
    await bench.create('pods', 'default', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels: { app: 'a' } },
      spec: {
        nodeName: 'n',
        containers: [{ name: 'c', image: 'i', ports: [{ name: 'http', containerPort: 8080 }] }],
        ...spec,
      },
    });
    const conditions = [
      { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2030-01-01T00:00:00Z' },
    ];
    const status = { phase: 'Running', podIP: ips[0]!, podIPs: ips.map((ip) => ({ ip })), conditions };
    await bench.patch('pods/status', ['default', name], { status });
  };
  const slices = async (): Promise<JsonObject[]> =>
    (await bench.list('endpointslices.discovery.k8s.io/v1', 'default')).items;
  return { bench, work, service, pod, slices };
}

const addresses = (slice: JsonObject): string[] =>
  ((slice['endpoints'] ?? []) as JsonObject[]).map((e) => String((e['addresses'] as string[])[0])).sort();

describe('services with a selector', () => {
  it('have slices and Endpoints of their pods', async () => {
    const { bench, work, service, pod, slices } = await scene();
    await service('s', { selector: { app: 'a' }, ports: [{ name: 'web', port: 80, targetPort: 'http' }] });
    await pod('ready', ['10.0.0.1'], true, { hostname: 'h', subdomain: 's' });
    await pod('starting', ['10.0.0.2'], false);
    await work();
    const [slice, ...others] = await slices();
    expect(others).toEqual([]);
    expect(slice).toMatchObject({
      addressType: 'IPv4',
      ports: [{ name: 'web', port: 8080, protocol: 'TCP' }],
      metadata: {
        labels: {
          l: 'v',
          'kubernetes.io/service-name': 's',
          'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        },
        ownerReferences: [{ kind: 'Service', name: 's', controller: true }],
      },
    });
    expect(slice!['endpoints']).toMatchObject([
      {
        addresses: ['10.0.0.1'],
        conditions: { ready: true, serving: true, terminating: false },
        hostname: 'h',
        nodeName: 'n',
        zone: 'z',
        targetRef: { kind: 'Pod', name: 'ready' },
      },
      { addresses: ['10.0.0.2'], conditions: { ready: false, serving: false, terminating: false } },
    ]);
    expect((await bench.get('endpoints', 'default', 's'))['subsets']).toMatchObject([
      {
        addresses: [{ ip: '10.0.0.1', hostname: 'h', nodeName: 'n' }],
        notReadyAddresses: [{ ip: '10.0.0.2' }],
        ports: [{ name: 'web', port: 8080, protocol: 'TCP' }],
      },
    ]);
  });

  it('show terminating pods as serving until they are deleted', async () => {
    const { bench, work, service, pod, slices } = await scene();
    await service('s', { selector: { app: 'a' }, ports: [{ port: 80 }] });
    await pod('p', ['10.0.0.1'], true);
    await bench.patch('pods', ['default', 'p'], { metadata: { finalizers: ['x.example/hold'] } });
    await bench.delete('pods', 'default', 'p', { gracePeriodSeconds: 0 });
    await work();
    expect((await slices())[0]!['endpoints']).toMatchObject([
      { conditions: { ready: false, serving: true, terminating: true } },
    ]);
    expect(await bench.get('endpoints', 'default', 's')).not.toHaveProperty('subsets');
    await bench.patch('pods', ['default', 'p'], { metadata: { finalizers: null } });
    await work();
    expect((await slices()).map(addresses)).toEqual([[]]);
  });

  it('publish addresses that are not ready if the service requests it, without a port if it is headless', async () => {
    const { bench, work, service, pod, slices } = await scene();
    await service('s', { clusterIP: 'None', publishNotReadyAddresses: true, selector: { app: 'a' } });
    await pod('p', ['10.0.0.1'], false);
    await work();
    const [slice] = await slices();
    expect(slice!['endpoints']).toMatchObject([{ conditions: { ready: true, serving: false } }]);
    expect((slice!['metadata'] as JsonObject)['labels']).toHaveProperty(['service.kubernetes.io/headless'], '');
    expect((await bench.get('endpoints', 'default', 's'))['subsets']).toMatchObject([
      { addresses: [{ ip: '10.0.0.1' }] },
    ]);
  });

  it('have slices of each family, and as few as the limit allows', async () => {
    const { work, service, pod, slices } = await scene(2);
    await service('s', {
      clusterIP: 'None',
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
      selector: { app: 'a' },
      ports: [{ port: 80 }],
    }).catch(() => service('s', { clusterIP: 'None', selector: { app: 'a' }, ports: [{ port: 80 }] }));
    for (const n of [1, 2, 3]) await pod(`p${n}`, [`10.0.0.${n}`, `fd00::${n}`], true);
    await work();
    const made = (await slices()).filter((slice) => slice['addressType'] === 'IPv4');
    expect(made.flatMap(addresses).sort()).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3']);
    expect(made).toHaveLength(2);
  });

  it('lose their Endpoints when they are deleted, even while no controller runs', async () => {
    const { bench, work, service, pod } = await scene();
    await service('s', { selector: { app: 'a' }, ports: [{ port: 80 }] });
    await pod('p', ['10.0.0.1'], true);
    await work();
    await bench.delete('services', 'default', 's');
    await bench.create('endpoints', 'default', { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'mine' } });
    await work();
    const { items } = await bench.list('endpoints', 'default');
    expect(items.map((o) => (o['metadata'] as JsonObject)['name'])).toEqual(['mine']);
  });
});

describe('Endpoints without a selector', () => {
  it('are mirrored by family and ports, up to a limit, until the service has a selector', async () => {
    const { bench, work, service, slices } = await scene();
    await service('s', { ports: [{ port: 80 }] });
    const addressesOf = (...ips: string[]) => ips.map((ip) => ({ ip }));
    await bench.create('endpoints', 'default', {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name: 's', labels: { e: 'f' }, annotations: { a: 'b' } },
      subsets: [
        { addresses: addressesOf('192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'), ports: [{ port: 80 }] },
        { addresses: addressesOf('2001:db8::1'), notReadyAddresses: addressesOf('192.0.2.9'), ports: [{ port: 81 }] },
      ],
    });
    await work();
    const made = (await slices()).map((s) => [
      s['addressType'],
      (s['ports'] as JsonObject[])[0]!['port'],
      addresses(s),
    ]);
    expect(made).toEqual(
      expect.arrayContaining([
        ['IPv4', 80, ['192.0.2.1', '192.0.2.2', '192.0.2.3']],
        ['IPv4', 81, ['192.0.2.9']],
        ['IPv6', 81, ['2001:db8::1']],
      ]),
    );
    expect(made).toHaveLength(3);
    expect((await slices())[0]!['metadata']).toMatchObject({
      labels: { e: 'f', 'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io' },
      annotations: { a: 'b' },
      ownerReferences: [{ kind: 'Endpoints', name: 's' }],
    });
    await bench.patch('endpoints', ['default', 's'], {
      metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    });
    await work();
    expect(await slices()).toEqual([]);
  });
});

describe('packing', () => {
  const endpoint = (n: number): JsonObject => ({ addresses: [`10.0.0.${n}`], conditions: { ready: true } });
  const slice = (name: string, ...numbers: number[]): JsonObject => ({
    metadata: { name },
    endpoints: numbers.map(endpoint),
  });
  const run = (present: readonly JsonObject[], ...numbers: number[]) => {
    const endpoints = numbers.map(endpoint);
    const changes = pack({ present, endpoints, endpointsMax: 3, empty: slice(''), labelsFor: () => undefined });
    const shown = (s: JsonObject) => [(s['metadata'] as JsonObject)['name'], addresses(s).length];
    return [changes.create.map(shown), changes.update.map(shown), changes.remove.map(shown)];
  };

  it('does not change slices that fit', () => expect(run([slice('a', 1, 2)], 1, 2)).toEqual([[], [], []]));
  it('fills the slice that changes', () =>
    expect(run([slice('a', 1, 2), slice('b', 3)], 1, 3, 4)).toEqual([[], [['a', 2]], []]));
  it('fills the slice that fits best', () =>
    expect(run([slice('a', 1), slice('b', 2, 3)], 1, 2, 3, 4)).toEqual([[], [['b', 3]], []]));
  it('creates new slices for many', () =>
    expect(run([slice('a', 1, 2, 3)], 1, 2, 3, 4, 5, 6, 7)).toEqual([
      [
        ['', 3],
        ['', 1],
      ],
      [],
      [],
    ]));
  it('removes an empty slice', () => expect(run([slice('a', 1), slice('b', 2)], 1)).toEqual([[], [], [['b', 1]]]));
});
