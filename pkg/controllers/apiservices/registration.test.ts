import { expect, it } from 'vitest';
import { isObject, type JsonObject } from '../../api/index.js';
import { openScene } from '../testing/scene.js';
import { apiServiceRegistration } from './registration.js';

const SERVICES = 'apiservices.apiregistration.k8s.io/v1';
const MANAGED = 'kube-aggregator.kubernetes.io/automanaged';

it('corrects and removes the APIServices of built-in versions at the start only', async () => {
  const { bench, context, start, work } = await openScene();
  const controller = await start(apiServiceRegistration(context));
  await work(3);
  const names = async (): Promise<readonly unknown[]> =>
    (await bench.list(SERVICES, '')).items.map((o) => isObject(o['metadata']) && o['metadata']['name']);
  const priority = async (name: string): Promise<unknown> => {
    const { spec } = await bench.get(SERVICES, '', name);
    return isObject(spec) && spec['groupPriorityMinimum'];
  };
  expect(await names()).toContain('v1.apps');
  const before = await priority('v1.batch');
  const lower: JsonObject = { spec: { groupPriorityMinimum: 3 } };
  await bench.delete(SERVICES, '', 'v1.apps');
  await bench.patch(SERVICES, ['', 'v1.batch'], lower);
  await bench.patch(SERVICES, ['', 'v1.policy'], { ...lower, metadata: { labels: { [MANAGED]: null } } });
  const local = { group: 'other.example', version: 'v1', groupPriorityMinimum: 10, versionPriority: 10 };
  const service = (group: string, managed: string): Promise<unknown> =>
    bench.create(SERVICES, '', {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `v1.${group}`, labels: { [MANAGED]: managed } },
      spec: { ...local, group },
    });
  await service('gone.example', 'true');
  await service('later.example', 'onstart');
  await work(3);
  expect(await names()).not.toContain('v1.apps');
  expect(await names()).not.toContain('v1.gone.example');
  expect(await names()).toContain('v1.later.example');
  expect(await priority('v1.batch')).toBe(3);

  controller.stop();
  await start(apiServiceRegistration(context));
  await work(3);
  expect(await names()).toContain('v1.apps');
  expect(await names()).not.toContain('v1.later.example');
  expect(await priority('v1.batch')).toBe(before);
  expect(await priority('v1.policy')).toBe(3);
});
