import { afterEach, describe, expect, it } from 'vitest';
import { type Revision, revision } from '../base/index.js';
import { describeCompaction } from './contract/compaction.js';
import { describeReads } from './contract/reads.js';
import { all, committed, keys, put, remove, values, watch } from './contract/tools.js';
import { describeWatches } from './contract/watches.js';
import { describeWrites } from './contract/writes.js';
import type { Keyspace } from './keyspace.js';

export { Recorder } from './contract/tools.js';

/** A keyspace under test, and what the suite can do with it. */
export interface KeyspaceUnderTest {
  readonly keyspace: Keyspace;
  /** Advances wall clock and timers. If absent, expiry is not tested. */
  advance?(milliseconds: number): Promise<void>;
  /** Closes the keyspace and opens it again from its store. If absent, this is not tested. */
  reopen?(): Promise<Keyspace>;
  /** Called at the end of each test. */
  dispose(): Promise<void>;
}

/** The start of the clock in tests of expiry, in milliseconds since the epoch. */
export const expiryOrigin = 1_700_000_000_000;

/** The contract of every keyspace. `make` returns a new, empty one for each test. */
export function describeKeyspace(name: string, make: () => Promise<KeyspaceUnderTest>): void {
  describe(`keyspace contract: ${name}`, () => {
    let under: KeyspaceUnderTest | undefined;
    afterEach(async () => {
      await under?.dispose();
      under = undefined;
    });
    const start = async (): Promise<Keyspace> => {
      under = await make();
      return under.keyspace;
    };

    describeWrites(start);
    describeReads(start);
    describeWatches(start);
    describeCompaction(start);

    it('deletes expired keys, and only while nothing newer was put', async () => {
      const k = await start();
      const advance = under?.advance?.bind(under);
      if (advance === undefined) {
        process.stdout.write(`${name}: expiry is not tried, its clock is not ours\n`);
        return;
      }
      const seen = watch(k, { ...all, after: k.status().applied });
      const expiring = async (key: string, expiresAt: number): Promise<Revision> =>
        committed(await k.txn({ compares: [], ops: [{ kind: 'put', key, value: Buffer.from('x'), expiresAt }] }));
      const now = expiryOrigin;
      await expiring('/e/soon', now + 5_000);
      await expiring('/e/late', now + 500_000);
      await expiring('/e/renewed', now + 5_000);
      await expiring('/e/renewed', now + 500_000);
      await expiring('/e/kept', now + 5_000);
      await put(k, '/e/kept', 'for good');
      await expiring('/e/gone', now + 5_000);
      await remove(k, '/e/gone');
      await advance(3_000);
      expect(await keys(k)).toEqual(['/e/kept', '/e/late', '/e/renewed', '/e/soon']);
      await advance(5_000);
      await seen.until(({ lines }) => lines.includes('-/e/soon'));
      expect(await keys(k)).toEqual(['/e/kept', '/e/late', '/e/renewed']);
      await advance(500_000);
      await seen.until(({ lines }) => lines.includes('-/e/late') && lines.includes('-/e/renewed'));
      expect(await keys(k)).toEqual(['/e/kept']);
    });

    it('keeps everything when it is closed and opened again', async () => {
      const k = await start();
      const reopen = under?.reopen?.bind(under);
      if (reopen === undefined) {
        process.stdout.write(`${name}: reopening is not tried, it has no store that lasts\n`);
        return;
      }
      const first = await put(k, '/a', '1');
      const second = await put(k, '/a', '2');
      await put(k, '/b', '1');
      await remove(k, '/b');
      const before = await k.range(all);
      const again = await reopen();
      expect(again.status().applied).toBeGreaterThanOrEqual(second);
      expect(await again.range(all)).toMatchObject({ items: (before as { items: unknown }).items });
      expect(await values(again, first)).toEqual(['/a=1']);
      expect(await put(again, '/c', '1')).toBeGreaterThan(k.status().applied);
      const seen = watch(again, { ...all, after: first, previous: true });
      await seen.until(({ lines }) => lines.length === 4);
      expect(seen.lines).toEqual(['+/a=2<1', '+/b=1', '-/b<1', '+/c=1']);
    });

    it('ends watches and refuses writes when it is closed', async () => {
      const k = await start();
      await put(k, '/a', '1');
      const seen = watch(k, { ...all, after: k.status().applied });
      const under_way = put(k, '/a', '2');
      await k.close();
      await under_way;
      await seen.until(({ ended }) => ended?.kind === 'stopped');
      expect(await k.txn({ compares: [], ops: [] })).toMatchObject({ kind: 'refused', reason: 'stopping' });
      expect(await k.readIndex()).toMatchObject({ kind: 'refused', reason: 'stopping' });
      expect(await k.compact(revision(1))).toMatchObject({ kind: 'refused', reason: 'stopping' });
      const late = watch(k, { ...all, after: revision(0) });
      await late.until(({ ended }) => ended?.kind === 'stopped');
    });
  });
}
