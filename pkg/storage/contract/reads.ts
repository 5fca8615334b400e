import { expect, it } from 'vitest';
import { type Revision, revision } from '../../base/index.js';
import { type Keyspace, prefixEnd } from '../keyspace.js';
import { all, committed, keys, put, remove, text, values } from './tools.js';

export function describeReads(start: () => Promise<Keyspace>): void {
  it('ranges in key order between start and end', async () => {
    const k = await start();
    for (const key of ['/b/2', '/a/1', '/b/10', '/c', '/b', '/b/']) await put(k, key, 'v');
    expect(await keys(k)).toEqual(['/a/1', '/b', '/b/', '/b/10', '/b/2', '/c']);
    expect(await keys(k, { start: '/b/', end: prefixEnd('/b/') })).toEqual(['/b/', '/b/10', '/b/2']);
    expect(await keys(k, { start: '/b', end: '/b\0' })).toEqual(['/b']);
    expect(await keys(k, { start: '/b/10', end: '/b/2' })).toEqual(['/b/10']);
    expect(await keys(k, { start: '/d', end: '/e' })).toEqual([]);
    expect(await keys(k, { start: '/c', end: '/a' })).toEqual([]);
  });

  it('truncates at the limit and reports whether there is more', async () => {
    const k = await start();
    for (const key of ['/1', '/2', '/3']) await put(k, key, 'v');
    const shapes = [];
    for (const limit of [1, 2, 3, 4]) {
      const result = await k.range({ ...all, limit });
      if (result.kind === 'ok') shapes.push([limit, result.items.length, result.more]);
    }
    expect(shapes).toEqual([
      [1, 1, true],
      [2, 2, true],
      [3, 3, false],
      [4, 3, false],
    ]);
  });

  it('reads every kept revision as it was', async () => {
    const k = await start();
    const states = new Map<Revision, string[]>();
    const note = async (at: Revision): Promise<void> => void states.set(at, await values(k));
    await note(await put(k, '/a', '1'));
    await note(await put(k, '/b', '1'));
    await note(await put(k, '/a', '2'));
    await note(await remove(k, '/a'));
    await note(await put(k, '/a', '3'));
    await note(await remove(k, '/b'));
    for (const [at, state] of states) expect(await values(k, at)).toEqual(state);
    const empty = await k.range({ ...all, revision: revision(states.keys().next().value! - 1) });
    expect(empty).toMatchObject({ kind: 'ok', items: [], more: false });
    const newest = k.status().applied;
    expect(await k.range({ ...all, revision: revision(newest + 1000) })).toMatchObject({ kind: 'future' });
  });

  it('pages through one revision during writes', async () => {
    const k = await start();
    for (let i = 0; i < 60; i++) await put(k, `/p/${String(i).padStart(2, '0')}`, 'old');
    const first = await k.range({ ...all, limit: 7 });
    if (first.kind !== 'ok') throw new Error('the first page was refused');
    const got = [...first.items];
    let more = first.more;
    for (let i = 0; more; i++) {
      await put(k, `/p/${String((i * 11) % 60).padStart(2, '0')}`, 'new');
      await remove(k, `/p/${String((i * 17) % 60).padStart(2, '0')}`);
      await put(k, `/p/new${i}`, 'new');
      const page = await k.range({ start: `${got.at(-1)!.key}\0`, end: all.end, limit: 7, revision: first.revision });
      if (page.kind !== 'ok') throw new Error('a later page was refused');
      expect(page.revision).toBe(first.revision);
      got.push(...page.items);
      more = page.more;
    }
    expect(got.map((item) => item.key)).toEqual(
      Array.from({ length: 60 }, (_, i) => `/p/${String(i).padStart(2, '0')}`),
    );
    expect(new Set(got.map(text))).toEqual(new Set(['old']));
  });

  it('returns a range of many keys completely and in order', async () => {
    const k = await start();
    const names = Array.from({ length: 1500 }, (_, i) => `/many/${String((i * 7919) % 1500).padStart(4, '0')}`);
    for (let i = 0; i < names.length; i += 100) {
      const ops = names.slice(i, i + 100).map((key) => ({ kind: 'put' as const, key, value: Buffer.from(key) }));
      committed(await k.txn({ compares: [], ops }));
    }
    const result = await k.range(all);
    if (result.kind !== 'ok') throw new Error('the range was refused');
    expect(result.items.map((item) => item.key)).toEqual(names.toSorted());
    expect(result.items.every((item) => text(item) === item.key)).toBe(true);
  });
}
