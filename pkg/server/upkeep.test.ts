import { describe, expect, it } from 'vitest';
import { Bench } from '../registry/testing.js';
import { keepUp } from './upkeep.js';

const MINUTE = 60_000;
const SCHEMAS = 'flowschemas.flowcontrol.apiserver.k8s.io';
const LEVELS = 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io';

describe('what every cluster has', () => {
  /** Calls `done` in later turns until it resolves without an error. */
  async function eventually(done: () => Promise<void>): Promise<void> {
    for (let turns = 0; ; turns++) {
      try {
        return await done();
      } catch (error) {
        if (turns === 500) throw error;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }
  const log = (text: string, fields: Readonly<Record<string, unknown>>): void => {
    throw new Error(`${text} ${JSON.stringify(fields)}`);
  };

  it('is created again, and reset, within a minute', async () => {
    const b = await Bench.open();
    const stop = keepUp(b.registry, b.world, log);
    b.world.advance(MINUTE);
    await eventually(async () => void (await b.get(SCHEMAS, '', 'exempt')));
    const levels = await b.list(LEVELS, '');
    const before = (await b.list('namespaces', '')).items.map((o) => (o['metadata'] as { uid: string }).uid);

    await b.delete('namespaces', '', 'kube-node-lease');
    const going = await b.get('namespaces', '', 'kube-node-lease');
    await b.update('namespaces/finalize', '', { ...going, spec: { finalizers: [] } });
    await b.delete(SCHEMAS, '', 'exempt');
    await b.patch(LEVELS, ['', 'workload-low'], { spec: { limited: { nominalConcurrencyShares: 7 } } });
    b.world.advance(MINUTE - 1);
    await expect(b.get('namespaces', '', 'kube-node-lease')).rejects.toMatchObject({ status: { code: 404 } });
    b.world.advance(1);
    await eventually(async () => {
      await b.get(SCHEMAS, '', 'exempt');
      const { items } = await b.list(LEVELS, '');
      expect(items.map((o) => o['spec'])).toEqual(levels.items.map((o) => o['spec']));
    });
    const { items } = await b.list('namespaces', '');
    const kept = items.filter((o) => before.includes((o['metadata'] as { uid: string }).uid));
    expect([items.length, kept.length]).toEqual([before.length, before.length - 1]);
    stop();
  });

  it('may have other shares of the priority level exempt, and goes when its release does', async () => {
    const b = await Bench.open();
    const stop = keepUp(b.registry, b.world, log);
    b.world.advance(MINUTE);
    await eventually(async () => void (await b.get(SCHEMAS, '', 'exempt')));
    await b.patch(LEVELS, ['', 'exempt'], { spec: { exempt: { nominalConcurrencyShares: 7, lendablePercent: 10 } } });
    const level = await b.get(LEVELS, '', 'workload-low');
    const made = (name: string, follows: string): Promise<unknown> =>
      b.create(LEVELS, '', {
        ...level,
        metadata: { name, annotations: { 'apf.kubernetes.io/autoupdate-spec': follows } },
      });
    await made('former', 'T');
    await made('own', 'false');
    await made('odd', 'yes');
    b.world.advance(MINUTE);
    await eventually(() => expect(b.get(LEVELS, '', 'former')).rejects.toMatchObject({ status: { code: 404 } }));
    await b.get(LEVELS, '', 'own');
    await b.get(LEVELS, '', 'odd');
    const { spec } = await b.get(LEVELS, '', 'exempt');
    expect(spec).toMatchObject({ exempt: { nominalConcurrencyShares: 7, lendablePercent: 10 } });
    stop();
  });

  it('is not written when nothing is missing', async () => {
    const b = await Bench.open();
    const stop = keepUp(b.registry, b.world, log);
    b.world.advance(MINUTE);
    await eventually(async () => void (await b.get(SCHEMAS, '', 'catch-all')));
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
    const { applied } = b.keyspace.status();
    b.world.advance(MINUTE);
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(b.keyspace.status().applied).toBe(applied);
    stop();
  });
});
