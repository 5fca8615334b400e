import { expect, it, onTestFinished } from 'vitest';
import { builtinAdmission, chosenSteps } from '../admission/index.js';
import type { JsonObject } from '../api/index.js';
import { Bench, refusal, type TestAdmission } from '../registry/testing.js';
import { clusterOf } from '../server/cluster.js';
import { resourceQuotaController } from './resourcequota.js';

const unauthorized = () => Promise.resolve({ allowed: false, reason: '', error: undefined });
const admission: TestAdmission = (objects, world) =>
  chosenSteps(builtinAdmission(objects, world, unauthorized), { enabled: [], disabled: ['ServiceAccount'] });

/** A registry with a quota `q`, and the controller running over it. */
async function scene(hard: JsonObject, spec: JsonObject = {}) {
  const bench = await Bench.open([], admission);
  const { world, registry } = bench;
  const controller = resourceQuotaController({ world, cluster: clusterOf(registry, world), log: () => {} });
  await controller.start();
  onTestFinished(() => controller.stop());
  const work = async (): Promise<void> => {
    for (let second = 0; second < 4; second++) {
      world.advance(1000);
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await bench.create('resourcequotas', 'default', {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q' },
    spec: { hard, ...spec },
  });
  await work();
  const used = async (): Promise<JsonObject> =>
    ((await bench.get('resourcequotas', 'default', 'q'))['status'] as JsonObject)['used'] as JsonObject;
  return { bench, work, used };
}

const pod = (name: string, cpu: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }] },
});

it('sets the status of a new quota, from objects that existed before', async () => {
  const bench = await Bench.open([], admission);
  await bench.create('configmaps', 'default', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
  const { world, registry } = bench;
  const controller = resourceQuotaController({ world, cluster: clusterOf(registry, world), log: () => {} });
  await controller.start();
  onTestFinished(() => controller.stop());
  const hard = { 'count/configmaps': '1', pods: '3', 'services.nodeports': '0' };
  await bench.create('resourcequotas', 'default', {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q' },
    spec: { hard },
  });
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
  const { status } = await bench.get('resourcequotas', 'default', 'q');
  expect(status).toEqual({ hard, used: { 'count/configmaps': '1', pods: '0', 'services.nodeports': '0' } });
});

it('reduces usage when objects are deleted or pods terminate', async () => {
  const { bench, work, used } = await scene({ pods: '2', 'requests.cpu': '1' });
  await bench.create('pods', 'default', pod('a', '600m'));
  expect(await used()).toEqual({ pods: '1', 'requests.cpu': '600m' });
  expect(await refusal(bench.create('pods', 'default', pod('b', '600m')))).toContain(
    'exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
  );
  await bench.delete('pods', 'default', 'a');
  await work();
  expect(await used()).toEqual({ pods: '0', 'requests.cpu': '0' });
  await bench.create('pods', 'default', pod('b', '600m'));
  await bench.patch('pods/status', ['default', 'b'], { status: { phase: 'Succeeded' } });
  await work();
  expect(await used()).toEqual({ pods: '0', 'requests.cpu': '0' });
});

it('counts only objects in its scope', async () => {
  const { bench, used } = await scene({ pods: '5' }, { scopes: ['BestEffort'] });
  await bench.create('pods', 'default', pod('a', '100m'));
  expect(await used()).toEqual({ pods: '0' });
  const { spec } = pod('b', '1');
  const best = { ...(spec as JsonObject), containers: [{ name: 'c', image: 'i' }] };
  await bench.create('pods', 'default', { ...pod('b', '1'), spec: best });
  expect(await used()).toEqual({ pods: '1' });
});

it('counts a pod no longer when it leaves the scope', async () => {
  const { bench, work, used } = await scene({ pods: '5' }, { scopes: ['NotTerminating'] });
  await bench.create('pods', 'default', pod('a', '1'));
  await bench.create('pods', 'default', pod('b', '1'));
  await work();
  expect(await used()).toEqual({ pods: '2' });
  const read = await bench.get('pods', 'default', 'a');
  (read['spec'] as JsonObject)['activeDeadlineSeconds'] = 600;
  await bench.update('pods', 'default', read);
  await work();
  expect(await used()).toEqual({ pods: '1' });
});

it('updates the status when the limits change', async () => {
  const { bench, work, used } = await scene({ pods: '5' });
  await bench.patch('resourcequotas', ['default', 'q'], { spec: { hard: { 'count/secrets': '2' } } });
  await work();
  expect(await used()).toEqual({ 'count/secrets': '0', pods: '0' });
});
