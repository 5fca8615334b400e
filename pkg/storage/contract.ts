import { afterEach, describe, expect, it } from 'vitest';
import { type Revision, revision } from '../base/index.js';
import {
  type AppliedEvent,
  type Keyspace,
  type KeyValue,
  prefixEnd,
  type WatchRequest,
  type WatchSink,
} from './keyspace.js';

/** A keyspace under test and what the suite may do to it. */
export interface KeyspaceUnderTest {
  readonly keyspace: Keyspace;
  /** Moves wall clock and timers on. Absent: expiry is not tried. */
  advance?(milliseconds: number): Promise<void>;
  /** Closes and opens again from what was stored. Absent: not tried. */
  reopen?(): Promise<Keyspace>;
  /** Called at the end of each test. */
  dispose(): Promise<void>;
}

const text = (kv: KeyValue | undefined): string | undefined => kv && Buffer.from(kv.value).toString('latin1');
const all = { start: '/', end: prefixEnd('/') };
/** Turns of the event loop that something asynchronous is given to happen. */
const turnsMax = 20_000;

/** `expect` costs more than what is watched here. */
function must(condition: boolean, message: string): void {
  if (!condition) expect.unreachable(`watch: ${message}`);
}

/** Writes down what a watch delivers and checks that it keeps the rules every watch keeps. */
export class Recorder implements WatchSink {
  readonly seen: AppliedEvent[] = [];
  reached = 0;
  ended: Parameters<WatchSink['end']>[0] | undefined;

  events(batch: readonly AppliedEvent[]): void {
    must(this.ended === undefined && batch.length > 0, 'events after the end, or none');
    for (const event of batch) {
      const before = Math.max(this.reached, this.seen.at(-1)?.revision ?? 0);
      must(event.revision > before, `event ${event.revision} after ${before}`);
      must(event.changes.length > 0, `event ${event.revision} is empty`);
      for (const change of event.changes) {
        must(change.kind === 'delete' || change.current.modRevision === event.revision, 'a change of another revision');
      }
      this.seen.push(event);
    }
  }

  progress(to: Revision): void {
    must(this.ended === undefined, 'progress after the end');
    must(to >= Math.max(this.reached, this.seen.at(-1)?.revision ?? 0), `progress back to ${to}`);
    this.reached = to;
  }

  end(why: Parameters<WatchSink['end']>[0]): void {
    must(this.ended === undefined, 'a second end');
    this.ended = why;
  }

  /** `+key=value` for a put and `-key` for a delete, `<old` behind it where the previous value came along. */
  get lines(): string[] {
    return this.seen.flatMap(({ changes }) =>
      changes.map((change) => {
        const was = change.previous === undefined ? '' : `<${text(change.previous)}`;
        return change.kind === 'put' ? `+${change.current.key}=${text(change.current)}${was}` : `-${change.key}${was}`;
      }),
    );
  }

  async until(condition: (recorder: Recorder) => boolean): Promise<void> {
    for (let turn = 0; turn < turnsMax && !condition(this); turn++) {
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    expect(condition(this), `waited in vain; seen: ${this.lines.join(' ')}`).toBe(true);
  }
}

/** What every keyspace promises. `make` gives each test one of its own, empty. */
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

/** Milliseconds since the epoch at which a test's clock starts, where the suite tries expiry. */
export const expiryOrigin = 1_700_000_000_000;

function describeWrites(start: () => Promise<Keyspace>): void {
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

  it('carries values of any bytes and sizes', async () => {
    const k = await start();
    const values = [0, 1, 255, 65_536, 1_500_000].map((n) => Buffer.alloc(n, 0xfe));
    for (const [i, value] of values.entries()) {
      committed(await k.txn({ compares: [], ops: [{ kind: 'put', key: `/v/${i}`, value }] }));
    }
    for (const [i, value] of values.entries()) {
      expect(Buffer.compare((await one(k, `/v/${i}`))!.value, value)).toBe(0);
    }
  });

  it('writes only where every compare is true, and says which was not', async () => {
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

  it('serialises racing transactions: of many with one compare exactly one wins', async () => {
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

  it('reads what was acknowledged: the read index is never behind it', async () => {
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

function describeReads(start: () => Promise<Keyspace>): void {
  it('ranges in key order between start and end', async () => {
    const k = await start();
    for (const key of ['/b/2', '/a/1', '/b/10', '/c', '/b', '/b/']) await put(k, key, 'v');
    expect(await keys(k)).toEqual(['/a/1', '/b', '/b/', '/b/10', '/b/2', '/c']);
    expect(await keys(k, { start: '/b/', end: prefixEnd('/b/') })).toEqual(['/b/', '/b/10', '/b/2']);
    expect(await keys(k, { start: '/b', end: '/b\0' })).toEqual(['/b']);
    expect(await keys(k, { start: '/b/10', end: '/b/2' })).toEqual(['/b/10']);
    expect(await keys(k, { start: '/d', end: '/e' })).toEqual([]);
    expect(await keys(k, { start: '/c', end: '/a' })).toEqual([]);
  });

  it('cuts at the limit and says whether more is there', async () => {
    const k = await start();
    for (const key of ['/1', '/2', '/3']) await put(k, key, 'v');
    const shapes = [];
    for (const limit of [1, 2, 3, 4]) {
      const result = await k.range({ ...all, limit });
      if (result.kind === 'ok') shapes.push([limit, result.items.length, result.more]);
    }
    expect(shapes).toEqual([
      [1, 1, true],
      [2, 2, true],
      [3, 3, false],
      [4, 3, false],
    ]);
  });

  it('reads every kept revision as it was', async () => {
    const k = await start();
    const states = new Map<Revision, string[]>();
    const note = async (at: Revision): Promise<void> => void states.set(at, await values(k));
    await note(await put(k, '/a', '1'));
    await note(await put(k, '/b', '1'));
    await note(await put(k, '/a', '2'));
    await note(await remove(k, '/a'));
    await note(await put(k, '/a', '3'));
    await note(await remove(k, '/b'));
    for (const [at, state] of states) expect(await values(k, at)).toEqual(state);
    const empty = await k.range({ ...all, revision: revision(states.keys().next().value! - 1) });
    expect(empty).toMatchObject({ kind: 'ok', items: [], more: false });
    const newest = k.status().applied;
    expect(await k.range({ ...all, revision: revision(newest + 1000) })).toMatchObject({ kind: 'future' });
  });

  it('pages through a state that does not move while others write', async () => {
    const k = await start();
    for (let i = 0; i < 60; i++) await put(k, `/p/${String(i).padStart(2, '0')}`, 'old');
    const first = await k.range({ ...all, limit: 7 });
    if (first.kind !== 'ok') throw new Error('the first page was refused');
    const got = [...first.items];
    let more = first.more;
    for (let i = 0; more; i++) {
      await put(k, `/p/${String((i * 11) % 60).padStart(2, '0')}`, 'new');
      await remove(k, `/p/${String((i * 17) % 60).padStart(2, '0')}`);
      await put(k, `/p/new${i}`, 'new');
      const page = await k.range({ start: `${got.at(-1)!.key}\0`, end: all.end, limit: 7, revision: first.revision });
      if (page.kind !== 'ok') throw new Error('a later page was refused');
      expect(page.revision).toBe(first.revision);
      got.push(...page.items);
      more = page.more;
    }
    expect(got.map((item) => item.key)).toEqual(
      Array.from({ length: 60 }, (_, i) => `/p/${String(i).padStart(2, '0')}`),
    );
    expect(new Set(got.map(text))).toEqual(new Set(['old']));
  });

  it('gives a range of many keys whole and in order', async () => {
    const k = await start();
    const names = Array.from({ length: 1500 }, (_, i) => `/many/${String((i * 7919) % 1500).padStart(4, '0')}`);
    for (let i = 0; i < names.length; i += 100) {
      const ops = names.slice(i, i + 100).map((key) => ({ kind: 'put' as const, key, value: Buffer.from(key) }));
      committed(await k.txn({ compares: [], ops }));
    }
    const result = await k.range(all);
    if (result.kind !== 'ok') throw new Error('the range was refused');
    expect(result.items.map((item) => item.key)).toEqual(names.toSorted());
    expect(result.items.every((item) => text(item) === item.key)).toBe(true);
  });
}

function describeWatches(start: () => Promise<Keyspace>): void {
  it('delivers live events of its range, before the transaction is answered', async () => {
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

  it('replays history from any kept revision, with previous values where asked for', async () => {
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

  it('goes from history to live without a gap or a repetition, however the two meet', async () => {
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

  it('waits for revisions that are still to come', async () => {
    const k = await start();
    const now = await put(k, '/a', '1');
    const seen = watch(k, { ...all, after: revision(now + 1) });
    await put(k, '/a', '2');
    const at = await put(k, '/a', '3');
    await seen.until(({ reached }) => reached >= at);
    expect(seen.seen.every((event) => event.revision > now + 1)).toBe(true);
    expect(seen.lines.at(-1)).toBe('+/a=3');
  });

  it('calls no sink after cancel, not even one that has not begun', async () => {
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

function describeCompaction(start: () => Promise<Keyspace>): void {
  it('gives up what lies below and keeps what can still be read', async () => {
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

  it('never goes back and never ahead', async () => {
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

  it('does not disturb live watches, and drops no event on its way to one', async () => {
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

  it('keeps a long read at its revision while that is compacted away', async () => {
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

const noBytes = new Uint8Array(0);

function committed(result: { readonly kind: string; readonly revision?: Revision }): Revision {
  expect(result).toMatchObject({ kind: 'committed' });
  return result.revision!;
}

async function put(k: Keyspace, key: string, value: string): Promise<Revision> {
  return committed(await k.txn({ compares: [], ops: [{ kind: 'put', key, value: Buffer.from(value, 'latin1') }] }));
}

async function remove(k: Keyspace, key: string): Promise<Revision> {
  return committed(await k.txn({ compares: [], ops: [{ kind: 'delete', key }] }));
}

async function one(k: Keyspace, key: string): Promise<KeyValue | undefined> {
  const result = await k.range({ start: key, end: `${key}\0` });
  if (result.kind !== 'ok') throw new Error(`a read at the newest revision was refused: ${result.kind}`);
  return result.items[0];
}

async function keys(k: Keyspace, range: { start: string; end: string } = all): Promise<string[]> {
  const result = await k.range(range);
  if (result.kind !== 'ok') throw new Error(`a read at the newest revision was refused: ${result.kind}`);
  return result.items.map((item) => item.key);
}

async function values(k: Keyspace, at?: Revision): Promise<string[]> {
  const result = await k.range(at === undefined ? all : { ...all, revision: at });
  if (result.kind !== 'ok') throw new Error(`a read at ${at} was refused: ${result.kind}`);
  return result.items.map((item) => `${item.key}=${text(item)}`);
}

function watch(k: Keyspace, request: Omit<WatchRequest, 'previous'> & { readonly previous?: boolean }): Recorder {
  const recorder = new Recorder();
  k.watch({ previous: false, ...request }, recorder);
  return recorder;
}
