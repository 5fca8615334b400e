import { expect, it } from 'vitest';
import type { Revision } from '../base/index.js';
import { openMemoryKeyspace, type WatchSink } from '../storage/index.js';
import type { Framer } from './index.js';
import { openCache, PREFIX, put, stillWorld, withWatches } from './testing.js';

const framer: Framer = {
  id: 'json',
  frame: (_type, o) => [o.json],
  bookmark: () => Buffer.from('\n'),
};

/** A keyspace whose first watch can be made to end as that of a peer does which was away for too long. */
async function interrupted() {
  const inner = await openMemoryKeyspace(stillWorld);
  let first: WatchSink | undefined;
  let cut = false;
  const keyspace = withWatches(inner, (request, sink) => {
    if (first !== undefined) return inner.watch(request, sink);
    first = sink;
    return inner.watch(request, {
      events: (batch) => cut || sink.events(batch),
      progress: (at) => cut || sink.progress?.(at),
      end: (why) => sink.end(why),
    });
  });
  return {
    keyspace,
    away: () => {
      cut = true;
    },
    tooLong: (oldest: Revision) => first!.end({ kind: 'compacted', oldest }),
  };
}

it('a cache that history no longer reaches begins anew; who watches is sent away, and nothing else ends', async () => {
  const { keyspace, away, tooLong } = await interrupted();
  const failures: string[] = [];
  await put(keyspace, 'n/before');
  const cache = await openCache(keyspace, (why) => failures.push(why));
  const old = cache.collection(PREFIX)!;
  const cursor = old.watch({
    after: cache.applied,
    selection: { id: 'all', namespace: '', name: '' },
    framer,
    bookmarks: false,
    compacted: () => Buffer.from('410\n'),
  } as unknown as Parameters<typeof old.watch>[0]);
  await put(keyspace, 'n/same');
  await put(keyspace, 'n/written');
  const seen: string[] = [];
  cache.observe(({ before, after }) =>
    seen.push(`${before?.name}@${before?.revision} ${after?.name}@${after?.revision}`),
  );
  // What objects keep of themselves goes with them: it would keep the memory of all that is replaced.
  const read = [old.get(`${PREFIX}n/same`)!, old.get(`${PREFIX}n/before`)!];
  const encode = (): void => {
    for (const object of read) object.encoding('other', () => Buffer.from('encoded'));
  };
  encode();
  expect(cache.encodingBytes).toBeGreaterThan(0);
  away();
  const written = await put(keyspace, 'n/written');
  await keyspace.txn({ compares: [], ops: [{ kind: 'delete', key: `${PREFIX}n/before` }] });
  const at = await put(keyspace, 'n/after');
  await keyspace.compact(at);
  expect(cache.applied).toBeLessThan(at);
  // Who wants what is current waits until it is here.
  const waiting = cache.waitFor(at, 1);
  tooLong(at);
  await waiting;
  // The collection that a reader held on to while it waited is the one that is current.
  const now = old;
  expect(cache.encodingBytes).toBe(0);
  encode();
  expect(cache.encodingBytes).toBe(0);
  expect(cache.collection(PREFIX)).toBe(old);
  expect([now.get(`${PREFIX}n/before`), now.get(`${PREFIX}n/after`) === undefined, now.size]).toEqual([
    undefined,
    false,
    3,
  ]);
  // Who follows all changes is told what came of those that nobody can tell any more.
  const before = written - 1;
  expect(seen).toEqual([
    'before@1 undefined@undefined',
    `undefined@undefined after@${at}`,
    `written@${before} written@${written}`,
  ]);
  await Promise.resolve();
  expect(cursor.ended).toBe(true);
  // And it follows what comes.
  const later = await put(keyspace, 'n/later');
  await cache.waitFor(later, 1);
  expect(cache.collection(PREFIX)!.get(`${PREFIX}n/later`)?.revision).toBe(later);
  expect(failures).toEqual([]);
  cache.close();
  await keyspace.close();
});
