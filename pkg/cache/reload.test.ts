import { expect, it } from 'vitest';
import type { Revision } from '../base/index.js';
import { type Keyspace, openMemoryKeyspace, type WatchSink } from '../storage/index.js';
import type { Framer } from './index.js';
import { openCache, PREFIX, put, stillWorld, withWatches } from './testing.js';

const framer: Framer = {
  id: 'json',
  frame: (_type, o) => [o.json],
  bookmark: () => Buffer.from('\n'),
};

/** A keyspace whose first watch can be ended, as after a long absence of the peer. */
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

it('a cache whose revision was compacted reloads; its watches end, waiting readers and observers continue', async () => {
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
  // Encodings are dropped together with the replaced objects; they would otherwise keep the replaced state in memory.
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
  // A consistent read waits for the reload.
  const waiting = cache.waitFor(at, 1);
  tooLong(at);
  await waiting;
  // The collection to which a waiting reader refers becomes current.
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
  // Observers receive the net result of the changes that were compacted.
  const before = written - 1;
  expect(seen).toEqual([
    'before@1 undefined@undefined',
    `undefined@undefined after@${at}`,
    `written@${before} written@${written}`,
  ]);
  await Promise.resolve();
  expect(cursor.ended).toBe(true);
  // The cache follows later changes.
  const later = await put(keyspace, 'n/later');
  await cache.waitFor(later, 1);
  expect(cache.collection(PREFIX)!.get(`${PREFIX}n/later`)?.revision).toBe(later);
  expect(failures).toEqual([]);
  cache.close();
  await keyspace.close();
});

it('a cache opens although compaction overtakes the first reads', async () => {
  const inner = await openMemoryKeyspace(stillWorld);
  await put(inner, 'n/first');
  let overtaken = 0;
  const range: Keyspace['range'] = async (request) => {
    if (request.revision !== undefined && overtaken < 2) {
      overtaken++;
      await inner.compact(await put(inner, `n/later-${overtaken}`));
    }
    return inner.range(request);
  };
  const keyspace = { ...withWatches(inner, (request, sink) => inner.watch(request, sink)), range };
  const cache = await openCache(keyspace, (why) => expect.unreachable(why));
  expect(overtaken).toBe(2);
  expect(cache.collection(PREFIX)!.size).toBe(3);
  cache.close();
  await inner.close();
});
