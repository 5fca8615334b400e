import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Revision } from '../base/index.js';
import { rocksHome } from './engine/folder.js';
import { openRocksEngine } from './engine/rocksdb.js';
import { findInStore, inspectStore } from './inspect.js';
import { encodeEntry } from './mvcc/entry.js';
import { openStateMachine, type StateMachine } from './mvcc/machine.js';
import { rowKey } from './mvcc/row.js';

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'trireme-inspect-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function filled(folder: string): Promise<StateMachine> {
  const machine = await openStateMachine({ engine: await rocksHome(folder).open(), name: folder });
  const put = (index: number, key: string, bytes: number) => {
    const op = { kind: 'put' as const, key, value: Buffer.alloc(bytes) };
    return machine.apply([{ index, data: encodeEntry({ kind: 'txn', txn: { compares: [], ops: [op] } }) }]);
  };
  await put(1, '/registry/pods/default/a', 1000);
  await put(2, '/registry/pods/default/b', 1000);
  await put(3, '/registry/pods/default/a', 1200);
  await put(4, '/registry/namespaces/default', 10);
  await machine.apply([{ index: 5, data: encodeEntry({ kind: 'compact', revision: 2 as Revision }) }]);
  await machine.barrier();
  return machine;
}

describe('inspection of a store', () => {
  it('finds one object at a revision', async () => {
    const folder = join(root, 'one');
    await (await filled(folder)).close();
    const key = '/registry/pods/default/a';
    const at = async (revision?: number) => {
      const found = await findInStore(folder, key, revision);
      return found && [found.createRevision, found.modRevision, found.value.length];
    };
    expect(await at()).toEqual([1, 3, 1200]);
    expect(await at(2)).toEqual([1, 1, 1000]);
    expect(await findInStore(folder, '/registry/pods/default/none')).toBeUndefined();
    await expect(at(1)).rejects.toThrow('revision 1 has been compacted: the oldest is 2');
    await expect(at(6)).rejects.toThrow('revision 6 lies in the future: the newest is 5');
  });

  it('describes the content, also while the store is in use', async () => {
    const folder = join(root, 'sound');
    const machine = await filled(folder);
    const live = await inspectStore(folder);
    await machine.close();
    const report = await inspectStore(folder);
    expect(report).toMatchObject({
      engine: 'state.1',
      meta: { applied: 5, compacted: 2, rows: 4 },
      keys: 3,
      changes: 2,
      problems: [],
    });
    expect(report.prefixes.map(({ prefix, keys }) => [prefix, keys])).toEqual([
      ['/registry/pods', 2],
      ['/registry/namespaces', 1],
    ]);
    expect(live.keys).toBe(report.keys);
  });

  it('reports all damage, not only the first', async () => {
    const folder = join(root, 'damaged');
    await (await filled(folder)).close();
    const engine = await openRocksEngine(join(folder, 'state.1'));
    const batch = engine.batch();
    const row = Buffer.from((await engine.get(rowKey(2, 0)))!);
    row[40]! ^= 1;
    batch.put(rowKey(2, 0), row);
    batch.put(Buffer.from('x'), Buffer.from('y'));
    batch.delete(rowKey(1, 0));
    await batch.write({ sync: true });
    await engine.close();
    expect((await inspectStore(folder)).problems).toEqual([
      'row 2.0 fails its checksum',
      'row 3 follows row 1, but row 0 was found',
      'a stray key 78',
      expect.stringMatching(/rows of .* found, 4 of/),
    ]);
  });

  it('reports that there is no store', async () => {
    const folder = join(root, 'none');
    await mkdir(folder);
    await expect(inspectStore(folder)).rejects.toMatchObject({ name: 'StoreError', kind: 'unreadable' });
    await writeFile(join(folder, 'CURRENT'), 'state.3\n');
    await expect(inspectStore(folder)).rejects.toMatchObject({ name: 'StoreError' });
  });
});
