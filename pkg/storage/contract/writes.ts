import { expect, it } from 'vitest';
import { type Revision, revision } from '../../base/index.js';
import type { Keyspace } from '../keyspace.js';
import { all, committed, noBytes, one, put, remove, text, values, watch } from './tools.js';

export function describeWrites(start: () => Promise<Keyspace>): void {
  it('puts, replaces and deletes, with create and mod revisions', async () => {
    const k = await start();
    const first = await put(k, '/a', '1');
    const second = await put(k, '/a', '2');
    expect(second).toBeGreaterThan(first);
    expect((await one(k, '/a'))!).toMatchObject({ key: '/a', createRevision: first, modRevision: second });
    expect(text(await one(k, '/a'))).toBe('2');
    const third = await remove(k, '/a');
    expect(third).toBeGreaterThan(second);
    expect(await one(k, '/a')).toBeUndefined();
    const fourth = await put(k, '/a', '3');
    expect(await one(k, '/a')).toMatchObject({ createRevision: fourth, modRevision: fourth });
  });

  it('stores values of any bytes and sizes', async () => {
    const k = await start();
    const values = [0, 1, 255, 65_536, 1_500_000].map((n) => Buffer.alloc(n, 0xfe));
    for (const [i, value] of values.entries()) {
      committed(await k.txn({ compares: [], ops: [{ kind: 'put', key: `/v/${i}`, value }] }));
    }
    for (const [i, value] of values.entries()) {
      expect(Buffer.compare((await one(k, `/v/${i}`))!.value, value)).toBe(0);
    }
  });

  it('writes only if every compare is true, and reports which is false', async () => {
    const k = await start();
    const absent = revision(0);
    const at = committed(
      await k.txn({
        compares: [{ key: '/a', modRevision: absent }],
        ops: [{ kind: 'put', key: '/a', value: noBytes }],
      }),
    );
    const again = await k.txn({
      compares: [{ key: '/a', modRevision: absent }],
      ops: [{ kind: 'put', key: '/a', value: noBytes }],
    });
    expect(again).toMatchObject({ kind: 'conflict', key: '/a' });
    expect((again as { revision: Revision }).revision).toBeGreaterThanOrEqual(at);
    const both = await k.txn({
      compares: [
        { key: '/a', modRevision: at },
        { key: '/b', modRevision: at },
      ],
      ops: [
        { kind: 'put', key: '/a', value: Buffer.from('x') },
        { kind: 'delete', key: '/c' },
      ],
    });
    expect(both).toMatchObject({ kind: 'conflict', key: '/b' });
    expect(await one(k, '/a')).toMatchObject({ modRevision: at });
    const gone = committed(
      await k.txn({ compares: [{ key: '/a', modRevision: at }], ops: [{ kind: 'delete', key: '/a' }] }),
    );
    expect(await k.txn({ compares: [{ key: '/a', modRevision: gone }], ops: [] })).toMatchObject({ kind: 'conflict' });
    committed(await k.txn({ compares: [{ key: '/a', modRevision: absent }], ops: [] }));
  });

  it('gives all changes of a transaction one revision, in the order of its ops', async () => {
    const k = await start();
    await put(k, '/old', 'o');
    const seen = watch(k, { ...all, after: k.status().applied, previous: true });
    await seen.until(() => true);
    const at = committed(
      await k.txn({
        compares: [],
        ops: [
          { kind: 'put', key: '/z', value: Buffer.from('1') },
          { kind: 'delete', key: '/old' },
          { kind: 'delete', key: '/never' },
          { kind: 'put', key: '/a', value: Buffer.from('2') },
        ],
      }),
    );
    await seen.until(({ reached, seen: events }) => reached >= at || events.length > 0);
    expect(seen.seen.map((event) => event.revision)).toEqual([at]);
    expect(seen.lines).toEqual(['+/z=1', '-/old<o', '+/a=2']);
    expect(await values(k)).toEqual(['/a=2', '/z=1']);
  });

  it('serialises concurrent transactions: of several with the same compare exactly one succeeds', async () => {
    const k = await start();
    let from = revision(0);
    for (let round = 0; round < 5; round++) {
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          k.txn({
            compares: [{ key: '/race', modRevision: from }],
            ops: [{ kind: 'put', key: '/race', value: Buffer.from(String(i)) }],
          }),
        ),
      );
      const winners = results.flatMap((result, i) => (result.kind === 'committed' ? [i] : []));
      expect(winners).toHaveLength(1);
      expect(results.filter((result) => result.kind === 'conflict')).toHaveLength(19);
      const now = await one(k, '/race');
      expect(text(now)).toBe(String(winners[0]));
      from = now!.modRevision;
    }
  });

  it('never returns a read index below an acknowledged write', async () => {
    const k = await start();
    for (let i = 0; i < 10; i++) {
      const at = await put(k, '/a', String(i));
      const read = await k.readIndex();
      expect(read.kind).toBe('ok');
      expect((read as { revision: Revision }).revision).toBeGreaterThanOrEqual(at);
      expect(k.status().applied).toBeGreaterThanOrEqual(at);
      expect(text(await one(k, '/a'))).toBe(String(i));
    }
  });

  it('refuses a transaction that is too large, and changes nothing', async () => {
    const k = await start();
    const before = k.status().applied;
    const value = Buffer.alloc(64 << 20);
    expect(await k.txn({ compares: [], ops: [{ kind: 'put', key: '/huge', value }] })).toMatchObject({
      kind: 'refused',
      reason: 'tooLarge',
    });
    expect(await one(k, '/huge')).toBeUndefined();
    expect(k.status().applied).toBeGreaterThanOrEqual(before);
  });
}
