import { expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { refusal } from '../../registry/testing.js';
import { conditionsIn, metaIn, openScene } from '../testing/scene.js';
import { attributesClassProtection, claimProtection, volumeProtection } from './volumes.js';

const claim = (name: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more },
});

const pod = (name: string, claimName: string, nodeName?: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    ...(nodeName === undefined ? {} : { nodeName }),
    containers: [{ name: 'c', image: 'i' }],
    volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }],
  },
});

it('keeps a claim until no pod on a node uses it', async () => {
  const { bench, context, start, work } = await openScene();
  await start(claimProtection(context, { unusedSince: false }));
  await bench.create('persistentvolumeclaims', 'default', claim('c'));
  await bench.create('pods', 'default', pod('placed', 'c', 'n'));
  await bench.create('pods', 'default', pod('pending', 'c'));
  await work();
  const made = await bench.get('persistentvolumeclaims', 'default', 'c');
  expect(metaIn(made)['finalizers']).toEqual(['kubernetes.io/pvc-protection']);
  await bench.delete('persistentvolumeclaims', 'default', 'c');
  await work();
  expect(metaIn(await bench.get('persistentvolumeclaims', 'default', 'c'))).toHaveProperty('deletionTimestamp');
  await bench.delete('pods', 'default', 'placed', { gracePeriodSeconds: 0 });
  await work();
  expect(await refusal(bench.get('persistentvolumeclaims', 'default', 'c'))).toMatch(/^404/);
});

it('reports whether a pod uses a bound claim', async () => {
  const { bench, context, start, work } = await openScene();
  await start(claimProtection(context, { unusedSince: true }));
  await bench.create('persistentvolumeclaims', 'default', claim('c'));
  await work();
  const shown = async () => conditionsIn(await bench.get('persistentvolumeclaims', 'default', 'c'));
  expect(await shown()).toEqual({});
  await bench.patch('persistentvolumeclaims/status', ['default', 'c'], { status: { phase: 'Bound' } });
  await work();
  expect(await shown()).toEqual({ Unused: 'True' });
  await bench.create('pods', 'default', pod('p', 'c'));
  await work();
  expect(await shown()).toEqual({ Unused: 'False' });
});

it('keeps a volume while it is bound', async () => {
  const { bench, context, start, work } = await openScene();
  await start(volumeProtection(context));
  await bench.create('persistentvolumes', '', {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'v' },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/x' } },
  });
  await work();
  await bench.patch('persistentvolumes/status', ['', 'v'], { status: { phase: 'Bound' } });
  await bench.delete('persistentvolumes', '', 'v');
  await work();
  expect(metaIn(await bench.get('persistentvolumes', '', 'v'))['finalizers']).toEqual(['kubernetes.io/pv-protection']);
  await bench.patch('persistentvolumes/status', ['', 'v'], { status: { phase: 'Released' } });
  await work();
  expect(await refusal(bench.get('persistentvolumes', '', 'v'))).toMatch(/^404/);
});

it('keeps a VolumeAttributesClass while a claim refers to it', async () => {
  const { bench, context, start, work } = await openScene();
  await start(attributesClassProtection(context));
  const classes = 'volumeattributesclasses.storage.k8s.io/v1';
  await bench.create(classes, '', {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttributesClass',
    metadata: { name: 'fast' },
    driverName: 'd.example',
    parameters: { a: 'b' },
  });
  await bench.create('persistentvolumeclaims', 'default', claim('c', { volumeAttributesClassName: 'fast' }));
  await work();
  await bench.delete(classes, '', 'fast');
  await work();
  expect(metaIn(await bench.get(classes, '', 'fast'))['finalizers']).toEqual(['kubernetes.io/vac-protection']);
  await bench.delete('persistentvolumeclaims', 'default', 'c');
  await work();
  expect(await refusal(bench.get(classes, '', 'fast'))).toMatch(/^404/);
});
