import { expect, it } from 'vitest';
import type { JsonObject } from '../../../api/index.js';
import { Bench, causesOf } from '../../testing.js';

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
