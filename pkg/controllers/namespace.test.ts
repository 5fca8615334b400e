import { describe, expect, it, onTestFinished } from 'vitest';
import { errors, type JsonObject } from '../api/index.js';
import { Bench, refusal } from '../registry/testing.js';
import { clusterOf } from '../server/cluster.js';
import type { Cluster } from './cluster.js';
import { namespaceController } from './namespace.js';
import { NO_REMOTE_CONTENT, type RemoteContent } from './remotecontent.js';

/** A registry with a namespace `n` and the namespace controller. */
async function scene(wrap: (cluster: Cluster) => Cluster = (c) => c, remote: RemoteContent = NO_REMOTE_CONTENT) {
  const bench = await Bench.open();
  const { world, registry } = bench;
  const cluster = wrap(clusterOf(registry, world));
  const controller = namespaceController({ world, cluster, log: () => {} }, remote);
  await controller.start();
  onTestFinished(() => controller.stop());
  await bench.create('namespaces', '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
  /** Counts rounds of work within some seconds. */
  const work = async (seconds = 60): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      world.advance(1000);
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const conditions = async (): Promise<Record<string, string>> => {
    const { status } = await bench.get('namespaces', '', 'n');
    const list = ((status as JsonObject)['conditions'] ?? []) as JsonObject[];
    return Object.fromEntries(list.filter((c) => c['status'] === 'True').map((c) => [c['type'], String(c['message'])]));
  };
  return { bench, work, conditions };
}

const map = (name: string, finalizers: readonly string[] = []): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, finalizers: [...finalizers] },
});

describe('namespace deletion', () => {
  it('deletes the content, reports what blocks it, and finalizes the namespace', async () => {
    const { bench, work, conditions } = await scene();
    await bench.create('configmaps', 'n', map('free'));
    await bench.create('configmaps', 'n', map('held', ['x.example/hold']));
    await bench.delete('namespaces', '', 'n');
    await work();
    expect((await bench.list('configmaps', 'n')).items).toHaveLength(1);
    expect(await conditions()).toEqual({
      NamespaceContentRemaining: 'Some resources are remaining: configmaps. has 1 resource instances',
      NamespaceFinalizersRemaining:
        'Some content in the namespace has finalizers remaining: x.example/hold in 1 resource instances',
    });
    await bench.patch('configmaps', ['n', 'held'], { metadata: { finalizers: null } });
    await work();
    expect(await refusal(bench.get('namespaces', '', 'n'))).toMatch(/^404/);
  });

  it('waits for changes of the remaining content, and otherwise retries with backoff', async () => {
    let lists = 0;
    const { bench, work } = await scene((cluster) => ({
      ...cluster,
      list: (resource, namespace) => {
        if (resource.resource === 'pods') lists++;
        return cluster.list(resource, namespace);
      },
    }));
    await bench.create('configmaps', 'n', map('held', ['x.example/hold']));
    await bench.delete('namespaces', '', 'n');
    await work(10);
    lists = 0;
    await work(1200);
    // A fixed interval of 0.5 s would give 2,400 rounds.
    expect(lists).toBeLessThan(15);
    await bench.patch('configmaps', ['n', 'held'], { metadata: { finalizers: null } });
    await work(2);
    expect(await refusal(bench.get('namespaces', '', 'n'))).toMatch(/^404/);
  });

  // A leader that was deposed works on, and meanwhile the next one completes the deletion and a user creates the namespace again.
  for (const [when, resource] of [
    ['deletes content', 'configmaps'],
    ['finalizes it', 'secrets'],
  ] as const) {
    it(`leaves a new namespace of the same name alone when a deposed leader ${when}`, async () => {
      let replaced = false;
      const { bench, work } = await scene((cluster) => ({
        ...cluster,
        deleteCollection: async (of, namespace, isDue) => {
          if (of.resource !== resource || replaced) return cluster.deleteCollection(of, namespace, isDue);
          replaced = true;
          if (resource === 'secrets') await cluster.deleteCollection(of, namespace, isDue);
          for (const kind of ['configmaps', 'secrets']) {
            for (const { metadata } of (await bench.list(kind, 'n')).items as { metadata: { name: string } }[])
              await bench.delete(kind, 'n', metadata.name);
          }
          const namespaces = cluster.servedResources().find('', 'v1', 'namespaces')!;
          const place = { resource: namespaces, namespace: '', name: 'n' };
          await cluster.replace(place, 'finalize', { ...(await cluster.get(place))!, spec: {} });
          await bench.create('namespaces', '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
          if (resource === 'secrets') return;
          await bench.create('configmaps', 'n', map('kept'));
          await cluster.deleteCollection(of, namespace, isDue);
        },
      }));
      await bench.create('configmaps', 'n', map('old'));
      await bench.create('secrets', 'n', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'old' } });
      await bench.delete('namespaces', '', 'n');
      await work(5);
      expect(replaced).toBe(true);
      expect((await bench.list('configmaps', 'n')).items).toHaveLength(resource === 'configmaps' ? 1 : 0);
      const { spec, status } = await bench.get('namespaces', '', 'n');
      expect([spec, status]).toEqual([{ finalizers: ['kubernetes'] }, { phase: 'Active' }]);
    });
  }

  it('deletes nothing else while pods remain', async () => {
    let failing = true;
    const { bench, work, conditions } = await scene((cluster) => ({
      ...cluster,
      deleteCollection: (resource, namespace, isDue) =>
        failing && resource.resource === 'pods'
          ? Promise.reject(errors.internal('not now'))
          : cluster.deleteCollection(resource, namespace, isDue),
    }));
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await bench.create('pods', 'n', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
    await bench.create('configmaps', 'n', map('a'));
    await bench.delete('namespaces', '', 'n');
    await work();
    expect((await bench.list('configmaps', 'n')).items).toHaveLength(1);
    expect((await conditions())['NamespaceDeletionContentFailure']).toMatch(/not now/);
    failing = false;
    await work();
    expect(await refusal(bench.get('namespaces', '', 'n'))).toMatch(/^404/);
  });

  it('deletes the objects of aggregated servers too, and waits for a server that does not tell what it has', async () => {
    const unknown = ['demo.example.com/v1'];
    const things = new Map([
      ['a', []],
      ['b', ['x.example/hold']],
    ]);
    const thing = {
      name: 'things.demo.example.com',
      finalizers: async () => [...things.values()],
      deleteAll: async () => void things.delete('a'),
    };
    const known = () => (unknown.length === 0 ? [thing] : []);
    const { bench, work, conditions } = await scene((c) => c, { resources: () => ({ known: known(), unknown }) });
    await bench.delete('namespaces', '', 'n');
    await work();
    expect(await conditions()).toEqual({
      NamespaceDeletionDiscoveryFailure:
        'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: demo.example.com/v1: stale GroupVersion discovery: demo.example.com/v1',
    });
    unknown.pop();
    await work(600);
    expect([...things.keys()]).toEqual(['b']);
    expect(await conditions()).toEqual({
      NamespaceContentRemaining: 'Some resources are remaining: things.demo.example.com has 1 resource instances',
      NamespaceFinalizersRemaining:
        'Some content in the namespace has finalizers remaining: x.example/hold in 1 resource instances',
    });
    things.clear();
    await work(600);
    expect(await refusal(bench.get('namespaces', '', 'n'))).toMatch(/^404/);
  });
});
