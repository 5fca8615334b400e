/**
 * Measures the cache without sockets or store: filling, bytes per object, fan-out of events to cursors, lists.
 * Prints one line for each measurement.
 *
 *     npx tsc -p tsconfig.json --outDir /tmp/bench && node --expose-gc /tmp/bench/test/bench/cache.js [objects] [bytes]
 */
import type { JsonObject } from '../../pkg/api/index.js';
import { type Revision, revision, type World } from '../../pkg/base/index.js';
import { Cache, type Collection, type Cursor, type Framer, type Selection } from '../../pkg/cache/index.js';
import type { AppliedEvent, Keyspace, KeyValue, RangeRequest, WatchSink } from '../../pkg/storage/index.js';

const objects = Number(process.argv[2] ?? 150_000);
const bytes = Number(process.argv[3] ?? 3_000);
const gc = (globalThis as { readonly gc?: () => void }).gc ?? (() => {});
const PREFIX = '/registry/pods/';

const world: World = {
  clock: { now: () => Date.now(), monotonic: () => performance.now() },
  timers: { after: () => () => {}, every: () => () => {}, immediate: setImmediate },
  random: { float: Math.random, bytes: (n) => new Uint8Array(n), uuid: () => 'u' },
};

function say(what: string, figures: Record<string, string | number>): void {
  const text = Object.entries(figures).map(([k, v]) => `${k} ${v}`);
  process.stdout.write(`${what.padEnd(44)} ${text.join('   ')}\n`);
}

function stored(n: number, size: number, version = 0): Buffer {
  const head = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"pod-${n}","namespace":"ns-${n % 50}","uid":"00000000-0000-4000-8000-${String(n).padStart(12, '0')}","creationTimestamp":"2030-01-01T00:00:00Z","labels":{"app":"app-${n % 300}","pod-template-hash":"${(n % 300) * 7}"}},"spec":{"nodeName":"node-${n % 1000}","filler":"${version}`;
  return Buffer.from(`${head}${'x'.repeat(Math.max(0, size - head.length - 3))}"}}`);
}

const keyOf = (n: number): string => `${PREFIX}ns-${n % 50}/pod-${n}`;

/** A keyspace with scripted responses. */
class Feed {
  sink: WatchSink | undefined;
  at = 1;
  readonly keyspace: Keyspace;

  constructor(initial: readonly KeyValue[]) {
    const sorted = [...initial].sort((a, b) => (a.key < b.key ? -1 : 1));
    this.keyspace = {
      range: async ({ start, end, limit }: RangeRequest) => {
        const from = sorted.findIndex((kv) => kv.key >= start);
        const items = from < 0 ? [] : sorted.slice(from, from + (limit ?? sorted.length)).filter((kv) => kv.key < end);
        const more = from >= 0 && items.length > 0 && from + items.length < sorted.length;
        return { kind: 'ok', revision: revision(1), items, more };
      },
      watch: (_request: unknown, sink: WatchSink) => {
        this.sink = sink;
        queueMicrotask(() => sink.progress?.(revision(1)));
        return { cancel: () => {} };
      },
    } as unknown as Keyspace;
  }

  put(n: number, size: number): AppliedEvent {
    const at: Revision = revision(++this.at);
    const current = { key: keyOf(n), value: stored(n, size, at), createRevision: revision(1), modRevision: at };
    return { revision: at, changes: [{ kind: 'put', current }] };
  }
}

async function open(
  initial: readonly KeyValue[],
): Promise<{ readonly feed: Feed; readonly cache: Cache; readonly pods: Collection }> {
  const feed = new Feed(initial);
  const parse = (b: Buffer): JsonObject => JSON.parse(b.toString()) as JsonObject;
  const cache = new Cache({ world, keyspace: feed.keyspace, root: '/registry/', parse, failed: () => {} });
  const fieldsOf = (o: JsonObject): readonly string[] => [String((o['spec'] as JsonObject)['nodeName'])];
  await cache.open([{ prefix: PREFIX, fieldsOf }]);
  return { feed, cache, pods: cache.collection(PREFIX)! };
}

const lines: Framer = {
  id: 'json',
  frame: (type, o) => [Buffer.from(`{"type":"${type}","object":`), o.json, Buffer.from('}\n')],
  bookmark: (at) => Buffer.from(`{"type":"BOOKMARK","at":${at}}\n`),
};

async function filling(): Promise<void> {
  gc();
  const { feed, pods } = await open([]);
  const before = process.memoryUsage();
  const begun = performance.now();
  for (let n = 0; n < objects; n += 100)
    feed.sink!.events(Array.from({ length: Math.min(100, objects - n) }, (_, i) => feed.put(n + i, bytes)));
  const seconds = (performance.now() - begun) / 1000;
  gc();
  const after = process.memoryUsage();
  const rss = after.rss - before.rss;
  const own = objects * bytes;
  say(`${objects} objects of ${bytes} B applied`, {
    'objects/s': Math.round(objects / seconds),
    'heap B/object': Math.round((after.heapUsed - before.heapUsed) / objects),
    'external B/object': Math.round((after.arrayBuffers - before.arrayBuffers) / objects),
    'rss / bytes': (rss / own).toFixed(2),
  });
  const churn = performance.now();
  const rounds = Math.min(objects, 50_000);
  for (let i = 0; i < rounds; i += 10)
    feed.sink!.events(Array.from({ length: 10 }, (_, j) => feed.put(((i + j) * 7919) % objects, bytes)));
  const churned = (performance.now() - churn) / 1000;
  gc();
  say(`${rounds} of them replaced`, {
    'objects/s': Math.round(rounds / churned),
    'rss growth MiB': Math.round((process.memoryUsage().rss - after.rss) / 2 ** 20),
  });
  for (let turn = 0; turn < 2; turn++) {
    const t = performance.now();
    const found: unknown[] = [];
    const s = pods.snapshot();
    for (const o of s.objects.range(PREFIX, '/registry/pods0')) if (o.labels()['app'] === 'app-7') found.push(o);
    const what = turn === 0 ? 'first list by label' : 'next list by label';
    say(what, {
      ms: Math.round(performance.now() - t),
      'ns/object': Math.round(((performance.now() - t) * 1e6) / objects),
      found: found.length,
    });
  }
  const t = performance.now();
  let copied = 0;
  const chunk = Buffer.allocUnsafe(256 * 1024);
  for (const o of pods.snapshot().objects.range(PREFIX, '/registry/pods0')) {
    if (copied + o.length > chunk.length) copied = 0;
    copied = o.copyTo(chunk, copied, 30);
  }
  const ms = performance.now() - t;
  say('whole list copied out', { 'MB/s': Math.round((objects * bytes) / 1e6 / (ms / 1000)), ms: Math.round(ms) });
}

interface FanOut {
  readonly watchers: number;
  readonly size: number;
  readonly batch: number;
  readonly selection: (i: number) => Selection;
}

async function fanOut(what: string, { watchers, size, batch, selection }: FanOut): Promise<void> {
  const { feed, pods, cache } = await open([]);
  const cursors: Cursor[] = [];
  let delivered = 0;
  let taken = 0;
  for (let i = 0; i < watchers; i++) {
    const cursor = pods.watch({
      selection: selection(i),
      framer: lines,
      after: cache.applied,
      initial: undefined,
      initialEnd: false,
      bookmarks: false,
      expired: () => Buffer.alloc(0),
    });
    const pump = (): void => {
      for (let f = cursor.take(256 * 1024); f !== undefined; f = cursor.take(256 * 1024)) {
        delivered += f.events;
        taken++;
      }
    };
    cursor.onReady(pump);
    pump();
    cursors.push(cursor);
  }
  const rounds = Math.max(20, Math.round(2_000_000 / watchers / batch));
  const begun = process.cpuUsage();
  const wall = performance.now();
  for (let r = 0; r < rounds; r++)
    feed.sink!.events(Array.from({ length: batch }, (_, i) => feed.put((r * batch + i) % 5_000, size)));
  const cpu = process.cpuUsage(begun);
  say(what, {
    'events/s': Math.round(delivered / ((performance.now() - wall) / 1000)),
    'us CPU/event': ((cpu.user + cpu.system) / Math.max(1, delivered)).toFixed(3),
    'us CPU/change': ((cpu.user + cpu.system) / (rounds * batch)).toFixed(1),
    'events/take': (delivered / Math.max(1, taken)).toFixed(1),
  });
  for (const c of cursors) c.close();
}

const all: Selection = { id: 'all', namespace: '', name: '' };
await fanOut('1,000 watchers of all, one change at a time', {
  watchers: 1_000,
  size: 1_600,
  batch: 1,
  selection: () => all,
});
await fanOut('1,000 watchers of all, 8 changes at a time', {
  watchers: 1_000,
  size: 1_600,
  batch: 8,
  selection: () => all,
});
await fanOut('1,000 nodes, each watching its own pods (hot field)', {
  watchers: 1_000,
  size: 1_600,
  batch: 8,
  selection: (i) => ({
    id: `node-${i}`,
    namespace: '',
    name: '',
    matches: (o) => o.fields()[0] === `node-${i}`,
    hot: { field: 0, value: `node-${i}` },
  }),
});
await fanOut('10,000 watchers of one object each', {
  watchers: 10_000,
  size: 1_600,
  batch: 8,
  selection: (i) => ({ id: `o ${i}`, namespace: `ns-${i % 50}`, name: `pod-${i}` }),
});
await fanOut('300 watchers by label', {
  watchers: 300,
  size: 1_600,
  batch: 8,
  selection: (i) => ({ id: `app ${i}`, namespace: '', name: '', matches: (o) => o.labels()['app'] === `app-${i}` }),
});
await filling();
