import { expect, it, onTestFinished } from 'vitest';
import { Bench } from '../../registry/testing.js';
import { clusterOf } from '../../server/cluster.js';
import { legacyTokenTracking } from './legacytokentracking.js';

const NAME = 'kube-apiserver-legacy-service-account-token-tracking';

it('keeps the day since which tokens are tracked', async () => {
  const bench = await Bench.open();
  const { world, registry } = bench;
  const controller = legacyTokenTracking({ world, cluster: clusterOf(registry, world), log: () => {} });
  await controller.start();
  onTestFinished(() => controller.stop());
  const settled = async (): Promise<unknown> => {
    for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve));
    return (await bench.get('configmaps', 'kube-system', NAME))['data'];
  };
  const today = { since: new Date(world.clock.now()).toISOString().slice(0, 10) };
  expect(await settled()).toEqual(today);
  const change = (since: string) => bench.patch('configmaps', ['kube-system', NAME], { data: { since } });
  await change('2020-01-01');
  expect(await settled()).toEqual({ since: '2020-01-01' });
  await change('never');
  expect(await settled()).toEqual(today);
});
