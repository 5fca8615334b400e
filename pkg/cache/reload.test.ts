import { expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import type { Revision } from '../base/index.js';
import { type Keyspace, openMemoryKeyspace, type WatchSink } from '../storage/index.js';
import { Cache, type Framer } from './index.js';

const PREFIX = '/registry/things/';

const world = {
  clock: { now: () => 0, monotonic: () => 0 },
  timers: { after: () => () => {}, every: () => () => {} },
  random: { float: () => 0.5, bytes: (n: number) => new Uint8Array(n), uuid: () => 'u' },
};

const framer: Framer = {
  id: 'json',
  frame: (_type, o) => [o.json],
  bookmark: () => Buffer.from('\n'),
};

const value = (name: string): Buffer => Buffer.from(JSON.stringify({ metadata: { name } }));

/** A keyspace whose first watch can be made to end as that of a peer does which was away for too long. */
async function interrupted() {
  const inner = await openMemoryKeyspace(world);
  let first: WatchSink | undefined;
  let cut = false;
  const keyspace: Keyspace = {
    ...inner,
    txn: (txn) => inner.txn(txn),
    range: (request) => inner.range(request),
    readIndex: () => inner.readIndex(),
    status: () => inner.status(),
    compact: (at) => inner.compact(at),
    close: () => inner.close(),
    watch(request, sink) {
      if (first !== undefined) return inner.watch(request, sink);
      first = sink;
      return inner.watch(request, {
        events: (batch) => cut || sink.events(batch),
        progress: (at) => cut || sink.progress?.(at),
        end: (why) => sink.end(why),
      });
    },
  };
  return {
    keyspace,
    away: () => {
      cut = true;
    },
    tooLong: (oldest: Revision) => first!.end({ kind: 'compacted', oldest }),
  };
}

async function put(keyspace: Keyspace, name: string): Promise<Revision> {
  const done = await keyspace.txn({ compares: [], ops: [{ kind: 'put', key: PREFIX + name, value: value(name) }] });
  if (done.kind !== 'committed') throw new Error(done.kind);
  return done.revision;
}

it('a cache that history no longer reaches begins anew; who watches is sent away, and nothing else ends', async () => {
  const { keyspace, away, tooLong } = await interrupted();
  const failures: string[] = [];
  await put(keyspace, 'n/before');
  const cache = new Cache({
    world,
    keyspace,
    root: '/registry/',
    parse: (bytes) => JSON.parse(bytes.toString()) as JsonObject,
    failed: (why) => failures.push(why),
  });
  await cache.open([{ prefix: PREFIX, fieldsOf: () => [] }]);
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
