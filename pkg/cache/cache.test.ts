import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { type Revision, revision, type World } from '../base/index.js';
import { type Keyspace, type Op, openMemoryKeyspace } from '../storage/index.js';
import { Cache, type Collection, type Cursor, type Framer, type Selection, type StoredObject } from './index.js';
import { cacheLimits } from './limits.js';

const PREFIX = '/registry/things/';

function testWorld(): World {
  return {
    clock: { now: () => 0, monotonic: () => 0 },
    timers: { after: () => () => {}, every: () => () => {}, immediate: setImmediate },
    random: { float: () => 0.5, bytes: (n) => new Uint8Array(n), uuid: () => 'u' },
  };
}

/** Frames as JSON lines, as the API writes them. */
const lines: Framer = {
  id: 'json',
  frame: (type, o) => [Buffer.from(`{"type":"${type}","object":`), o.json, Buffer.from('}\n')],
  bookmark: (at, initialEnd) => Buffer.from(`{"type":"BOOKMARK","at":${at},"end":${initialEnd}}\n`),
};

interface Seen {
  readonly type: string;
  readonly at?: number;
  readonly object?: {
    readonly metadata: {
      readonly name: string;
      readonly resourceVersion: string;
      readonly labels?: Record<string, string>;
    };
  };
}

function drain(cursor: Cursor, maxBytes = 4096): Seen[] {
  const out: Seen[] = [];
  for (let i = 0; i < 10_000; i++) {
    const frames = cursor.take(maxBytes);
    if (frames === undefined) return out;
    const text = frames.payload.toString();
    const parsed = text
      .trimEnd()
      .split('\n')
      .map((l) => JSON.parse(l) as Seen);
    expect(parsed).toHaveLength(frames.events);
    out.push(...parsed);
  }
  throw new Error('the cursor never returns undefined');
}

const everything: Selection = { id: 'all', namespace: '', name: '' };
const inNamespace = (ns: string): Selection => ({ id: `ns ${ns}`, namespace: ns, name: '' });
const labelled = (v: string): Selection => ({
  id: `label ${v}`,
  namespace: '',
  name: '',
  matches: (o) => o.labels()['v'] === v,
});
const hot = (v: string): Selection => ({
  id: `hot ${v}`,
  namespace: '',
  name: '',
  matches: (o) => o.fields()[0] === v,
  hot: { field: 0, value: v },
});

class Fixture {
  readonly keyspace: Keyspace;
  readonly cache: Cache;

  private constructor(keyspace: Keyspace, cache: Cache) {
    this.keyspace = keyspace;
    this.cache = cache;
  }

  static async open(keyspace?: Keyspace): Promise<Fixture> {
    const world = testWorld();
    const ks = keyspace ?? (await openMemoryKeyspace(world));
    const cache = new Cache({
      world,
      keyspace: ks,
      root: '/registry/',
      parse: (b) => JSON.parse(b.toString()) as JsonObject,
      failed: (why) => {
        throw new Error(why);
      },
    });
    await cache.open([
      {
        prefix: PREFIX,
        fieldsOf: (o) => [((o['metadata'] as JsonObject)['labels'] as JsonObject | undefined)?.['v'] as string],
      },
    ]);
    return new Fixture(ks, cache);
  }

  get things(): Collection {
    return this.cache.collection(PREFIX)!;
  }

  async put(name: string, v: string, padding = 0): Promise<Revision> {
    return this.txn([{ kind: 'put', key: PREFIX + name, value: stored(name, v, padding) }]);
  }

  async remove(name: string): Promise<Revision> {
    return this.txn([{ kind: 'delete', key: PREFIX + name }]);
  }

  async txn(ops: readonly Op[]): Promise<Revision> {
    const r = await this.keyspace.txn({ compares: [], ops });
    if (r.kind !== 'committed') throw new Error(r.kind);
    return r.revision;
  }

  watch(
    selection: Selection,
    after: number,
    more: Partial<{ initial: Iterator<StoredObject | undefined>; bookmarks: boolean; initialEnd: boolean }> = {},
  ): Cursor {
    return this.things.watch({
      selection,
      framer: lines,
      after: revision(after),
      initial: more.initial,
      initialEnd: more.initialEnd ?? false,
      bookmarks: more.bookmarks ?? false,
      expired: () => Buffer.from('{"type":"ERROR"}\n'),
    });
  }

  list(): Map<string, string> {
    return new Map([...this.things.snapshot().objects.range(PREFIX, '0')].map((o) => [o.key, o.labels()['v']!]));
  }
}

function stored(name: string, v: string, padding = 0): Buffer {
  const short = name.slice(name.indexOf('/') + 1);
  return Buffer.from(
    JSON.stringify({
      kind: 'Thing',
      apiVersion: 'v1',
      metadata: { name: short, namespace: name.split('/')[0], annotations: { 'x"y': 'z\\"}' }, labels: { v } },
      data: 'x'.repeat(padding),
    }),
  );
}

let open: Fixture[] = [];
async function fixture(keyspace?: Keyspace): Promise<Fixture> {
  const f = await Fixture.open(keyspace);
  open.push(f);
  return f;
}
afterEach(() => {
  for (const f of open) f.cache.close();
  open = [];
});

/** Waits for some microtasks: the memory keyspace starts watches in one. */
const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

describe('cache', () => {
  it('holds the stored objects with the resource version inserted', async () => {
    const f = await fixture();
    const at = await f.put('ns/a', '1');
    const o = f.things.get(`${PREFIX}ns/a`)!;
    expect(o.parse()).toEqual({
      ...(JSON.parse(stored('ns/a', '1').toString()) as JsonObject),
      metadata: expect.objectContaining({ resourceVersion: String(at), name: 'a' }),
    });
    expect([o.namespace, o.name, o.revision, o.createRevision]).toEqual(['ns', 'a', at, at]);
    expect(o.labels()).toEqual({ v: '1' });
    const again = await f.put('ns/a', '1');
    expect(f.things.get(`${PREFIX}ns/a`)).toMatchObject({ revision: again, createRevision: at });
    expect(f.things.get(`${PREFIX}ns/a`)!.labels()).toBe(o.labels());
    await f.remove('ns/a');
    expect(f.things.get(`${PREFIX}ns/a`)).toBeUndefined();
  });

  it('starts from the stored objects', async () => {
    const first = await fixture();
    for (let i = 0; i < 30; i++) await first.put(`ns/n${i}`, String(i));
    const second = await fixture(first.keyspace);
    expect(second.list()).toEqual(first.list());
    expect(second.things.changed).toBe(first.things.changed);
  });

  it('returns one joined buffer to all watches at the same position', async () => {
    const f = await fixture();
    const a = f.watch(everything, f.cache.applied);
    const b = f.watch(everything, f.cache.applied);
    await f.put('ns/a', '1');
    await f.put('ns/b', '1');
    const one = a.take(4096)!;
    expect(one.events).toBe(2);
    expect(b.take(4096)).toBe(one);
    expect(a.take(4096)).toBeUndefined();
  });

  it('wakes a waiting watch once, and only for selected events', async () => {
    const f = await fixture();
    let woken = 0;
    const w = f.watch(inNamespace('ns'), f.cache.applied);
    w.onReady(() => woken++);
    expect(w.take(100)).toBeUndefined();
    await f.put('other/a', '1');
    expect(woken).toBe(0);
    await f.put('ns/a', '1');
    await f.put('ns/b', '1');
    expect(woken).toBe(1);
    expect(drain(w).map((e) => e.object?.metadata.name)).toEqual(['a', 'b']);
    await f.put('ns/c', '1');
    expect(woken).toBe(2);
    w.close();
    await f.put('ns/d', '1');
    expect(woken).toBe(2);
    expect(w.take(100)).toBeUndefined();
    expect(f.things.watchers).toBe(0);
  });

  it('derives ADDED, MODIFIED and DELETED from the selection', async () => {
    const f = await fixture();
    const by = (s: Selection): Cursor => f.watch(s, f.cache.applied);
    const cursors = [by(labelled('1')), by(labelled('2')), by(hot('1')), by(hot('2'))];
    await f.put('ns/a', '1');
    await f.put('ns/a', '2');
    const last = await f.put('ns/a', '3');
    await f.put('ns/b', '1');
    const gone = await f.remove('ns/b');
    const brief = (c: Cursor): string[] =>
      drain(c).map((e) => `${e.type} ${e.object!.metadata.name} ${e.object!.metadata.labels!['v']}`);
    const [one, two, hotOne, hotTwo] = cursors.map(brief);
    expect(one).toEqual(['ADDED a 1', 'DELETED a 1', 'ADDED b 1', 'DELETED b 1']);
    expect(two).toEqual(['ADDED a 2', 'DELETED a 2']);
    expect(hotOne).toEqual(one);
    expect(hotTwo).toEqual(two);
    const versions = drain(f.watch(labelled('2'), 0 + last - 1)).map((e) => e.object!.metadata.resourceVersion);
    expect(versions).toEqual([String(last)]);
    expect(drain(f.watch(everything, gone - 1)).map((e) => e.object!.metadata.resourceVersion)).toEqual([String(gone)]);
  });

  it('delivers initial objects, the bookmark at their end, then changes', async () => {
    const f = await fixture();
    await f.put('ns/b', '1');
    await f.put('ns/a', '1');
    const s = f.things.snapshot();
    const w = f.watch(everything, s.revision, { initial: s.objects.range(PREFIX, '0'), initialEnd: true });
    await f.put('ns/c', '1');
    expect(drain(w, 1).map((e) => `${e.type} ${e.object?.metadata.name ?? e.at}`)).toEqual([
      'ADDED a',
      'ADDED b',
      `BOOKMARK ${s.revision}`,
      'ADDED c',
    ]);
  });

  it('yields while it examines the initial state, without losing events', async () => {
    const f = await fixture();
    for (let i = 0; i < 50; i++) await f.put(`ns/o${i}`, String(i % 25));
    const s = f.things.snapshot();
    function* wanted(): IterableIterator<StoredObject | undefined> {
      for (const o of s.objects.range(PREFIX, '0')) yield o.labels()['v'] === '7' ? o : undefined;
    }
    const w = f.watch(everything, s.revision, { initial: wanted(), initialEnd: true });
    const events: number[] = [];
    let text = '';
    for (let frames = w.take(4096, () => true); frames !== undefined; frames = w.take(4096, () => true)) {
      events.push(frames.events);
      text += frames.payload.toString();
    }
    expect(events.filter((n) => n === 0).length).toBeGreaterThan(0);
    expect(text.match(/"name":"\w+"/g)).toEqual(['"name":"o32"', '"name":"o7"']);
    expect(text).toContain('BOOKMARK');
  });

  it('keeps encodings of current objects and drops those of deleted ones', async () => {
    const f = await fixture();
    await f.put('ns/a', '1');
    const old = f.things.get(`${PREFIX}ns/a`)!;
    let made = 0;
    const upper = (o: StoredObject): Buffer => {
      made++;
      return Buffer.from(o.json.toString().toUpperCase());
    };
    expect(old.encodedBytes('upper', upper)).toBe(old.length);
    expect(old.encoding('upper', upper)).toBe(old.encoding('upper', upper));
    expect(made).toBe(1);
    expect(f.cache.encodingBytes).toBeGreaterThan(old.length);
    await f.put('ns/a', '2');
    // The log holds the old object until enough later events displace it.
    for (let i = 0; i < 20; i++) await f.put('ns/b', '1', cacheLimits.logBytesMax / 16);
    expect(f.cache.encodingBytes).toBe(0);
    old.encoding('upper', upper);
    expect([made, f.cache.encodingBytes]).toEqual([2, 0]);
  });

  it('sends a bookmark to a watch with bookmarks that has all events', async () => {
    const f = await fixture();
    const asked = f.watch(everything, f.cache.applied, { bookmarks: true });
    const not = f.watch(everything, f.cache.applied);
    const at = await f.put('ns/a', '1');
    f.cache.bookmark();
    expect(drain(asked).map((e) => `${e.type} ${e.at ?? ''}`)).toEqual(['ADDED ', `BOOKMARK ${at}`]);
    expect(drain(not)).toHaveLength(1);
  });

  it('sends no bookmark at the start of the watch', async () => {
    const f = await fixture();
    const asked = f.watch(everything, f.cache.applied, { bookmarks: true });
    f.cache.bookmark();
    expect(drain(asked)).toEqual([]);
    const at = await f.put('other/a', '1');
    expect(drain(asked).map((e) => e.at)).toContain(at);
  });

  it('delivers no events up to a start revision above the applied one', async () => {
    const f = await fixture();
    const w = f.watch(everything, f.cache.applied + 2);
    await f.put('ns/a', '1');
    expect(drain(w)).toEqual([]);
    await f.put('ns/b', '1');
    await f.put('ns/c', '1');
    expect(drain(w).map((e) => e.object!.metadata.name)).toEqual(['c']);
  });

  it('replays history that the log does not have, and ends with the given frame when the history is compacted', async () => {
    const first = await fixture();
    const start = first.cache.applied;
    await first.put('ns/a', '1');
    await first.put('ns/a', '2');
    await first.remove('ns/a');
    await first.put('ns/b', '1');
    const second = await fixture(first.keyspace);
    const w = second.watch(everything, start);
    let ready = 0;
    w.onReady(() => ready++);
    expect(w.take(4096)).toBeUndefined();
    await settle();
    expect(ready).toBeGreaterThan(0);
    await second.put('ns/c', '1');
    expect(drain(w).map((e) => `${e.type} ${e.object!.metadata.name}`)).toEqual([
      'ADDED a',
      'MODIFIED a',
      'DELETED a',
      'ADDED b',
      'ADDED c',
    ]);
    await second.keyspace.compact(second.cache.applied);
    const late = (await fixture(first.keyspace)).watch(everything, start);
    late.take(4096);
    await settle();
    expect(late.take(4096)).toMatchObject({ payload: Buffer.from('{"type":"ERROR"}\n'), error: true });
    expect(late.ended).toBe(true);
  });

  it('resumes a slow watch at the position where it was woken, after any delay', async () => {
    const f = await fixture();
    const w = f.watch(inNamespace('mine'), f.cache.applied);
    w.onReady(() => {});
    await f.put('mine/a', '1');
    expect(drain(w)).toHaveLength(1);
    const fill = async (): Promise<void> => {
      for (let i = 0; i < 20; i++) {
        const padded = stored('other/x', '1', 900_000);
        for (let j = 0; j < 2; j++) await f.txn([{ kind: 'put', key: `${PREFIX}other/x`, value: padded }]);
      }
    };
    await fill();
    await f.keyspace.compact(f.cache.applied);
    await f.put('mine/b', '1');
    // The watch was woken but takes nothing: the log drops the events that woke it.
    await fill();
    const seen: Seen[] = [];
    for (let i = 0; i < 10; i++) {
      seen.push(...drain(w));
      await settle();
    }
    expect(seen.map((e) => `${e.type} ${e.object?.metadata.name}`)).toEqual(['ADDED b']);
  });

  it('does not serve its initial state for an earlier revision', async () => {
    const first = await fixture();
    await first.put('ns/a', '1');
    const both = await first.put('ns/b', '1');
    const one = await first.remove('ns/b');
    const second = await fixture(first.keyspace);
    expect(first.things.snapshotAt(one)).toBeDefined();
    expect(second.things.snapshotAt(one)).toBeDefined();
    expect(second.things.snapshotAt(both)).toBeUndefined();
  });

  it('adds a collection during concurrent writes to it', async () => {
    const f = await fixture();
    const prefix = '/registry/others/';
    const key = (i: number): string => `${prefix}a/${i % 40}`;
    const write = (i: number): Promise<Revision> =>
      f.txn([
        i % 3 === 0 ? { kind: 'delete', key: key(i * 7) } : { kind: 'put', key: key(i), value: stored('a/x', `${i}`) },
      ]);
    for (let i = 1; i < 60; i++) await write(i);
    const request = { prefix, fieldsOf: () => [] };
    let adding: Promise<readonly Collection[]> | undefined;
    for (let i = 60; i < 120; i++) {
      if (i === 80) adding = Promise.all([f.cache.add(request), f.cache.add(request)]);
      await write(i);
    }
    const [one, two] = await adding!;
    expect(one).toBe(two);
    const last = await write(121);
    await f.cache.waitFor(last, 1_000);
    const range = await f.keyspace.range({ start: prefix, end: '/registry/others0', limit: 1_000 });
    if (range.kind !== 'ok') throw new Error(range.kind);
    const { objects, revision: at } = one!.snapshot();
    expect(at).toBe(last);
    expect([...objects.range(prefix, '/registry/others0')].map((o) => [o.key, o.revision])).toEqual(
      range.items.map((kv) => [kv.key, kv.modRevision]),
    );
    f.cache.remove(prefix);
    expect(f.cache.collection(prefix)).toBeUndefined();
    await f.cache.waitFor(await write(122), 1_000);
  });

  it('waits for a revision', async () => {
    const f = await fixture();
    let done = false;
    const waiting = f.cache.waitFor(revision(f.cache.applied + 2), 1000).then(() => {
      done = true;
    });
    await f.put('ns/a', '1');
    await settle();
    expect(done).toBe(false);
    await f.put('ns/b', '1');
    await waiting;
    await f.cache.fresh(1000);
  });

  it('never skips or repeats an event, for any selection, start revision and speed', async () => {
    const name = fc.constantFrom('x/a', 'x/b', 'y/a', 'y/c');
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), name, v: fc.constantFrom('1', '2') }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove' as const), name }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('watch' as const),
          back: fc.nat(12),
          which: fc.nat(4),
          lazy: fc.boolean(),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('take' as const), bytes: fc.integer({ min: 1, max: 900 }) }),
      },
      { weight: 1, arbitrary: fc.constant({ kind: 'reopen' as const }) },
    );
    const selections = [
      everything,
      inNamespace('x'),
      labelled('1'),
      hot('2'),
      { id: 'x/a', namespace: 'x', name: 'a' },
    ];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
        let f = await fixture();
        const states: Map<string, string>[] = [];
        const remember = (): void => {
          states[f.cache.applied] = f.list();
        };
        remember();
        const watches: {
          readonly selection: Selection;
          readonly cursor: Cursor;
          readonly state: Map<string, string>;
          last: number;
        }[] = [];
        const follow = (w: (typeof watches)[number], seen: readonly Seen[]): void => {
          for (const e of seen) {
            const m = e.object!.metadata as unknown as {
              name: string;
              namespace: string;
              resourceVersion: string;
              labels: { v: string };
            };
            const key = `${PREFIX}${m.namespace}/${m.name}`;
            expect(Number(m.resourceVersion)).toBeGreaterThan(w.last);
            w.last = Number(m.resourceVersion);
            expect(w.state.has(key)).toBe(e.type !== 'ADDED');
            if (e.type === 'DELETED') w.state.delete(key);
            else w.state.set(key, m.labels.v);
          }
        };
        const chosen = (s: Selection, state: ReadonlyMap<string, string>): Map<string, string> =>
          new Map(
            [...state].filter(([key, v]) => {
              const [ns, n] = key.slice(PREFIX.length).split('/');
              if (s.namespace !== '' && s.namespace !== ns) return false;
              if (s.name !== '' && s.name !== n) return false;
              return s.id.startsWith('label') || s.id.startsWith('hot') ? s.id.endsWith(v) : true;
            }),
          );
        for (const s of steps) {
          if (s.kind === 'put') await f.put(s.name, s.v);
          else if (s.kind === 'remove') await f.remove(s.name);
          else if (s.kind === 'reopen') {
            for (const w of watches.splice(0)) w.cursor.close();
            f = await fixture(f.keyspace);
          } else if (s.kind === 'take') {
            for (const w of watches) follow(w, drainOnce(w.cursor, s.bytes));
          } else {
            let at = Math.max(0, f.cache.applied - s.back);
            while (states[at] === undefined) at++;
            const selection = selections[s.which]!;
            const cursor = f.watch(selection, at);
            watches.push({ selection, cursor, state: chosen(selection, states[at]!), last: at });
            if (!s.lazy) follow(watches.at(-1)!, drain(cursor));
          }
          remember();
        }
        for (const w of watches) {
          follow(w, drain(w.cursor));
          // Replayed history arrives in pages.
          for (let i = 0; i < 200 && !isDeepStrictEqual(w.state, chosen(w.selection, f.list())); i++) {
            await settle();
            follow(w, drain(w.cursor));
          }
          expect(w.state).toEqual(chosen(w.selection, f.list()));
        }
      }),
      { numRuns: 60 },
    );
  });
});

function drainOnce(cursor: Cursor, bytes: number): Seen[] {
  const frames = cursor.take(bytes);
  if (frames === undefined) return [];
  return frames.payload
    .toString()
    .trimEnd()
    .split('\n')
    .map((l) => JSON.parse(l) as Seen);
}
