import { cp, mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Revision, revision } from '../../base/index.js';
import type { EngineHome } from '../engine/engine.js';
import { rocksHome } from '../engine/folder.js';
import { memoryHome } from '../engine/memory.js';
import { StoreError } from '../errors.js';
import { type AppliedEvent, type Keyspace, type KeyValue, prefixEnd, type Txn } from '../keyspace.js';
import { openModelKeyspace } from '../model.js';
import { testWorld } from '../testworld.js';
import { type Entry, encodeEntry } from './entry.js';
import { openStateMachine, type StateMachine } from './machine.js';
import { metaKey, writeMeta } from './meta.js';
import { readRow, readRowKey, rowKey, rowKinds, writeRow } from './row.js';

const all = { start: '/', end: prefixEnd('/') };
const key = (n: number): string => `/k/${n}`;

async function open(home: EngineHome, events?: AppliedEvent[]): Promise<StateMachine> {
  const engine = await home.open();
  try {
    return await openStateMachine({
      engine,
      name: home.name,
      onApplied: (applied) => void events?.push(...applied.events),
    });
  } catch (error) {
    await engine.close();
    throw error;
  }
}

const txn = (ops: Txn['ops'], compares: Txn['compares'] = []): Buffer =>
  encodeEntry({ kind: 'txn', txn: { compares, ops } });
const put = (k: string, value: string): Buffer => txn([{ kind: 'put', key: k, value: Buffer.from(value) }]);
const compactTo = (at: number): Buffer => encodeEntry({ kind: 'compact', revision: at as Revision });
const check = encodeEntry({ kind: 'check' });

async function dump(machine: StateMachine, at?: Revision): Promise<string[]> {
  const result = await machine.range(at === undefined ? all : { ...all, revision: at });
  if (result.kind !== 'ok') return [result.kind];
  return result.items.map(line);
}

const line = (item: KeyValue): string =>
  `${item.key}=${Buffer.from(item.value).toString('latin1')}@${item.createRevision}-${item.modRevision}`;

async function settled(machine: StateMachine): Promise<void> {
  for (const end = performance.now() + 60_000; machine.counts.sweeping && performance.now() < end; ) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  expect(machine.counts.sweeping).toBe(false);
  await machine.barrier();
}

async function engineRows(home: EngineHome): Promise<number> {
  const engine = await home.open();
  const scan = engine.scan({ gte: Buffer.of(0), lt: Buffer.of(255) });
  let rows = 0;
  for (let page = await scan.next(); page !== undefined; page = await scan.next()) rows += page.keys.length;
  await scan.close();
  await engine.close();
  return rows;
}

/** Returns the hashes of a `check` entry. */
function hashesOf(result: unknown): string {
  const { hash, history } = result as { readonly hash: string; readonly history: string };
  return `${hash} ${history}`;
}

describe('state machine', () => {
  it('evaluates each entry after the earlier ones, within one call too', async () => {
    const events: AppliedEvent[] = [];
    const machine = await open(memoryHome(), events);
    const absent = [{ key: '/a', modRevision: revision(0) }];
    const results = await machine.apply([
      { index: 3, data: txn([{ kind: 'put', key: '/a', value: Buffer.from('1') }], absent) },
      { index: 4, data: txn([{ kind: 'put', key: '/a', value: Buffer.from('2') }], absent) },
      { index: 5, data: Buffer.alloc(0) },
      { index: 6, data: Buffer.from('junk') },
      { index: 7, data: txn([{ kind: 'delete', key: '/b' }]) },
      { index: 9, data: put('/a', '3') },
      { index: 10, data: check },
    ]);
    expect(results).toEqual([
      { kind: 'committed', revision: 3 },
      { kind: 'conflict', revision: 4, key: '/a' },
      { kind: 'noop', revision: 5 },
      { kind: 'malformed', revision: 6, message: 'unknown entry version' },
      { kind: 'committed', revision: 7 },
      { kind: 'committed', revision: 9 },
      {
        kind: 'checked',
        revision: 10,
        hash: expect.stringMatching(/^[0-9a-f]{32}$/),
        history: expect.stringMatching(/^[0-9a-f]{16}$/),
      },
    ]);
    expect(machine.applied).toBe(10);
    expect(events.map((event) => event.revision)).toEqual([3, 9]);
    expect(await dump(machine)).toEqual(['/a=3@3-9']);
    expect(await dump(machine, revision(8))).toEqual(['/a=1@3-3']);
    await expect(machine.apply([{ index: 10, data: check }])).rejects.toThrow('entry 10 after entry 10');
    // A log that goes back is a broken invariant: nothing is served after that.
    await expect(machine.apply([{ index: 11, data: check }])).rejects.toThrow('entry 10 after entry 10');
    await machine.close();
  });

  it('computes the same hash for any batches and any progress of compaction', async () => {
    const entries: Buffer[] = [];
    for (let i = 1; i <= 400; i++) {
      if (i % 50 === 0) entries.push(compactTo(i - 20));
      else if (i % 7 === 0) entries.push(txn([{ kind: 'delete', key: key(i % 13) }]));
      else entries.push(put(key(i % 13), 'v'.repeat(i % 40)));
    }
    entries.push(check);
    const hashes = new Set<string>();
    for (const size of [1, 7, 401]) {
      const machine = await open(memoryHome());
      let last: unknown;
      for (let i = 0; i < entries.length; i += size) {
        const slice = entries.slice(i, i + size).map((data, j) => ({ index: i + j + 1, data }));
        last = (await machine.apply(slice)).at(-1);
      }
      hashes.add(hashesOf(last));
      await machine.close();
    }
    expect(hashes.size).toBe(1);
    const other = await open(memoryHome());
    const changed = entries.map((data, i) => ({ index: i + 1, data: i === 200 ? put(key(1), 'w') : data }));
    expect(hashes).not.toContain(hashesOf((await other.apply(changed)).at(-1)));
    await other.close();
  });

  it('computes another hash after a row has changed, even with a matching checksum', async () => {
    const home = memoryHome();
    const machine = await open(home);
    const hashOf = async (m: StateMachine, index: number): Promise<string> =>
      ((await m.apply([{ index, data: check }])).at(-1) as { hash: string }).hash;
    await machine.apply([
      { index: 1, data: put('/a', 'one') },
      { index: 2, data: put('/b', 'two') },
    ]);
    const sound = await hashOf(machine, 3);
    await machine.close();
    const engine = await home.open();
    const at = { revision: 1, sequence: 0 };
    const batch = engine.batch();
    const nowhere = { revision: 0, sequence: 0 };
    batch.put(rowKey(1, 0), writeRow(at, rowKinds.put, 1, nowhere, 0, '/a', Buffer.from('ONE')).bytes);
    await batch.write({ sync: true });
    await engine.close();
    const again = await open(home);
    const changed = await hashOf(again, 4);
    expect(changed).not.toBe(sound);
    // The applied entries are the same; the stored rows differ.
    expect(changed.slice(0, 16)).toBe(sound.slice(0, 16));
    // A newer version of that key removes the difference.
    await again.apply([{ index: 5, data: put('/a', 'three') }]);
    const other = await open(memoryHome());
    await other.apply([
      { index: 1, data: put('/a', 'one') },
      { index: 2, data: put('/b', 'two') },
      { index: 5, data: put('/a', 'three') },
    ]);
    expect(await hashOf(again, 6)).toBe(await hashOf(other, 6));
    await again.close();
    await other.close();
  });

  it('computes another hash of the history after an older version has changed, while it can be read', async () => {
    const entries = [put('/a', 'one'), put('/a', 'two'), put('/b', 'three'), txn([{ kind: 'delete', key: '/b' }])];
    const opened = async (older: string): Promise<StateMachine> => {
      const home = memoryHome();
      const machine = await open(home);
      await machine.apply(entries.map((data, i) => ({ index: i + 1, data })));
      await machine.close();
      const engine = await home.open();
      const batch = engine.batch();
      const nowhere = { revision: 0, sequence: 0 };
      const at = { revision: 1, sequence: 0 };
      batch.put(rowKey(1, 0), writeRow(at, rowKinds.put, 1, nowhere, 0, '/a', Buffer.from(older)).bytes);
      await batch.write({ sync: true });
      await engine.close();
      return open(home);
    };
    const [sound, changed] = [await opened('one'), await opened('ONE')];
    const both = async (index: number, data: Buffer): Promise<readonly { hash: string; history: string }[]> => {
      const results = await Promise.all([sound, changed].map((machine) => machine.apply([{ index, data }])));
      return results.map((of) => of.at(-1) as unknown as { hash: string; history: string });
    };
    const [one, other] = await both(5, check);
    expect(other!.hash).toBe(one!.hash);
    expect(other!.history).not.toBe(one!.history);
    await both(6, compactTo(2));
    const [after, otherAfter] = await both(7, check);
    expect(otherAfter!.history).toBe(after!.history);
    expect(after!.history).not.toBe(one!.history);
    await Promise.all([sound.close(), changed.close()]);
  });

  it('computes the same hash of the history while a reader prevents the sweep', async () => {
    const [swept, kept] = [await open(memoryHome()), await open(memoryHome())];
    const both = async (index: number, data: Buffer): Promise<readonly string[]> => {
      const results = await Promise.all([swept, kept].map((machine) => machine.apply([{ index, data }])));
      return results.map((of) => hashesOf(of.at(-1)));
    };
    for (let i = 1; i <= 40; i++)
      await both(i, i % 5 === 0 ? txn([{ kind: 'delete', key: key(i % 3) }]) : put(key(i % 3), `${i}`));
    const reading = kept.changes(all, revision(2), false)[Symbol.asyncIterator]();
    await reading.next();
    await both(41, compactTo(30));
    // Now one of them has dropped a row that the other still has.
    while (swept.counts.sweeping) await new Promise<void>((resolve) => setImmediate(resolve));
    expect(kept.counts.changes).toBeGreaterThan(swept.counts.changes);
    const [one, other] = await both(42, check);
    expect(other).toBe(one);
    await reading.return?.();
    await Promise.all([swept.close(), kept.close()]);
  });

  it('follows the worked example of the README', async () => {
    const home = memoryHome();
    const engine = await home.open();
    const machine = await openStateMachine({ engine, name: 'memory' });
    const rows = async (): Promise<string[]> => {
      const scan = engine.scan({ gte: Buffer.from('v'), lt: Buffer.from('w') });
      const page = await scan.next();
      await scan.close();
      return page!.keys.map((k, i) => {
        const at = readRowKey(k)!;
        const row = readRow(at, page!.values[i]!)!;
        const what =
          row.kind === rowKinds.put ? `put ${row.key}=${row.value} created ${row.createRevision}` : `delete ${row.key}`;
        return `${at.revision}.${at.sequence} ${what} before ${row.previous.revision}.${row.previous.sequence}`;
      });
    };
    const value = (text: string): Buffer => Buffer.from(text);
    await machine.apply([
      { index: 1, data: put('/a', 'x') },
      {
        index: 2,
        data: txn([
          { kind: 'put', key: '/b', value: value('y') },
          { kind: 'put', key: '/a', value: value('z') },
        ]),
      },
      { index: 3, data: Buffer.alloc(0) },
      { index: 4, data: txn([{ kind: 'delete', key: '/a' }]) },
      { index: 5, data: put('/a', 'w') },
    ]);
    expect(await rows()).toEqual([
      '1.0 put /a=x created 1 before 0.0',
      '2.0 put /b=y created 2 before 0.0',
      '2.1 put /a=z created 1 before 1.0',
      '4.0 delete /a before 2.1',
      '5.0 put /a=w created 5 before 0.0',
    ]);
    expect(await dump(machine, revision(3))).toEqual(['/a=z@1-2', '/b=y@2-2']);
    expect(await dump(machine, revision(4))).toEqual(['/b=y@2-2']);
    await machine.apply([{ index: 6, data: compactTo(4) }]);
    await settled(machine);
    expect(await rows()).toEqual(['2.0 put /b=y created 2 before 0.0', '5.0 put /a=w created 5 before 0.0']);
    expect(await dump(machine, revision(3))).toEqual(['compacted']);
    expect(await dump(machine, revision(4))).toEqual(['/b=y@2-2']);
    await machine.close();
  });

  it('sweeps compacted rows in steps, and nothing else', async () => {
    const home = memoryHome();
    const machine = await open(home);
    for (let i = 1; i <= 1000; i++) await machine.apply([{ index: i, data: put(key(i % 10), String(i)) }]);
    await machine.apply([{ index: 1001, data: txn([{ kind: 'delete', key: key(0) }]) }]);
    const before = machine.sizeInUseBytes;
    expect(machine.counts).toMatchObject({ keys: 10, changes: 1001 });
    await machine.apply([{ index: 1002, data: compactTo(1001) }]);
    await settled(machine);
    expect(machine.counts).toMatchObject({ keys: 9, changes: 0 });
    expect(machine.sizeInUseBytes).toBeLessThan(before / 50);
    expect(await dump(machine)).toHaveLength(9);
    await machine.close();
    expect(await engineRows(home)).toBe(9 + 1);
  });

  it('continues an interrupted compaction', async () => {
    const home = memoryHome({ crashable: true });
    let machine = await open(home);
    for (let i = 1; i <= 2000; i++) await machine.apply([{ index: i, data: put(key(i % 10), String(i)) }]);
    await machine.apply([{ index: 2001, data: compactTo(2000) }]);
    home.crash(2001);
    expect(await engineRows(home)).toBeGreaterThan(1000);
    machine = await open(home);
    expect(machine.compacted).toBe(2000);
    await settled(machine);
    await machine.close();
    expect(await engineRows(home)).toBe(10 + 1);
  });

  it('sweeps nothing that a reader still needs', async () => {
    const machine = await open(memoryHome());
    for (let i = 1; i <= 600; i++) await machine.apply([{ index: i, data: put(key(i), 'old') }]);
    const answer = machine.pages({ ...all, revision: revision(600) });
    if ('kind' in answer) throw new Error('refused');
    const pages = answer.pages[Symbol.asyncIterator]();
    const got = [...(await pages.next()).value!.items];
    for (let i = 1; i <= 600; i++) await machine.apply([{ index: 600 + i, data: put(key(i), 'new') }]);
    await machine.apply([{ index: 1201, data: compactTo(1200) }]);
    await machine.barrier();
    expect(machine.counts.changes).toBe(600);
    for (let page = await pages.next(); page.done !== true; page = await pages.next()) got.push(...page.value.items);
    expect(got).toHaveLength(600);
    expect(new Set(got.map((item) => Buffer.from(item.value).toString()))).toEqual(new Set(['old']));
    await settled(machine);
    expect(machine.counts.changes).toBe(0);
    await machine.close();
  });

  it('waits for space while its owner retries, serves reads meanwhile, and loses nothing', async () => {
    const home = memoryHome();
    let failures = 0;
    let asked = 0;
    const engine = await home.open();
    const machine = await openStateMachine({
      engine,
      name: 'memory',
      onFailure: () => failures++,
      roomOrRetry: async () => {
        if (++asked === 3) home.failWrites(undefined);
        return true;
      },
    });
    await machine.apply([{ index: 1, data: put('/a', '1') }]);
    home.failWrites(() => {
      throw new StoreError('noSpace', 'full');
    });
    const first = machine.apply([{ index: 2, data: put('/a', '2') }]);
    const second = machine.apply([{ index: 3, data: put('/b', '3') }]);
    expect(await dump(machine)).toEqual(['/a=1@1-1']);
    await Promise.all([first, second, machine.barrier()]);
    expect([asked, failures, machine.blocked]).toEqual([3, 0, undefined]);
    expect(await dump(machine)).toEqual(['/a=2@1-2', '/b=3@3-3']);
    await machine.close();
    const again = await open(home);
    expect(await dump(again)).toEqual(['/a=2@1-2', '/b=3@3-3']);
    await again.close();
  });

  it('stops waiting for space when its owner gives up', async () => {
    const home = memoryHome();
    const engine = await home.open();
    let patience = 2;
    const machine = await openStateMachine({ engine, name: 'memory', roomOrRetry: async () => --patience > 0 });
    home.failWrites(() => {
      throw new StoreError('noSpace', 'full');
    });
    await expect(machine.apply([{ index: 1, data: put('/a', '1') }])).rejects.toMatchObject({ kind: 'noSpace' });
    await machine.close();
  });

  it('fails completely if a write fails, and starts again from the written state', async () => {
    const home = memoryHome();
    let failures = 0;
    const engine = await home.open();
    const machine = await openStateMachine({ engine, name: 'memory', onFailure: () => failures++ });
    await machine.apply([{ index: 1, data: put('/a', '1') }]);
    home.failWrites(() => {
      throw new StoreError('noSpace', 'full');
    });
    const first = machine.apply([{ index: 2, data: put('/a', '2') }]);
    const second = machine.apply([{ index: 3, data: put('/a', '3') }]);
    await expect(first).rejects.toMatchObject({ kind: 'noSpace' });
    await expect(second).rejects.toMatchObject({ kind: 'noSpace' });
    await expect(machine.apply([{ index: 4, data: put('/a', '4') }])).rejects.toMatchObject({ kind: 'noSpace' });
    await expect(machine.range(all)).rejects.toMatchObject({ kind: 'noSpace' });
    expect(failures).toBe(1);
    await machine.close();
    home.failWrites(undefined);
    const again = await open(home);
    expect(again.applied).toBe(1);
    await again.apply([{ index: 2, data: put('/a', '2') }]);
    expect(await dump(again)).toEqual(['/a=2@1-2']);
    await again.close();
  });
});

describe('a damaged store', () => {
  const damage = async (change: (home: EngineHome) => Promise<void>): Promise<string> => {
    const home = memoryHome();
    const machine = await open(home);
    for (let i = 1; i <= 20; i++) await machine.apply([{ index: i, data: put(key(i % 3), String(i)) }]);
    await machine.apply([{ index: 21, data: compactTo(10) }]);
    await settled(machine);
    await machine.close();
    await change(home);
    const opened = await open(home).then(
      () => 'opened',
      (error: StoreError) => `${error.kind}: ${error.message}`,
    );
    return opened;
  };
  const edit = (edits: Readonly<Record<string, Buffer | undefined>>) => async (home: EngineHome) => {
    const engine = await home.open();
    const batch = engine.batch();
    for (const [k, value] of Object.entries(edits)) {
      if (value === undefined) batch.delete(Buffer.from(k, 'latin1'));
      else batch.put(Buffer.from(k, 'latin1'), value);
    }
    await batch.write({ sync: true });
    await engine.close();
  };
  const row = (r: number): string => rowKey(r, 0).toString('latin1');
  const rowOf = async (home: EngineHome, r: number): Promise<Buffer> => {
    const engine = await home.open();
    const bytes = Buffer.from((await engine.get(rowKey(r, 0)))!);
    await engine.close();
    return bytes;
  };

  it('is not opened, whatever the damage', async () => {
    expect(await damage(async () => {})).toBe('opened');
    expect(await damage(edit({ [row(15)]: undefined }))).toMatch(/^corrupt: .*row 18 follows row 15/);
    expect(await damage(edit({ [row(20)]: undefined }))).toMatch(/^corrupt: .*12 rows of .* found, 13 of/);
    expect(await damage(edit({ [row(9)]: undefined }))).toMatch(/^corrupt: .*row 12 follows row 9, but row 0/);
    expect(await damage(edit({ stray: Buffer.from('x') }))).toMatch(/^corrupt: .*a stray key 7374726179/);
    expect(await damage(edit({ m: Buffer.from('x') }))).toMatch(/^corrupt: .*meta row/);
    expect(await damage(edit({ m: undefined }))).toMatch(/^corrupt: .*above the applied index 0/);
    expect(await damage(edit({ m: Buffer.from([9, 0, 0, 0, 0]) }))).toMatch(/^format: .*newer version/);
    const flip = async (home: EngineHome): Promise<void> => {
      const bytes = await rowOf(home, 15);
      bytes[30]! ^= 1;
      await edit({ [row(15)]: bytes })(home);
    };
    expect(await damage(flip)).toMatch(/^corrupt: .*row 15.0 fails its checksum.*move the folder away/);
    const moved = async (home: EngineHome): Promise<void> =>
      edit({ [row(15)]: undefined, [row(16)]: await rowOf(home, 15) })(home);
    expect(await damage(moved)).toMatch(/^corrupt: .*row 16.0 fails its checksum/);
  });

  it('is also detected by a read, which fails the machine', async () => {
    const home = memoryHome();
    const engine = await home.open();
    const failures: Error[] = [];
    const machine = await openStateMachine({ engine, name: 'here', onFailure: (error) => failures.push(error) });
    await machine.apply([{ index: 1, data: put('/a', '1') }]);
    const batch = engine.batch();
    batch.delete(rowKey(1, 0));
    await batch.write({ sync: false });
    await expect(machine.range(all)).rejects.toMatchObject({
      kind: 'corrupt',
      message: expect.stringContaining('here'),
    });
    expect(failures).toHaveLength(1);
    await expect(machine.apply([{ index: 2, data: check }])).rejects.toMatchObject({ kind: 'corrupt' });
    await machine.close();
  });

  it('with a meta row of another state is not opened', async () => {
    const meta = {
      applied: 30,
      compacted: 10,
      swept: 10,
      chain: '0'.repeat(16),
      rows: 13,
      bytes: 1,
      tally: '0'.repeat(16),
    };
    expect(await damage(edit({ [metaKey.toString()]: writeMeta(meta) }))).toMatch(/^corrupt: .*rows of/);
  });
});

/** The log of a run, the model at any index of it, and the hash observed there. */
class History {
  readonly entries: Entry[] = [];
  readonly hashes = new Map<number, string>();

  async model(through: number): Promise<Keyspace> {
    const model = openModelKeyspace(testWorld(0));
    for (const entry of this.entries.slice(0, through)) {
      if (entry.kind === 'txn') await model.txn(entry.txn);
      else if (entry.kind === 'compact') await model.compact(entry.revision);
      else await model.txn({ compares: [], ops: [] });
    }
    return model;
  }
}

async function compareWithModel(machine: StateMachine, history: History): Promise<void> {
  const model = await history.model(machine.applied);
  const { applied, compacted } = model.status();
  expect([machine.applied, machine.compacted]).toEqual([applied, compacted]);
  for (let at: number = compacted; at <= applied; at += Math.max(1, Math.floor((applied - compacted) / 7))) {
    const expected = await model.range({ ...all, revision: revision(at) });
    if (expected.kind !== 'ok') throw new Error('the model refused');
    expect(await dump(machine, revision(at))).toEqual(expected.items.map(line));
  }
  const expected: AppliedEvent[] = [];
  const watch = model.watch(
    { ...all, after: compacted, previous: true },
    { events: (e) => expected.push(...e), end: () => {} },
  );
  await new Promise<void>((resolve) => setImmediate(resolve));
  watch.cancel();
  const seen: AppliedEvent[] = [];
  for await (const page of machine.changes(all, compacted, true)) seen.push(...page.events);
  const plain = (events: readonly AppliedEvent[]): unknown =>
    events.map(({ revision: r, changes }) => [
      r,
      changes.map((c) => [c.kind === 'put' ? line(c.current) : `-${c.key}`, c.previous && line(c.previous)]),
    ]);
  expect(plain(seen)).toEqual(plain(expected));
}

const step = fc.record({
  what: fc.constantFrom(
    'put',
    'put',
    'put',
    'putIf',
    'putIf',
    'delete',
    'many',
    'compact',
    'check',
    'barrier',
    'crash',
  ),
  a: fc.nat(11),
  b: fc.nat(11),
  n: fc.nat(1000),
  await: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function entryOf(s: Step, history: History, modRevisions: Map<string, number>): Entry {
  const value = Buffer.from(`${s.n}`.repeat(s.n % 5));
  switch (s.what) {
    case 'putIf': {
      const guess =
        s.n % 3 === 0 ? 0 : s.n % 3 === 1 ? (modRevisions.get(key(s.a)) ?? 0) : s.n % (history.entries.length + 1);
      const compares = [{ key: key(s.a), modRevision: guess as Revision }];
      return { kind: 'txn', txn: { compares, ops: [{ kind: 'put', key: key(s.b), value }] } };
    }
    case 'delete':
      return { kind: 'txn', txn: { compares: [], ops: [{ kind: 'delete', key: key(s.a) }] } };
    case 'many': {
      const ops: Txn['ops'] = Array.from({ length: s.n % 12 }, (_, i) =>
        (s.n >> i) & 1
          ? { kind: 'put', key: key((s.a + i) % 12), value }
          : { kind: 'delete', key: key((s.a + i) % 12) },
      );
      return { kind: 'txn', txn: { compares: [], ops } };
    }
    case 'compact':
      return { kind: 'compact', revision: Math.max(0, history.entries.length - (s.n % 30)) as Revision };
    case 'check':
      return { kind: 'check' };
    default:
      return { kind: 'txn', txn: { compares: [], ops: [{ kind: 'put', key: key(s.a), value }] } };
  }
}

/** A store that can lose power: `crash` keeps what was synced, and all, some or none of the rest, and opens that. */
interface Crashable {
  open(): Promise<EngineHome>;
  /** Called after each barrier. */
  synced(): Promise<void>;
  crash(machine: StateMachine, chance: number): Promise<EngineHome>;
}

async function run(steps: readonly Step[], store: Crashable): Promise<void> {
  const history = new History();
  const modRevisions = new Map<string, number>();
  const events: AppliedEvent[] = [];
  let machine = await open(await store.open(), events);
  let syncedTo = 0;
  let under: Promise<unknown> = Promise.resolve();
  const applyFrom = async (index: number): Promise<void> => {
    const results = await machine.apply(
      history.entries.slice(index).map((entry, i) => ({ index: index + i + 1, data: encodeEntry(entry) })),
    );
    for (const result of results) {
      if (result.kind !== 'checked') continue;
      // The same entry gives the same hash each time it is applied.
      const hashes = hashesOf(result);
      expect(history.hashes.get(result.revision) ?? hashes).toBe(hashes);
      history.hashes.set(result.revision, hashes);
    }
  };
  for (const s of steps) {
    if (s.what === 'barrier') {
      syncedTo = await machine.barrier();
      await store.synced();
    } else if (s.what === 'crash') {
      const next = await store.crash(machine, s.n / 1000);
      await under.catch(() => undefined);
      under = Promise.resolve();
      machine = await open(next, events);
      expect(machine.applied).toBeGreaterThanOrEqual(syncedTo);
      expect(machine.applied).toBeLessThanOrEqual(history.entries.length);
      await compareWithModel(machine, history);
      // The log restores what was lost.
      await applyFrom(machine.applied);
    } else {
      const entry = entryOf(s, history, modRevisions);
      history.entries.push(entry);
      if (entry.kind === 'txn') {
        for (const op of entry.txn.ops) modRevisions.set(op.key, op.kind === 'put' ? history.entries.length : 0);
      }
      under = applyFrom(history.entries.length - 1);
      under.catch(() => undefined);
      if (s.await) await under;
    }
  }
  await under;
  await compareWithModel(machine, history);
  await machine.close();
}

describe('state machine against the model', () => {
  it('agrees through power cuts, on the memory engine', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 150, size: 'max' }), (steps) => {
        const home = memoryHome({ crashable: true });
        return run(steps, {
          open: async () => home,
          synced: async () => {},
          crash: async (_, chance) => {
            home.crash(Math.round(home.unsynced * chance));
            return home;
          },
        });
      }),
      { numRuns: 60 },
    );
  });

  let root = '';
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'trireme-machine-'));
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  it('agrees through power cuts, on RocksDB', async () => {
    let folders = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80, size: 'max' }), async (steps) => {
        let folder = join(root, String(folders++));
        let synced = new Map<string, number>();
        await run(steps, {
          open: async () => rocksHome(folder),
          synced: async () => {
            synced = await logSizes(folder);
          },
          crash: async (machine, chance) => {
            // A kill leaves the current content of the files. A power cut removes some of the end of the engine's own
            // log after the last sync, at any byte.
            const after = join(root, String(folders++));
            await copyOfLive(folder, after);
            for (const [file, size] of await logSizes(after)) {
              const safe = synced.get(file) ?? 0;
              await truncate(join(after, 'state.1', file), safe + Math.floor((size - safe) * chance));
            }
            await machine.close();
            await rm(folder, { recursive: true });
            folder = after;
            synced = await logSizes(folder);
            return rocksHome(folder);
          },
        });
      }),
      { numRuns: 10 },
    );
  });
});

/**
 * Copies the folder of an active RocksDB as if all files were read in one moment. That holds if no file appeared or
 * disappeared meanwhile, and the manifest, which lists the valid files, was the same before and after.
 */
async function copyOfLive(folder: string, to: string): Promise<void> {
  const layout = async (): Promise<string> => {
    const files = (await readdir(join(folder, 'state.1'))).sort();
    const manifest = files.filter((file) => file.startsWith('MANIFEST')).at(-1);
    return `${files.join(' ')} ${manifest && (await stat(join(folder, 'state.1', manifest))).size}`;
  };
  for (let attempts = 0; attempts < 100; attempts++) {
    try {
      const before = await layout();
      await cp(folder, to, { recursive: true });
      if ((await layout()) === before) return;
    } catch (error) {
      // The file is gone: a compaction has ended.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    await rm(to, { recursive: true, force: true });
  }
  throw new Error(`the files of ${folder} do not come to rest`);
}

/** Sizes of RocksDB's write-ahead logs. */
async function logSizes(folder: string): Promise<Map<string, number>> {
  const files = (await readdir(join(folder, 'state.1'))).filter((file) => file.endsWith('.log'));
  const sizes = new Map<string, number>();
  for (const file of files) sizes.set(file, (await stat(join(folder, 'state.1', file))).size);
  return sizes;
}
