import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { errors } from '../../api/index.js';
import { Bench } from '../../registry/testing.js';
import { clusterOf } from '../../server/cluster.js';
import type { Cluster } from '../cluster.js';
import { replicationController } from './replicationcontroller.js';

async function scene(wrap: (cluster: Cluster) => Cluster = (c) => c) {
  const bench = await Bench.open();
  const { world, registry } = bench;
  const start = async () => {
    const controller = replicationController({ world, cluster: wrap(clusterOf(registry, world)), log: () => {} });
    await controller.start();
    onTestFinished(() => controller.stop());
    return controller;
  };
  const work = async (seconds = 1): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      world.advance(1000);
      for (let i = 0; i < 60; i++) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const pods = async (): Promise<JsonObject[]> => (await bench.list('pods', 'default')).items;
  const status = async (): Promise<JsonObject> =>
    (await bench.get('replicationcontrollers', 'default', 'rc'))['status'] as JsonObject;
  const ready = async (pod: JsonObject): Promise<void> => {
    const lastTransitionTime = new Date(world.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime }];
    await bench.patch('pods/status', ['default', nameOf(pod)], { status: { phase: 'Running', conditions } });
  };
  return { bench, start, work, pods, status, ready };
}

const nameOf = (o: JsonObject): string => String((o['metadata'] as JsonObject)['name']);
const ownersOf = (o: JsonObject) => (o['metadata'] as JsonObject)['ownerReferences'] as JsonObject[] | undefined;

const rc = (replicas: number, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ReplicationController',
  metadata: { name: 'rc' },
  spec: {
    replicas,
    selector: { app: 'a' },
    template: {
      metadata: { labels: { app: 'a', tier: 't' }, annotations: { note: 'n' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    },
    ...more,
  },
});

const pod = (name: string, labels: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels },
  spec: { containers: [{ name: 'c', image: 'i' }] },
});

it('creates missing pods, and reports them', async () => {
  const { bench, start, work, pods, status, ready } = await scene();
  await start();
  await bench.create('replicationcontrollers', 'default', rc(3, { minReadySeconds: 10 }));
  await work();
  const made = await pods();
  expect(made).toHaveLength(3);
  expect(made[0]!['metadata']).toMatchObject({ labels: { app: 'a', tier: 't' }, annotations: { note: 'n' } });
  expect(ownersOf(made[0]!)).toMatchObject([{ kind: 'ReplicationController', name: 'rc', controller: true }]);
  expect(await status()).toEqual({ replicas: 3, fullyLabeledReplicas: 3, observedGeneration: 1 });
  await ready(made[0]!);
  await work(2);
  expect(await status()).toMatchObject({ readyReplicas: 1 });
  expect(await status()).not.toHaveProperty('availableReplicas');
  await work(10);
  expect(await status()).toMatchObject({ readyReplicas: 1, availableReplicas: 1 });
});

it('replaces pods that are deleted or terminated, and deletes surplus ones', async () => {
  const { bench, start, work, pods, status } = await scene();
  await start();
  await bench.create('replicationcontrollers', 'default', rc(2));
  await work();
  const [first, second] = await pods();
  await bench.delete('pods', 'default', nameOf(first!), { gracePeriodSeconds: 0 });
  await bench.patch('pods/status', ['default', nameOf(second!)], { status: { phase: 'Failed' } });
  await work();
  expect(await pods()).toHaveLength(3);
  await bench.patch('replicationcontrollers', ['default', 'rc'], { spec: { replicas: 0 } });
  await work();
  expect((await pods()).map(nameOf)).toEqual([nameOf(second!)]);
  expect(await status()).toEqual({ replicas: 0, observedGeneration: 2 });
});

it('adopts a pod that matches, and releases one that no longer does', async () => {
  const { bench, start, work, pods } = await scene();
  await start();
  await bench.create('pods', 'default', pod('orphan', { app: 'a' }));
  await bench.create('replicationcontrollers', 'default', rc(1));
  await work();
  expect((await pods()).map(nameOf)).toEqual(['orphan']);
  expect(ownersOf((await pods())[0]!)).toHaveLength(1);
  await bench.patch('pods', ['default', 'orphan'], { metadata: { labels: { app: 'other' } } });
  await work();
  const all = await pods();
  expect(all).toHaveLength(2);
  expect(ownersOf(all.find((p) => nameOf(p) === 'orphan')!)).toBeUndefined();
});

it('reports why pods cannot be created, tries one at a time, and then removes the condition', async () => {
  let refused = true;
  let creates = 0;
  const { bench, start, work, pods, status } = await scene((cluster) => ({
    ...cluster,
    create: async (resource, namespace, object) => {
      if (resource.resource !== 'pods') return cluster.create(resource, namespace, object);
      creates++;
      if (refused) throw errors.forbidden({ group: '', resource: 'pods' }, '', 'exceeded quota');
      return cluster.create(resource, namespace, object);
    },
  }));
  await start();
  await bench.create('replicationcontrollers', 'default', rc(10));
  for (let i = 0; i < 60; i++) await new Promise((resolve) => setImmediate(resolve));
  // The write of the status causes one more round.
  expect(creates).toBeLessThanOrEqual(2);
  expect((await status())['conditions']).toMatchObject([
    {
      type: 'ReplicaFailure',
      status: 'True',
      reason: 'FailedCreate',
      message: expect.stringContaining('exceeded quota'),
    },
  ]);
  refused = false;
  await work(5);
  expect(await pods()).toHaveLength(10);
  expect(await status()).not.toHaveProperty('conditions');
});

it('continues after a controller stopped between two creates', async () => {
  let left = 2;
  const { bench, start, work, pods } = await scene((cluster) => ({
    ...cluster,
    create: async (resource, namespace, object) => {
      if (resource.resource === 'pods' && left-- <= 0) throw errors.internal('the leader died');
      return cluster.create(resource, namespace, object);
    },
  }));
  const dying = await start();
  await bench.create('replicationcontrollers', 'default', rc(5));
  for (let i = 0; i < 60; i++) await new Promise((resolve) => setImmediate(resolve));
  expect(await pods()).toHaveLength(2);
  dying.stop();
  left = 100;
  await start();
  await work(2);
  expect(await pods()).toHaveLength(5);
});
