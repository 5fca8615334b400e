import { expect, it, vi } from 'vitest';
import { Bench } from './testing.js';

const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };

/** The clock advances by 20 ms at each reading; yields are counted. */
function slow(b: Bench): () => number {
  let now = b.world.clock.monotonic();
  vi.spyOn(b.world.clock, 'monotonic').mockImplementation(() => (now += 20));
  const immediate = vi.spyOn(b.world.timers, 'immediate');
  return () => immediate.mock.calls.length;
}

it('a write that takes long yields between its stages', async () => {
  const b = await Bench.open();
  const turns = slow(b);
  await b.create('configmaps', 'default', map);
  const ofCreate = turns();
  expect(ofCreate).toBeGreaterThanOrEqual(3);
  await b.patch('configmaps', ['default', 'a'], { data: { k: '1' } });
  expect(turns() - ofCreate).toBeGreaterThanOrEqual(6);
});

it('a write that yields loses no concurrent write', async () => {
  const b = await Bench.open();
  await b.create('configmaps', 'default', map);
  slow(b);
  const keys = ['k', 'l', 'm'];
  await Promise.all(keys.map((key) => b.patch('configmaps', ['default', 'a'], { data: { [key]: '1' } })));
  expect(await b.get('configmaps', 'default', 'a')).toMatchObject({ data: { k: '1', l: '1', m: '1' } });
});

it('a short write does not yield', async () => {
  const b = await Bench.open();
  const immediate = vi.spyOn(b.world.timers, 'immediate');
  await b.create('configmaps', 'default', map);
  expect(immediate.mock.calls).toEqual([]);
});

it('decodes only one large body in each turn', async () => {
  const b = await Bench.open();
  await b.create('configmaps', 'default', { ...map, metadata: { name: 'b' } });
  const data = { k: 'x'.repeat(100_000) };
  const immediate = vi.spyOn(b.world.timers, 'immediate');
  const writes = [
    ...['c', 'd', 'e'].map((name) => b.create('configmaps', 'default', { ...map, metadata: { name }, data })),
    b.patch('configmaps', ['default', 'b'], { data }),
  ];
  await Promise.all(writes);
  // One turn for each of the four.
  expect(immediate.mock.calls.length).toBeGreaterThanOrEqual(4);
});
