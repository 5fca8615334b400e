import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Revision } from '../../base/index.js';
import { crc32 } from '../checksum.js';
import type { EngineHome } from '../engine/engine.js';
import { rocksHome } from '../engine/folder.js';
import { memoryHome } from '../engine/memory.js';
import type { StoreError } from '../errors.js';
import type { AppliedEvent, KeyValue } from '../keyspace.js';
import { snapshotBlockBytes } from '../limits.js';
import { encodeEntry } from './entry.js';
import { inspectSnapshot, installSnapshot } from './install.js';
import { openStateMachine, type StateMachine } from './machine.js';

const all = { start: '/', end: '0' };
let root = '';
let folders = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'trireme-snapshot-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function open(home: EngineHome): Promise<StateMachine> {
  return openStateMachine({ engine: await home.open(), name: home.name });
}

const put = (key: string, value: Buffer): Buffer =>
  encodeEntry({ kind: 'txn', txn: { compares: [], ops: [{ kind: 'put', key, value }] } });
const compactTo = (at: number): Buffer => encodeEntry({ kind: 'compact', revision: at as Revision });

/** A machine with history, a deletion, a compaction and some values of 10 KiB: about 2 MB. */
async function filled(home: EngineHome): Promise<StateMachine> {
  const machine = await open(home);
  let index = 0;
  const apply = (data: Buffer) => machine.apply([{ index: ++index, data }]);
  for (let i = 0; i < 200; i++) await apply(put(`/k/${i % 50}`, Buffer.alloc(10_000, i)));
  await apply(encodeEntry({ kind: 'txn', txn: { compares: [], ops: [{ kind: 'delete', key: '/k/7' }] } }));
  await apply(compactTo(90));
  await apply(put('/k/new', Buffer.from('new')));
  return machine;
}

async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const out: Buffer[] = [];
  for await (const chunk of chunks) out.push(Buffer.from(chunk));
  return out;
}

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer, void, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const line = (item: KeyValue | undefined): string =>
  item === undefined ? '' : `${item.key} ${item.createRevision} ${item.modRevision} ${crc32(item.value, 0)}`;
const eventLine = ({ revision, changes }: AppliedEvent): string =>
  `${revision}: ${changes.map((c) => `${c.kind === 'put' ? line(c.current) : c.key} < ${line(c.previous)}`).join(', ')}`;

async function everything(machine: StateMachine): Promise<unknown> {
  const range = await machine.range(all);
  if (range.kind !== 'ok') return range;
  const events: AppliedEvent[] = [];
  for await (const page of machine.changes(all, machine.compacted, true)) events.push(...page.events);
  const check = await machine.apply([{ index: machine.decided + 1, data: encodeEntry({ kind: 'check' }) }]);
  return [range.revision, range.items.map(line), events.map(eventLine), check, machine.compacted];
}

describe('snapshots', () => {
  const homes: Readonly<Record<string, () => EngineHome>> = {
    memory: () => memoryHome(),
    rocksdb: () => rocksHome(join(root, String(folders++))),
  };
  for (const [name, home] of Object.entries(homes)) {
    it(`copy the whole state to another store: ${name}`, async () => {
      const from = await filled(home());
      const snapshot = await from.openSnapshot();
      expect(snapshot.index).toBe(203);
      // Later changes are not in it.
      await from.apply([{ index: 204, data: put('/k/later', Buffer.from('x')) }]);
      const chunks = await collect(snapshot.chunks());
      expect(chunks.length).toBeGreaterThan(3);
      for (const chunk of chunks) expect(chunk.length).toBeLessThan(snapshotBlockBytes + 20_000);
      const bytes = Buffer.concat(chunks);
      expect(await inspectSnapshot(pieces(bytes, 100_000))).toMatchObject({ applied: 203, compacted: 90 });
      for (const size of [bytes.length, 70_001, 4096]) {
        const target = home();
        const old = await open(target);
        await old.apply([{ index: 1, data: put('/k/old', Buffer.from('old')) }]);
        const installed = await installSnapshot({ home: target, chunks: pieces(bytes, size) });
        expect(installed.index).toBe(203);
        expect(await old.range(all)).toMatchObject({ items: [{ key: '/k/old' }] });
        const machine = await openStateMachine({ engine: installed.engine, name });
        await old.close();
        await target.sweep();
        expect(machine.applied).toBe(203);
        const same = await filled(home());
        expect(await everything(machine)).toEqual(await everything(same));
        await same.close();
        await machine.close();
        const again = await open(target);
        expect(again.applied).toBe(204);
        await again.close();
      }
      await from.close();
    });
  }

  for (const [name, home] of Object.entries(homes)) {
    it(`that follow end near the current state, whatever is compacted and swept meanwhile: ${name}`, async () => {
      const from = await filled(home());
      const snapshot = await from.openSnapshot({ follow: true });
      let index = 203;
      const apply = (data: Buffer) => from.apply([{ index: ++index, data }]);
      /** As far as the snapshot allows it. */
      const swept = async () => {
        for (let turn = 0; turn < 100; turn++) await new Promise((r) => setImmediate(r));
      };
      const remove = encodeEntry({ kind: 'txn', txn: { compares: [], ops: [{ kind: 'delete', key: '/k/8' }] } });
      const rounds: ((() => Promise<void>) | undefined)[] = [
        async () => {
          for (let i = 0; i < 60; i++) await apply(put(`/k/${i % 55}`, Buffer.alloc(10_000, i)));
          await apply(remove);
          await apply(compactTo(index - 3));
        },
        async () => {
          await apply(compactTo(index));
          await apply(put('/k/8', Buffer.from('again')));
        },
        // A round without changes.
        async () => {},
      ];
      const chunks: Buffer[] = [];
      const following: number[] = [];
      const again = (next: Revision): boolean => following.push(next) <= 3;
      for await (const chunk of snapshot.chunks(again)) {
        chunks.push(Buffer.from(chunk));
        const round = rounds[following.length];
        rounds[following.length] = undefined;
        await round?.();
        await swept();
      }
      expect(snapshot.index).toBe(index);
      expect(following.at(-1)).toBe(index);
      const target = home();
      await (await open(target)).close();
      const opened = await target.open();
      const installed = await installSnapshot({ home: target, chunks: pieces(Buffer.concat(chunks), 70_001) });
      expect(installed.index).toBe(index);
      await opened.close();
      const machine = await openStateMachine({ engine: installed.engine, name });
      expect(await everything(machine)).toEqual(await everything(from));
      await Promise.all([machine.close(), from.close()]);
    });
  }

  it('leave the old state if they are cut, damaged or cancelled', async () => {
    const from = await filled(memoryHome());
    const snapshot = await from.openSnapshot();
    const bytes = Buffer.concat(await collect(snapshot.chunks()));
    await from.close();
    const folder = join(root, String(folders++));
    const target = rocksHome(folder);
    const machine = await open(target);
    await machine.apply([{ index: 1, data: put('/k/old', Buffer.from('old')) }]);
    const install = (chunks: AsyncIterable<Buffer>): Promise<string> =>
      installSnapshot({ home: target, chunks }).then(
        () => 'installed',
        (error: StoreError) => error.kind,
      );
    for (const cut of [0, 1, 60, 100, 5000, bytes.length >> 1, bytes.length - 13, bytes.length - 1]) {
      expect([cut, await install(pieces(bytes.subarray(0, cut), 50_000))]).toEqual([cut, 'badSnapshot']);
    }
    for (const flip of [0, 3, 10, 30, 100, 5000, bytes.length >> 1, bytes.length - 10, bytes.length - 1]) {
      const bad = Buffer.from(bytes);
      bad[flip]! ^= 4;
      expect([flip, await install(pieces(bad, 50_000))]).toEqual([flip, 'badSnapshot']);
    }
    expect(await install(pieces(Buffer.concat([bytes, bytes]), 50_000))).toBe('badSnapshot');
    const broken = async function* (): AsyncGenerator<Buffer, void, void> {
      yield bytes.subarray(0, 300_000);
      throw new Error('the connection broke');
    };
    await expect(installSnapshot({ home: target, chunks: broken() })).rejects.toThrow('the connection broke');
    const abort = new AbortController();
    const slow = async function* (): AsyncGenerator<Buffer, void, void> {
      yield bytes.subarray(0, 300_000);
      abort.abort(new Error('given up'));
      yield bytes.subarray(300_000);
    };
    const given = installSnapshot({ home: target, chunks: slow(), signal: abort.signal });
    await expect(given).rejects.toThrow('given up');
    expect((await readdir(folder)).toSorted()).toEqual(['CURRENT', 'state.1']);
    expect(await machine.range(all)).toMatchObject({ items: [{ key: '/k/old' }] });
    await machine.close();
  });

  it('with dropped, swapped or foreign blocks are refused', async () => {
    const blocks = async (seed: number): Promise<Buffer[]> => {
      const machine = await filled(memoryHome());
      await machine.apply([{ index: 300, data: put('/k/seed', Buffer.from([seed])) }]);
      const chunks = await collect((await machine.openSnapshot()).chunks());
      await machine.close();
      return chunks;
    };
    const one = await blocks(1);
    const two = await blocks(2);
    const read = (list: readonly (Buffer | undefined)[]): Promise<string> =>
      inspectSnapshot(pieces(Buffer.concat(list.filter((b) => b !== undefined)), 65_536)).then(
        () => 'fine',
        (error: StoreError) => error.kind,
      );
    expect(await read(one)).toBe('fine');
    expect(await read(one.with(1, one[2]!).with(2, one[1]!))).toBe('badSnapshot');
    expect(await read(one.toSpliced(1, 1))).toBe('badSnapshot');
    expect(await read(one.toSpliced(1, 0, one[1]!))).toBe('badSnapshot');
    expect(await read(one.with(-1, two.at(-1)!))).toBe('badSnapshot');
    expect(await read(one.with(-2, two.at(-2)!))).toBe('badSnapshot');
    expect(await read(one.with(0, two[0]!))).toBe('badSnapshot');
    expect(await read(one.slice(1))).toBe('badSnapshot');
  });

  it('are released when closed, read to the end, or stopped early', async () => {
    const machine = await filled(memoryHome());
    const unread = await machine.openSnapshot();
    const ended = await machine.openSnapshot();
    const stopped = await machine.openSnapshot();
    let idle = false;
    const waiting = machine.unread().then(() => {
      idle = true;
    });
    await unread.close();
    await unread.close();
    await collect(ended.chunks());
    expect(() => ended.chunks()).toThrow('read once');
    expect(idle).toBe(false);
    for await (const _ of stopped.chunks()) break;
    await waiting;
    await machine.close();
  });

  it('prevent the sweep of later changes when they follow', async () => {
    const machine = await filled(memoryHome());
    const snapshot = await machine.openSnapshot({ follow: true });
    for (let i = 0; i < 10; i++) await machine.apply([{ index: 204 + i, data: put('/k/1', Buffer.alloc(1, i)) }]);
    await machine.apply([{ index: 214, data: compactTo(213) }]);
    for (let turn = 0; turn < 1000; turn++) await new Promise((r) => setImmediate(r));
    expect(machine.counts.changes).toBe(10);
    await snapshot.close();
    while (machine.counts.sweeping) await new Promise((r) => setImmediate(r));
    expect(machine.counts.changes).toBe(0);
    await machine.close();
  });

  it('do not prevent compaction', async () => {
    const machine = await filled(memoryHome());
    const snapshot = await machine.openSnapshot();
    await machine.apply([{ index: 204, data: compactTo(203) }]);
    while (machine.counts.sweeping) await new Promise((r) => setImmediate(r));
    expect(machine.counts.changes).toBe(0);
    expect(await inspectSnapshot(snapshot.chunks())).toMatchObject({ applied: 203, compacted: 90 });
    await machine.close();
  });
});
