import { describe, expect, it, onTestFinished } from 'vitest';
import { errors, type JsonObject } from '../api/index.js';
import { Bench } from '../registry/testing.js';
import { clusterOf } from '../server/cluster.js';
import { garbageCollector } from './garbagecollector.js';
import type { RemoteOwners } from './remoteowners.js';

const API = 'demo.example.com/v1';

/** A registry with a garbage collector, and a server of things beside it. */
async function scene() {
  const bench = await Bench.open();
  const { world, registry } = bench;
  /** The things, by namespace and name. */
  const things = new Map<string, JsonObject>();
  const server = { isRegistered: true, fails: false, reads: 0 };
  const remote: RemoteOwners = {
    serves: (apiVersion) => server.isRegistered && apiVersion === API,
    async read({ kind, name }, namespace) {
      server.reads++;
      if (server.fails) throw errors.internal('no answer');
      if (kind !== 'Thing' || namespace === '') return 'unserved';
      return things.get(`${namespace}/${name}`);
    },
  };
  const collector = garbageCollector({ world, cluster: clusterOf(registry, world), log: () => {} }, remote);
  await collector.start();
  onTestFinished(() => collector.stop());
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      world.advance(1000);
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const make = async (name: string, owners: readonly JsonObject[]): Promise<void> => {
    const metadata = { name, ownerReferences: [...owners] };
    await bench.create('configmaps', 'default', { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  };
  const names = async (): Promise<string[]> =>
    (await bench.list('configmaps', 'default')).items.map((o) => String((o['metadata'] as JsonObject)['name']));
  return { bench, things, server, pass, make, names };
}

const thing = (uid: string, more: JsonObject = {}): JsonObject => ({ metadata: { uid, ...more } });
const reference = (name: string, uid: string, kind = 'Thing'): JsonObject => ({ apiVersion: API, kind, name, uid });

describe('the garbage collector, for owners at aggregated servers', () => {
  it('keeps dependents while the owner exists, and deletes them when it is gone', async () => {
    const { things, pass, make, names } = await scene();
    things.set('default/a', thing('1'));
    await make('kept', [reference('a', '1')]);
    await make('never', [reference('b', '2')]);
    await make('another', [reference('a', '3')]);
    await make('both', [reference('a', '1'), reference('b', '2')]);
    await pass(300);
    expect(await names()).toEqual(['both', 'kept']);
    things.delete('default/a');
    await pass(120);
    expect(await names()).toEqual([]);
  });

  it('deletes the dependents of an owner that waits for them', async () => {
    const { things, pass, make, names } = await scene();
    things.set(
      'default/a',
      thing('1', { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['foregroundDeletion'] }),
    );
    await make('first', [reference('a', '1')]);
    await pass(10);
    expect(await names()).toEqual([]);
  });

  it('drops the reference to an owner that is gone from an object that another keeps', async () => {
    const { bench, things, pass, make } = await scene();
    things.set('default/a', thing('1'));
    await make('both', [reference('a', '1'), reference('b', '2')]);
    await pass(60);
    const { ownerReferences } = (await bench.get('configmaps', 'default', 'both'))['metadata'] as JsonObject;
    expect(ownerReferences).toEqual([reference('a', '1')]);
  });

  it('concludes nothing from a server that fails or does not have the kind', async () => {
    const { server, pass, make, names } = await scene();
    server.fails = true;
    await make('failing', [reference('a', '1')]);
    await make('other', [reference('a', '2', 'Unknown')]);
    await pass(600);
    expect(await names()).toEqual(['failing', 'other']);
    server.fails = false;
    await pass(120);
    expect(await names()).toEqual(['other']);
  });

  it('looks for owners when their server is registered', async () => {
    const { bench, server, pass, make, names } = await scene();
    server.isRegistered = false;
    await make('early', [reference('a', '1')]);
    await pass(600);
    expect([await names(), server.reads]).toEqual([['early'], 0]);
    server.isRegistered = true;
    const service = { namespace: 'default', name: 'demo', port: 443 };
    const [group, version] = API.split('/') as [string, string];
    await bench.create('apiservices.apiregistration.k8s.io/v1', '', {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `${version}.${group}` },
      spec: { group, version, groupPriorityMinimum: 100, versionPriority: 100, service, insecureSkipTLSVerify: true },
    });
    await pass(60);
    expect(await names()).toEqual([]);
  });

  it('reads an owner once for all its dependents, less and less often, and no more without dependents', async () => {
    const { bench, things, server, pass, make } = await scene();
    things.set('default/a', thing('1'));
    const all = ['a', 'b', 'c', 'd'];
    for (const name of all) await make(name, [reference('a', '1')]);
    await pass(600);
    // 1, 2, 4 to 32 s, and then every 60 s.
    expect(server.reads).toBeGreaterThan(10);
    expect(server.reads).toBeLessThan(20);
    for (const name of all) await bench.delete('configmaps', 'default', name);
    await pass(120);
    const { reads } = server;
    await pass(600);
    expect(server.reads).toBe(reads);
  });
});
