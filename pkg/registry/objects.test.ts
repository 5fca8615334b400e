import { describe, expect, it } from 'vitest';
import { ApiError, type JsonObject } from '../api/index.js';
import { Bench } from './testing.js';

async function withPods(n: number): Promise<Bench> {
  const b = await Bench.open();
  for (let i = 0; i < n; i++) {
    await b.create('pods', 'default', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `p${i}`, labels: { app: 'a' } },
      spec: { containers: [{ name: 'c', image: 'i' }], terminationGracePeriodSeconds: 0 },
    });
  }
  return b;
}

const bind = (b: Bench, pod: string, node: string): Promise<JsonObject> =>
  b.create(
    'pods/binding',
    'default',
    { apiVersion: 'v1', kind: 'Binding', metadata: { name: pod }, target: { kind: 'Node', name: node } },
    { name: pod },
  );

const evict = (b: Bench, pod: string, dryRun = false): Promise<JsonObject> =>
  b.create(
    'pods/eviction',
    'default',
    { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod } },
    { name: pod, dryRun },
  );

async function codes(all: readonly Promise<unknown>[]): Promise<number[]> {
  const settled = await Promise.allSettled(all);
  return settled
    .map((s) => (s.status === 'fulfilled' ? 201 : s.reason instanceof ApiError ? s.reason.status.code : 0))
    .sort();
}

describe('actions', () => {
  it('decide each on what the one before left', async () => {
    const b = await withPods(1);
    const nodes = ['a', 'b', 'c', 'd', 'e', 'f'];
    expect(await codes(nodes.map((node) => bind(b, 'p0', node)))).toEqual([201, 409, 409, 409, 409, 409]);
    const pod = await b.get('pods', 'default', 'p0');
    expect(nodes).toContain((pod['spec'] as JsonObject)['nodeName']);
    expect(pod['metadata']).toMatchObject({ generation: 1 });
  });

  it('share what there is between them', async () => {
    const b = await withPods(6);
    for (let i = 0; i < 6; i++) await bind(b, `p${i}`, 'n');
    for (let i = 0; i < 6; i++) {
      const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      await b.patch('pods/status', ['default', `p${i}`], { status });
    }
    await b.create('poddisruptionbudgets.policy/v1', 'default', {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'budget' },
      spec: { minAvailable: 4, selector: { matchLabels: { app: 'a' } } },
    });
    await b.patch('poddisruptionbudgets.policy/v1/status', ['default', 'budget'], {
      status: { observedGeneration: 1, disruptionsAllowed: 2, currentHealthy: 6, desiredHealthy: 4, expectedPods: 6 },
    });
    expect(await codes([evict(b, 'p0', true), evict(b, 'p1', true)])).toEqual([201, 201]);
    const all = Array.from({ length: 6 }, (_, i) => evict(b, `p${i}`));
    expect(await codes(all)).toEqual([201, 201, 429, 429, 429, 429]);
    expect((await b.list('pods', 'default')).items).toHaveLength(4);
    const budget = await b.get('poddisruptionbudgets.policy/v1', 'default', 'budget');
    expect(budget['status']).toMatchObject({ disruptionsAllowed: 0 });
    expect(Object.keys((budget['status'] as JsonObject)['disruptedPods'] as JsonObject)).toHaveLength(2);
  });

  it('find nothing where nothing is', async () => {
    const b = await withPods(0);
    expect(await codes([bind(b, 'p0', 'n'), evict(b, 'p0')])).toEqual([404, 404]);
  });
});
