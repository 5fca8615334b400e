import { mkdir, mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadNative } from './binding.js';
import { describeEngine } from './contract.js';
import type { Engine } from './engine.js';
import { rocksHome } from './folder.js';
import { memoryHome } from './memory.js';
import { storeErrorOf } from './rocksdb.js';

let root = '';
let folders = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'trireme-engine-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));
const folder = (): string => join(root, String(folders++), 'data');

describeEngine('memory', async () => memoryHome());
describeEngine('rocksdb', async () => rocksHome(folder()));

describe('memory engine crashes', () => {
  it('keeps what was synced, and a prefix of the rest', async () => {
    const home = memoryHome({ crashable: true });
    const write = async (key: string, sync: boolean): Promise<void> => {
      const batch = engine.batch();
      batch.put(Buffer.from(key), Buffer.from('x'));
      await batch.write({ sync });
    };
    let engine = await home.open();
    await write('a', false);
    await write('b', true);
    await write('c', false);
    await write('d', false);
    expect(home.unsynced).toBe(2);
    home.crash(1);
    await expect(async () => engine.get(Buffer.from('a'))).rejects.toMatchObject({ kind: 'closed' });
    engine = await home.open();
    const found = await engine.getMany(['a', 'b', 'c', 'd'].map((key) => Buffer.from(key)));
    expect(found.map((v) => v !== undefined)).toEqual([true, true, true, false]);
    home.crash(0);
    engine = await home.open();
    expect(await engine.get(Buffer.from('c'))).toBeDefined();
  });
});

it('files are readable by their owner only, whatever the mode of their folder', async () => {
  const at = folder();
  await (await rocksHome(at).open()).close();
  expect((await stat(at)).mode & 0o777).toBe(0o700);
});

describe('a data folder that cannot be opened', () => {
  it('names the process that holds the lock', async () => {
    const at = folder();
    const engine = await rocksHome(at).open();
    await expect(rocksHome(at).open()).rejects.toMatchObject({
      kind: 'locked',
      message: expect.stringContaining(`${at}/state.1 is in use by another process`),
    });
    await engine.close();
    await (await rocksHome(at).open()).close();
  });

  it('is refused when it is a file', async () => {
    const at = join(root, 'a-file');
    await writeFile(at, 'not a folder');
    await expect(rocksHome(at).open()).rejects.toMatchObject({ kind: 'unreadable' });
  });

  it('is refused when the engine it names is gone or damaged', async () => {
    const at = folder();
    await (await rocksHome(at).open()).close();
    for (const file of await readdir(join(at, 'state.1'))) {
      if (file.startsWith('MANIFEST')) await truncate(join(at, 'state.1', file), 7);
    }
    await expect(rocksHome(at).open()).rejects.toMatchObject({
      kind: 'corrupt',
      message: expect.stringContaining('move the folder away'),
    });
    await rm(join(at, 'state.1'), { recursive: true });
    await expect(rocksHome(at).open()).rejects.toMatchObject({ kind: 'corrupt' });
    await writeFile(join(at, 'CURRENT'), '../elsewhere\n');
    await expect(rocksHome(at).open()).rejects.toMatchObject({ kind: 'corrupt' });
  });

  it('opens after an interrupted first start', async () => {
    const at = folder();
    await mkdir(join(at, 'state.1'), { recursive: true });
    await (await rocksHome(at).open()).close();
    await rm(join(at, 'CURRENT'));
    await (await rocksHome(at).open()).close();
    await rm(join(at, 'CURRENT'));
    await mkdir(join(at, 'state.7'));
    await expect(rocksHome(at).open()).rejects.toMatchObject({ kind: 'corrupt' });
  });
});

describe('a second engine in a data folder', () => {
  const key = Buffer.from('k');
  const fill = async (engine: Engine): Promise<void> => {
    const batch = engine.batch();
    batch.put(key, Buffer.from('new'));
    await batch.write({ sync: true });
  };

  it('is not removed while it is being opened', async () => {
    const at = folder();
    const home = rocksHome(at);
    const first = await home.open();
    // The previous state can be closed, and the folder swept, at any time, also now.
    let opening = true;
    const sweeping = (async () => {
      while (opening) await home.sweep();
    })();
    const fresh = await home.fresh();
    opening = false;
    await sweeping;
    await fill(fresh.engine);
    await fresh.adopt();
    await Promise.all([first.close(), fresh.engine.close()]);
    const engine = await rocksHome(at).open();
    expect(await engine.get(key)).toEqual(Buffer.from('new'));
    await engine.close();
  });

  it('stays if it was named but the folder could not be synced', async () => {
    const at = folder();
    let broken = false;
    const home = rocksHome(at, {
      syncFolder: async () => {
        if (broken) throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' });
      },
    });
    const first = await home.open();
    const fresh = await home.fresh();
    await fill(fresh.engine);
    broken = true;
    await expect(fresh.adopt()).rejects.toMatchObject({ kind: 'io' });
    await fresh.discard();
    await first.close();
    const engine = await rocksHome(at).open();
    expect(await engine.get(key)).toEqual(Buffer.from('new'));
    await engine.close();
  });
});

describe('an error of RocksDB', () => {
  const kindOf = (text: string): string => storeErrorOf('/data/missing/LOCK/state.1', new Error(text)).kind;

  it('counts as damage only if it is, not if the disk reports an error for a file', () => {
    const manifest = '/data/missing/LOCK/state.1/MANIFEST-000007';
    const told = {
      [`IO error: No space left on deviceWhile appending to file: ${manifest}: No space left on device`]: 'noSpace',
      [`IO error: While open a file for appending: ${manifest}: Disk quota exceeded`]: 'noSpace',
      [`IO error: While open a file for random read: ${manifest}: Permission denied`]: 'unreadable',
      'IO error: While open a file for lock: /data/missing/LOCK/state.1/LOCK: Permission denied': 'unreadable',
      'IO error: While lock file: /data/missing/LOCK/state.1/LOCK: Resource temporarily unavailable': 'locked',
      'IO error: While fdatasync: /data/missing/LOCK/state.1/000005.log: Input/output error': 'io',
      'Corruption: block checksum mismatch: expected 1, got 2 in /data/missing/LOCK/state.1/000009.sst': 'corrupt',
      'Corruption: CURRENT file does not end with newline': 'corrupt',
      [`IO error: No such file or directoryWhile opening a file for sequentially reading: ${manifest}`]: 'corrupt',
    };
    for (const [text, kind] of Object.entries(told)) expect([text, kindOf(text)]).toEqual([text, kind]);
  });
});

describe('the native module', () => {
  it('is reported as missing, not as a failure of the disk', () => {
    const absent = (): never => {
      throw new Error('No native build was found for platform=linux arch=arm64\n    loaded from: /a');
    };
    const refused = expect.objectContaining({
      kind: 'noModule',
      message: expect.stringMatching(
        /^the module rocksdb cannot be loaded \(No native build.*arch=arm64\): .*npm rebuild/,
      ),
    });
    expect(() => loadNative('rocksdb', absent)).toThrow(refused);
  });
});
