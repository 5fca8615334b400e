import { expect, it } from 'vitest';
import { revision } from '../base/index.js';
import { type AppliedEvent, type Keyspace, openMemoryKeyspace, type WatchSink } from '../storage/index.js';
import type { Cursor, Framer } from './index.js';
import { openCache, PREFIX, put, stillWorld, withWatches } from './testing.js';

const names: Framer = {
  id: 'names',
  frame: (_type, o) => [Buffer.from(`${o.revision} ${o.name}\n`)],
  bookmark: (at) => Buffer.from(`${at} bookmark\n`),
};

/** A keyspace whose first watch, that of the cache, can be held back. The thread boundary does so when the cache is behind. */
async function held() {
  const inner = await openMemoryKeyspace(stillWorld);
  let waiting: (() => void)[] | undefined;
  const later = (tell: () => void): unknown => (waiting === undefined ? tell() : waiting.push(tell));
  let first = true;
  const keyspace = withWatches(inner, (request, sink) => {
    if (!first) return inner.watch(request, inPages(sink, inner));
    first = false;
    const slow: WatchSink = {
      events: (batch) => later(() => sink.events(batch)),
      progress: (at) => later(() => sink.progress?.(at)),
      end: (why) => sink.end(why),
    };
    return inner.watch(request, slow);
  });
  return {
    keyspace,
    hold: () => {
      waiting = [];
    },
    release: () => {
      const tells = waiting ?? [];
      waiting = undefined;
      for (const tell of tells) tell();
    },
  };
}

/** Delivers history as a store does: in one batch, without a progress notification for each revision. */
function inPages(sink: WatchSink, inner: Keyspace): WatchSink {
  let page: AppliedEvent[] = [];
  return {
    events: (batch) => page.push(...batch),
    progress: (at) => {
      if (at < inner.status().applied) return;
      const events = page;
      page = [];
      if (events.length > 0) sink.events(events);
      sink.progress?.(at);
    },
    end: (why) => sink.end(why),
  };
}

function drain(cursor: Cursor): string[] {
  const out: string[] = [];
  for (let frames = cursor.take(4096); frames !== undefined; frames = cursor.take(4096))
    out.push(...frames.payload.toString().trim().split('\n'));
  return out;
}

it('events that history delivered ahead of the cache are not delivered again', async () => {
  const { keyspace, hold, release } = await held();
  await put(keyspace, 'n/a');
  await put(keyspace, 'm/x');
  const cache = await openCache(keyspace, (why) => expect.unreachable(why));
  hold();
  await put(keyspace, 'n/b');
  const cursor = cache.collection(PREFIX)!.watch({
    selection: { id: 'n', namespace: 'n', name: '' },
    framer: names,
    after: revision(0),
    initial: undefined,
    initialEnd: false,
    bookmarks: true,
    expired: () => Buffer.from('410'),
  });
  const seen: string[] = [];
  for (let turn = 0; turn < 100 && seen.length < 2; turn++) {
    seen.push(...drain(cursor));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(seen).toEqual(['1 a', '3 b']);
  expect(cache.applied).toBe(2);
  // No bookmark has a lower revision than the delivered events.
  cursor.bookmark();
  expect(drain(cursor)).toEqual([]);
  release();
  expect(drain(cursor)).toEqual(['3 bookmark']);
  await put(keyspace, 'n/c');
  expect(drain(cursor)).toEqual(['4 c']);
  cursor.close();
  cache.close();
  await keyspace.close();
});
