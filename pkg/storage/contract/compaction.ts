import { expect, it } from 'vitest';
import { revision } from '../../base/index.js';
import type { Keyspace } from '../keyspace.js';
import { all, committed, put, remove, text, values, watch } from './tools.js';

export function describeCompaction(start: () => Promise<Keyspace>): void {
  it('drops history below and keeps what can be read', async () => {
    const k = await start();
    const r1 = await put(k, '/a', '1');
    const r2 = await put(k, '/b', '1');
    const r3 = await put(k, '/a', '2');
    const r4 = await remove(k, '/b');
    const r5 = await put(k, '/a', '3');
    const states = new Map([r3, r4, r5].map((at) => [at, values(k, at)]));
    expect((await k.compact(r3)).kind).toBe('committed');
    expect(k.status().compacted).toBe(r3);
    for (const [at, state] of states) expect(await values(k, at)).toEqual(await state);
    for (const at of [r1, r2]) {
      expect(await k.range({ ...all, revision: at })).toEqual({ kind: 'compacted', oldest: r3 });
      const ended = watch(k, { ...all, after: at });
      await ended.until((recorder) => recorder.ended !== undefined);
      expect(ended.ended).toEqual({ kind: 'compacted', oldest: r3 });
      expect(ended.seen).toEqual([]);
    }
    const seen = watch(k, { ...all, after: r3, previous: true });
    await seen.until(({ lines }) => lines.length === 2);
    expect(seen.lines).toEqual(['-/b<1', '+/a=3<2']);
  });

  it('never goes back, and never above the applied revision', async () => {
    const k = await start();
    const r1 = await put(k, '/a', '1');
    const r2 = await put(k, '/a', '2');
    committed(await k.compact(r2));
    committed(await k.compact(r1));
    expect(k.status().compacted).toBe(r2);
    committed(await k.compact(revision(k.status().applied + 1000)));
    expect(k.status().compacted).toBe(r2);
    expect(await values(k, r2)).toEqual(['/a=2']);
  });

  it('does not disturb live watches, and loses no event for one', async () => {
    const k = await start();
    const origin = k.status().applied;
    const live = watch(k, { ...all, after: origin, previous: true });
    await live.until(({ reached }) => reached >= origin);
    const expected: string[] = [];
    for (let i = 0; i < 60; i++) {
      const before = i < 3 ? '' : `<${i - 3}`;
      await Promise.all([put(k, `/c/${i % 3}`, `${i}`), ...(i % 6 === 5 ? [k.compact(k.status().applied)] : [])]);
      expected.push(`+/c/${i % 3}=${i}${before}`);
    }
    await live.until(({ lines }) => lines.length === 60);
    expect(live.lines).toEqual(expected);
    expect(await values(k)).toEqual(['/c/0=57', '/c/1=58', '/c/2=59']);
  });

  it('a long read keeps its revision while it is compacted', async () => {
    const k = await start();
    const ops = (value: string) =>
      Array.from({ length: 100 }, (_, i) => ({
        kind: 'put' as const,
        key: `/r/${String(i).padStart(3, '0')}`,
        value: Buffer.alloc(20_000, value),
      }));
    committed(await k.txn({ compares: [], ops: ops('a') }));
    const reading = k.range(all);
    committed(await k.txn({ compares: [], ops: ops('b') }));
    committed(await k.compact(k.status().applied));
    const result = await reading;
    if (result.kind !== 'ok') throw new Error('the range was refused');
    expect(new Set(result.items.map((item) => text(item)![0]))).toHaveLength(1);
    expect(result.items).toHaveLength(100);
  });
}
