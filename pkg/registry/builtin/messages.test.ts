import { expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { Bench, causesOf } from '../testing.js';

/** Rules that were found by looking for messages of kube-apiserver that trireme did not have. */

it('keeps a class of attributes that the volume of a claim has', async () => {
  const bench = await Bench.open();
  await bench.create('persistentvolumeclaims', 'default', {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: '',
      volumeAttributesClassName: 'a',
    },
  });
  const status = (more: JsonObject) => bench.patch('persistentvolumeclaims/status', ['default', 'c'], { status: more });
  const classOf = (name: string | null) =>
    bench.patch('persistentvolumeclaims', ['default', 'c'], { spec: { volumeAttributesClassName: name } });
  await status({ phase: 'Bound' });
  await classOf(null);
  await classOf('a');
  await status({ currentVolumeAttributesClassName: 'a' });
  const path = 'spec.volumeAttributesClassName: Forbidden';
  const why = 'is forbidden when status.currentVolumeAttributesClassName is not nil';
  expect(await causesOf(classOf(null))).toEqual([`${path}: update to nil ${why}`]);
  expect(await causesOf(classOf(''))).toEqual([`${path}: update to empty string ${why}`]);
  await classOf('b');
});

it('refuses a service whose annotations about zones differ', async () => {
  const bench = await Bench.open();
  const [now, before] = ['service.kubernetes.io/topology-mode', 'service.kubernetes.io/topology-aware-hints'];
  const service = (annotations: Record<string, string>) =>
    bench.create('services', 'default', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's', annotations },
      spec: { ports: [{ port: 1 }], clusterIP: 'None' },
    });
  expect(await causesOf(service({ [now!]: 'Auto', [before!]: 'auto' }))).toEqual([
    `metadata.annotations[${now}]: Invalid value: "Auto": must match annotations[${before}] when both are specified`,
  ]);
  await service({ [now!]: 'Auto' });
});

it('refuses options of a volume driver that have names of Kubernetes', async () => {
  const bench = await Bench.open();
  const options = { 'kubernetes.io/x': 'a', 'a.K8s.io': 'b', 'example.com/kubernetes.io': 'c' };
  const flexVolume = { driver: 'd', options };
  const problem = (path: string, key: string): string =>
    `${path}.options[${key}]: Invalid value: "${key}": kubernetes.io and k8s.io namespaces are reserved`;
  const spec = { capacity: { storage: '1' }, accessModes: ['ReadWriteOnce'], flexVolume };
  const volume = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'v' }, spec };
  expect(await causesOf(bench.create('persistentvolumes', '', volume))).toEqual([
    problem('spec.flexVolume', 'kubernetes.io/x'),
    problem('spec.flexVolume', 'a.K8s.io'),
  ]);
  const pod = { containers: [{ name: 'c', image: 'x' }], volumes: [{ name: 'v', flexVolume }] };
  const creating = bench.create('pods', 'default', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: pod,
  });
  expect(await causesOf(creating)).toEqual([
    problem('spec.volumes[0].flexVolume', 'kubernetes.io/x'),
    problem('spec.volumes[0].flexVolume', 'a.K8s.io'),
  ]);
});

it('compares the exceptions of a block that has bits beyond its prefix', async () => {
  const bench = await Bench.open();
  const ipBlock = { cidr: '1.2.3.4/8', except: ['9.9.9.9/32', '1.2.3.0/24'] };
  const policy = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'n' },
    spec: { podSelector: {}, ingress: [{ from: [{ ipBlock }] }] },
  };
  const path = 'spec.ingress[0].from[0].ipBlock';
  expect(await causesOf(bench.create('networkpolicies.networking.k8s.io', 'default', policy))).toEqual([
    `${path}.cidr: Invalid value: "1.2.3.4/8": must not have bits set beyond the prefix length`,
    `${path}.except[0]: Invalid value: "9.9.9.9/32": must be a strict subset of \`cidr\``,
  ]);
});

it('names the selector of a variable whose key is no name of a label', async () => {
  const bench = await Bench.open();
  const env = [{ name: 'e', valueFrom: { fieldRef: { fieldPath: "metadata.labels['A B']" } } }];
  const pod = { containers: [{ name: 'c', image: 'x', env }] };
  const creating = bench.create('pods', 'default', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: pod,
  });
  expect(await causesOf(creating)).toEqual([
    expect.stringMatching(
      /^spec\.containers\[0\]\.env\[0\]\.valueFrom\.fieldRef: Invalid value: "A B": name part must/,
    ),
  ]);
});
