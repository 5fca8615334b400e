import { expect, it } from 'vitest';
import { type Revision, revision } from '../../base/index.js';
import { type Keyspace, prefixEnd, type WatchRequest } from '../keyspace.js';
import { all, committed, put, Recorder, remove, watch } from './tools.js';

export function describeWatches(start: () => Promise<Keyspace>): void {
  it('delivers live events of its range before the transaction resolves', async () => {
    const k = await start();
    const seen = watch(k, { start: '/w/', end: prefixEnd('/w/'), after: k.status().applied });
    await put(k, '/a', '1');
    await seen.until(({ reached }) => reached >= k.status().applied);
    await put(k, '/w/1', '1');
    expect(seen.lines).toEqual(['+/w/1=1']);
    committed(
      await k.txn({
        compares: [],
        ops: [
          { kind: 'put', key: '/w/2', value: Buffer.from('2') },
          { kind: 'put', key: '/x', value: Buffer.from('2') },
          { kind: 'delete', key: '/w/1' },
        ],
      }),
    );
    expect(seen.lines).toEqual(['+/w/1=1', '+/w/2=2', '-/w/1']);
    const at = await put(k, '/x', '3');
    await seen.until(({ reached }) => reached >= at);
    expect(seen.lines).toHaveLength(3);
  });

  it('replays history from any kept revision, with previous values on request', async () => {
    const k = await start();
    const at: Revision[] = [k.status().applied];
    at.push(await put(k, '/a', '1'));
    at.push(await put(k, '/a', '2'));
    at.push(await remove(k, '/a'));
    at.push(await put(k, '/a', '3'));
    const full = ['+/a=1', '+/a=2<1', '-/a<2', '+/a=3'];
    for (const [i, after] of at.entries()) {
      const withPrevious = watch(k, { ...all, after, previous: true });
      const without = watch(k, { ...all, after });
      await withPrevious.until(({ lines }) => lines.length === 4 - i);
      await without.until(({ lines }) => lines.length === 4 - i);
      expect(withPrevious.lines).toEqual(full.slice(i));
      expect(without.lines).toEqual(full.slice(i).map((line) => line.replace(/<.*/, '')));
    }
  });

  it('goes from history to live events without a gap or a repetition', async () => {
    const k = await start();
    const origin = k.status().applied;
    const recorders: Recorder[] = [];
    const expected: string[] = [];
    for (let i = 0; i < 120; i++) {
      const key = `/s/${i % 7}`;
      if (i % 10 === 0) recorders.push(watch(k, { ...all, after: origin, previous: i % 20 === 0 }));
      if (i % 13 === 5) await Promise.all([put(k, key, `${i}`), put(k, '/s/x', `${i}`)]);
      else await put(k, key, `${i}`);
      expected.push(`+${key}=${i}`);
      if (i % 13 === 5) expected.push(`+/s/x=${i}`);
    }
    const end = k.status().applied;
    for (const recorder of recorders) {
      await recorder.until(({ reached }) => reached >= end);
      expect(recorder.lines.map((line) => line.replace(/<.*/, '')).toSorted()).toEqual(expected.toSorted());
    }
  });

  it('waits for future revisions', async () => {
    const k = await start();
    const now = await put(k, '/a', '1');
    const seen = watch(k, { ...all, after: revision(now + 1) });
    await put(k, '/a', '2');
    const at = await put(k, '/a', '3');
    await seen.until(({ reached }) => reached >= at);
    expect(seen.seen.every((event) => event.revision > now + 1)).toBe(true);
    expect(seen.lines.at(-1)).toBe('+/a=3');
  });

  it('does not call a sink after cancel, even if the watch has not begun', async () => {
    const k = await start();
    await put(k, '/a', '1');
    const early = new Recorder();
    const late = new Recorder();
    const request: WatchRequest = { ...all, after: revision(0), previous: false };
    k.watch(request, early).cancel();
    const handle = k.watch(request, late);
    await late.until(({ lines }) => lines.length === 1);
    handle.cancel();
    handle.cancel();
    const after = late.reached;
    await put(k, '/a', '2');
    await k.close();
    expect(early).toMatchObject({ seen: [], reached: 0, ended: undefined });
    expect(late).toMatchObject({ reached: after, ended: undefined });
    expect(late.lines).toEqual(['+/a=1']);
  });
}
