import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errors, type JsonObject } from '../api/index.js';
import { Bench, refusal } from '../registry/testing.js';
import { clusterOf } from '../server/cluster.js';
import type { Cluster } from './cluster.js';
import type { Controller } from './controller.js';
import { garbageCollector } from './garbagecollector.js';

const metaOf = (o: JsonObject): JsonObject => o['metadata'] as JsonObject;

/** A registry with a garbage collector. */
class Scene {
  readonly bench: Bench;
  readonly collector: Controller;
  readonly failures: string[] = [];

  private constructor(bench: Bench, wrap: (cluster: Cluster) => Cluster) {
    this.bench = bench;
    const { world, registry } = bench;
    this.collector = garbageCollector({
      world,
      cluster: wrap(clusterOf(registry, world)),
      log: (_, { error }) => this.failures.push(String(error)),
    });
  }

  static async open(wrap: (cluster: Cluster) => Cluster = (c) => c): Promise<Scene> {
    const scene = await Scene.unstarted(wrap);
    await scene.collector.start();
    return scene;
  }

  static async unstarted(wrap: (cluster: Cluster) => Cluster = (c) => c): Promise<Scene> {
    const scene = new Scene(await Bench.open(), wrap);
    onTestFinished(() => scene.collector.stop());
    return scene;
  }

  /** Creates a ConfigMap and returns its uid. */
  async make(name: string, owners: readonly JsonObject[] = [], namespace = 'default'): Promise<string> {
    const made = await this.bench.create('configmaps', namespace, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, ownerReferences: [...owners] },
    });
    return String(metaOf(made)['uid']);
  }

  own(name: string, owners: readonly JsonObject[]): Promise<JsonObject> {
    return this.bench.patch('configmaps', ['default', name], { metadata: { ownerReferences: [...owners] } });
  }

  /** Runs until the queue is empty and no timer is left. */
  async settle(): Promise<void> {
    for (let turn = 0, quiet = 0; quiet < 20; turn++) {
      if (turn > 10_000) throw new Error('the collector does not become idle');
      await new Promise((resolve) => setImmediate(resolve));
      quiet = this.collector.counts.outstanding === 0 ? quiet + 1 : 0;
      if (quiet === 0) this.bench.world.advance(100);
    }
  }

  async names(): Promise<string[]> {
    await this.settle();
    const { items } = await this.bench.list('configmaps', 'default');
    return items.map((o) => String(metaOf(o)['name']));
  }
}

/** Counts the consistent reads of the collector. */
class Reads {
  count = 0;
  readonly counted = (cluster: Cluster): Cluster => ({
    ...cluster,
    get: (place) => {
      this.count++;
      return cluster.get(place);
    },
  });
}

const reference = (name: string, uid: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid,
  ...more,
});
const blocking = (name: string, uid: string): JsonObject => reference(name, uid, { blockOwnerDeletion: true });

describe('the garbage collector', () => {
  it('deletes dependents of deleted owners, transitively', async () => {
    const s = await Scene.open();
    const a = await s.make('a');
    const b = await s.make('b', [reference('a', a)]);
    await s.make('c', [reference('b', b)]);
    await s.make('d', [reference('a', a), reference('e', await s.make('e'))]);
    expect(await s.names()).toEqual(['a', 'b', 'c', 'd', 'e']);
    await s.bench.delete('configmaps', 'default', 'a');
    expect(await s.names()).toEqual(['d', 'e']);
    expect(metaOf(await s.bench.get('configmaps', 'default', 'd'))['ownerReferences']).toMatchObject([{ name: 'e' }]);
    expect(s.failures).toEqual([]);
  });

  it('deletes an object whose owner has another uid or is in another namespace', async () => {
    const s = await Scene.open();
    await s.make('a');
    const far = await s.make('far', [], 'kube-system');
    await s.make('b', [reference('a', 'not-its-uid')]);
    await s.make('c', [reference('far', far)]);
    expect(await s.names()).toEqual(['a']);
  });

  it('looks up owners some time after an object changed, once for several changes', async () => {
    const reads = new Reads();
    const s = await Scene.open(reads.counted);
    const a = await s.make('a');
    await s.make('b', [reference('a', a)]);
    for (let i = 0; i < 10; i++) await s.bench.patch('configmaps', ['default', 'b'], { data: { i: String(i) } });
    await s.own('b', [reference('nobody', 'u')]);
    expect(reads.count).toBe(0);
    expect(await s.names()).toEqual(['a']);
    // The object, and its owner.
    expect(reads.count).toBe(2);
  });

  it('reads nothing for changes of an object whose owners it knows', async () => {
    const reads = new Reads();
    const s = await Scene.open(reads.counted);
    await s.make('b', [reference('a', await s.make('a'))]);
    await s.bench.patch('configmaps', ['default', 'b'], { data: { i: '1' } });
    expect(await s.names()).toEqual(['a', 'b']);
    expect(reads.count).toBe(0);
    await s.bench.delete('configmaps', 'default', 'a');
    expect(await s.names()).toEqual([]);
  });

  it('deletes a dependent that appears while its owner waits for its dependents', async () => {
    const s = await Scene.open();
    const a = await s.make('a');
    const b = await s.make('b', [blocking('a', a)]);
    await s.make('c', [blocking('b', b)]);
    await s.bench.patch('configmaps', ['default', 'c'], { metadata: { finalizers: ['example.com/hold'] } });
    await s.bench.delete('configmaps', 'default', 'a', { propagationPolicy: 'Foreground' });
    await s.settle();
    await s.make('d', [reference('a', a)]);
    expect(await s.names()).toEqual(['a', 'b', 'c']);
    await s.bench.patch('configmaps', ['default', 'c'], { metadata: { finalizers: null } });
    expect(await s.names()).toEqual([]);
  });

  it('keeps an object with an owner of a kind that is not served', async () => {
    const s = await Scene.open();
    await s.make('a', [{ apiVersion: 'nobody.example/v1', kind: 'Thing', name: 'x', uid: 'u' }]);
    expect(await s.names()).toEqual(['a']);
  });

  it('keeps events, which outlive the objects that they describe', async () => {
    const s = await Scene.open();
    await s.bench.create('events', 'default', {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e', ownerReferences: [reference('gone', 'u')] },
      involvedObject: { kind: 'ConfigMap', name: 'gone', namespace: 'default' },
    });
    await s.settle();
    expect(metaOf(await s.bench.get('events', 'default', 'e'))['name']).toBe('e');
  });

  it('deletes dependents before the owner with propagation Foreground', async () => {
    const s = await Scene.open();
    const a = await s.make('a');
    await s.make('b', [blocking('a', a)]);
    await s.bench.patch('configmaps', ['default', 'b'], { metadata: { finalizers: ['x.example/hold'] } });
    await s.bench.delete('configmaps', 'default', 'a', { propagationPolicy: 'Foreground' });
    expect(await s.names()).toEqual(['a', 'b']);
    await s.bench.patch('configmaps', ['default', 'b'], { metadata: { finalizers: null } });
    expect(await s.names()).toEqual([]);
  });

  it('removes owner references with propagation Orphan', async () => {
    const s = await Scene.open();
    const a = await s.make('a');
    await s.make('b', [reference('a', a)]);
    await s.bench.delete('configmaps', 'default', 'a', { propagationPolicy: 'Orphan' });
    expect(await s.names()).toEqual(['b']);
    expect(metaOf(await s.bench.get('configmaps', 'default', 'b'))['ownerReferences']).toBeUndefined();
  });

  it.each([
    ['no longer names it', []],
    ['no longer blocks it', 'unblocked'],
  ] as const)('deletes an owner that waits for a dependent which %s', async (_, how) => {
    const s = await Scene.open();
    const a = await s.make('a');
    const other = await s.make('other');
    await s.make('b', [blocking('a', a), reference('other', other)]);
    await s.bench.patch('configmaps', ['default', 'b'], { metadata: { finalizers: ['x.example/hold'] } });
    await s.bench.delete('configmaps', 'default', 'b', { propagationPolicy: 'Background' });
    // b is being deleted and held by its finalizer, so a waits for it.
    await s.bench.delete('configmaps', 'default', 'a', { propagationPolicy: 'Foreground' });
    expect(await s.names()).toEqual(['a', 'b', 'other']);
    await s.own('b', how === 'unblocked' ? [reference('a', a), reference('other', other)] : []);
    expect(await s.names()).toEqual(['b', 'other']);
  });

  it('completes a foreground deletion of a cycle of owners', async () => {
    const s = await Scene.open();
    const a = await s.make('a');
    const b = await s.make('b', [blocking('a', a)]);
    const c = await s.make('c', [blocking('b', b)]);
    await s.own('a', [blocking('c', c)]);
    await s.make('self');
    const self = String(metaOf(await s.bench.get('configmaps', 'default', 'self'))['uid']);
    await s.own('self', [blocking('self', self)]);
    for (const name of ['a', 'self'])
      await s.bench.delete('configmaps', 'default', name, { propagationPolicy: 'Foreground' });
    expect(await s.names()).toEqual([]);
  });

  it('completes it when the whole cycle is deleted at once', async () => {
    const s = await Scene.open();
    const a = await s.make('a');
    const b = await s.make('b', [blocking('a', a)]);
    await s.own('a', [blocking('b', b)]);
    const foreground = { propagationPolicy: 'Foreground' } as const;
    await Promise.all(['a', 'b'].map((name) => s.bench.delete('configmaps', 'default', name, foreground)));
    expect(await s.names()).toEqual([]);
  });

  it('keeps an object that gets an existing owner between read and deletion', async () => {
    let interfere: (() => Promise<unknown>) | undefined;
    const s = await Scene.open((cluster) => ({
      ...cluster,
      delete: async (place, options) => {
        const first = interfere;
        interfere = undefined;
        await first?.();
        return cluster.delete(place, options);
      },
    }));
    const living = await s.make('living');
    const a = await s.make('a');
    await s.make('b', [reference('a', a)]);
    await s.settle();
    interfere = () => s.own('b', [reference('living', living)]);
    await s.bench.delete('configmaps', 'default', 'a');
    expect(await s.names()).toEqual(['b', 'living']);
    expect(interfere).toBeUndefined();
    expect(s.failures).toEqual([]);
  });

  it('receives nothing after stop, even during the delivery of the current state', async () => {
    const bench = await Bench.open();
    let told = 0;
    const following = clusterOf(bench.registry, bench.world).follow({ changed: () => told++ });
    following.stop();
    await following.caughtUp;
    const before = told;
    await bench.create('configmaps', 'default', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late' } });
    expect(told).toBe(before);
  });

  it.each(['Orphan', 'Foreground'] as const)(
    'starts only after the whole current state was delivered: restart during a deletion, %s',
    async (propagationPolicy) => {
      // The owner is delivered at once, everything else when the test continues.
      const late: (() => void)[] = [];
      let all = false;
      const s = await Scene.unstarted((cluster) => ({
        ...cluster,
        follow: (observer) => {
          const following = cluster.follow({
            changed: (resource, before, after, revision) => {
              const tell = (): void => observer.changed(resource, before, after, revision);
              if (all || after?.name === 'a') tell();
              else late.push(tell);
            },
          });
          const rest = async (): Promise<void> => {
            await following.caughtUp;
            for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
            for (const tell of late.splice(0)) tell();
            all = true;
          };
          return { caughtUp: rest(), stop: following.stop };
        },
      }));
      const a = await s.make('a');
      await s.make('b', [blocking('a', a)]);
      await s.bench.patch('configmaps', ['default', 'b'], { metadata: { finalizers: ['x.example/hold'] } });
      await s.bench.delete('configmaps', 'default', 'a', { propagationPolicy });
      await s.collector.start();
      // Orphaned, b has no owner; held by its finalizer, b blocks a.
      expect(await s.names()).toEqual(propagationPolicy === 'Orphan' ? ['b'] : ['a', 'b']);
      const meta = metaOf(await s.bench.get('configmaps', 'default', 'b'));
      expect([meta['ownerReferences'] === undefined, meta['deletionTimestamp'] === undefined]).toEqual(
        propagationPolicy === 'Orphan' ? [true, true] : [false, false],
      );
    },
  );

  it('retries failures', async () => {
    let failing = 2;
    const s = await Scene.open((cluster) => ({
      ...cluster,
      delete: (place, options) => {
        if (failing-- > 0) return Promise.reject(errors.internal('not now'));
        return cluster.delete(place, options);
      },
    }));
    await s.make('b', [reference('a', 'nobody')]);
    expect(await s.names()).toEqual([]);
    expect(s.failures).toHaveLength(2);
  });

  it('leaves no object half deleted and no reference to a deleted one, for random graphs and propagation policies', async () => {
    const size = 5;
    const edge = fc.record({ from: fc.nat(size - 1), to: fc.nat(size - 1), block: fc.boolean() });
    const deletion = fc.record({
      what: fc.nat(size - 1),
      policy: fc.constantFrom('Background', 'Foreground', 'Orphan'),
    });
    const graph = fc.record({
      edges: fc.uniqueArray(edge, { maxLength: 8, selector: (e) => `${e.from} ${e.to}` }),
      deletions: fc.uniqueArray(deletion, { minLength: 1, maxLength: 3, selector: (d) => d.what }),
    });
    await fc.assert(
      fc.asyncProperty(graph, async ({ edges, deletions }) => {
        const s = await Scene.open();
        const names = Array.from({ length: size }, (_, i) => `o${i}`);
        const uids = await Promise.all(names.map((n) => s.make(n)));
        for (const [i, name] of names.entries()) {
          const owners = edges.filter((e) => e.from === i);
          if (owners.length === 0) continue;
          const references = owners.map((e) => reference(names[e.to]!, uids[e.to]!, { blockOwnerDeletion: e.block }));
          await s.own(name, references);
        }
        await s.settle();
        await Promise.all(
          deletions.map(({ what, policy }) =>
            refusal(s.bench.delete('configmaps', 'default', names[what]!, { propagationPolicy: policy })),
          ),
        );
        await s.settle();
        const { items } = await s.bench.list('configmaps', 'default');
        const left = items.map((o) => metaOf(o));
        const alive = new Set(left.map((m) => m['uid']));
        for (const m of left) {
          expect(m).not.toHaveProperty('deletionTimestamp');
          for (const r of (m['ownerReferences'] ?? []) as JsonObject[]) expect(alive).toContain(r['uid']);
        }
        const deleted = new Set(deletions.map((d) => d.what));
        for (const [i, uid] of uids.entries()) {
          if (deleted.has(i)) expect(alive).not.toContain(uid);
          else if (!edges.some((e) => e.from === i)) expect(alive).toContain(uid);
        }
        s.collector.stop();
      }),
      { numRuns: 60 },
    );
  });
});
