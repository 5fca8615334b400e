import { expect, it, vi } from 'vitest';
import { Bench } from './testing.js';

const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };

/** Every look at the clock finds that much time has passed; counts the turns that others were given. */
function slow(b: Bench): () => number {
  let now = b.world.clock.monotonic();
  vi.spyOn(b.world.clock, 'monotonic').mockImplementation(() => (now += 20));
  const after = vi.spyOn(b.world.timers, 'after');
  return () => after.mock.calls.filter(([milliseconds]) => milliseconds === 0).length;
}

it('a write that takes long gives way between its stages', async () => {
  const b = await Bench.open();
  const turns = slow(b);
  await b.create('configmaps', 'default', map);
  const ofCreate = turns();
  expect(ofCreate).toBeGreaterThanOrEqual(3);
  await b.patch('configmaps', ['default', 'a'], { data: { k: '1' } });
  expect(turns() - ofCreate).toBeGreaterThanOrEqual(6);
});

it('loses nothing of what others write meanwhile', async () => {
  const b = await Bench.open();
  await b.create('configmaps', 'default', map);
  slow(b);
  const keys = ['k', 'l', 'm'];
  await Promise.all(keys.map((key) => b.patch('configmaps', ['default', 'a'], { data: { [key]: '1' } })));
  expect(await b.get('configmaps', 'default', 'a')).toMatchObject({ data: { k: '1', l: '1', m: '1' } });
});

it('a write that is over soon takes no turn', async () => {
  const b = await Bench.open();
  const after = vi.spyOn(b.world.timers, 'after');
  await b.create('configmaps', 'default', map);
  expect(after.mock.calls.filter(([milliseconds]) => milliseconds === 0)).toEqual([]);
});
