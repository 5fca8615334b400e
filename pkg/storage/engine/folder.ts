import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { invariant } from '../../base/index.js';
import { corrupt, StoreError } from '../errors.js';
import { openFilesMax } from '../limits.js';
import type { Engine, EngineHome, FreshEngine } from './engine.js';
import { openRocksEngine, storeErrorOf } from './rocksdb.js';

/**
 * A data folder of RocksDB engines:
 *
 *     CURRENT       one line: the name of the current engine
 *     state.1/      a RocksDB
 *     state.2/      another one: being filled by an installation, or left behind by one
 *
 * `CURRENT` is replaced by rename, so an installation that was interrupted at any byte either happened or did not. RocksDB's lock on the
 * current engine is the lock of the folder: nothing is removed before it is held.
 */
const currentFile = 'CURRENT';
const firstState = 'state.1';
const statePattern = /^state\.([1-9][0-9]{0,8})$/;

export interface RocksOptions {
  /** The number of files that an engine keeps open. */
  readonly openFiles?: number;
  /** Makes the names in a folder durable; tests replace it to make it fail. */
  readonly syncFolder?: (folder: string) => Promise<void>;
}

export function rocksHome(
  folder: string,
  { openFiles = openFilesMax, syncFolder = syncNames }: RocksOptions = {},
): EngineHome {
  let current: string | undefined;
  /** Engines that this process has open. An old one may still be read while the next one is current. */
  const inUse = new Set<string>();

  const attempt = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      throw error instanceof StoreError ? error : storeErrorOf(folder, error as Error);
    }
  };

  const states = async (): Promise<string[]> => (await readdir(folder)).filter((name) => statePattern.test(name));

  const start = async (name: string): Promise<Engine> => {
    // Added before its first file is created, because a sweep may run while it is being opened.
    inUse.add(name);
    try {
      return await openRocksEngine(join(folder, name), openFiles, () => inUse.delete(name));
    } catch (error) {
      inUse.delete(name);
      throw error;
    }
  };

  const sweep = async (kept = current): Promise<void> => {
    for (const name of await states()) {
      if (name !== kept && !inUse.has(name)) await rm(join(folder, name), { recursive: true, force: true });
    }
  };

  /**
   * RocksDB needs some space to open. On a full disk, the remains of an interrupted installation may be all that can be removed. (RocksDB reports
   * `noSpace` while it holds the lock, so no other process uses this folder.)
   */
  const startWithRoom = async (name: string): Promise<Engine> => {
    try {
      return await start(name);
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== 'noSpace') throw error;
      await sweep(name);
      return await start(name);
    }
  };

  return {
    name: folder,

    open: () =>
      attempt(async () => {
        // It contains secrets, whatever the mode of its parent folder.
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const named = await readCurrent(folder);
        const present = await states();
        // CURRENT is missing only after an interrupted first start, which creates only state.1.
        if (named === undefined && present.some((name) => name !== firstState)) {
          throw corrupt(folder, `no ${currentFile} beside ${present.join(', ')}`);
        }
        if (named !== undefined && !present.includes(named)) throw corrupt(folder, `${named} is missing`);
        const name = named ?? firstState;
        const engine = await startWithRoom(name);
        // Another process may have installed a snapshot between the read and the lock.
        const still = (await readCurrent(folder)) ?? name;
        if (still !== name) {
          await engine.close();
          throw new StoreError('locked', `the store in ${folder} is in use by another process: stop it first`);
        }
        if (named === undefined) {
          await renameCurrent(folder, name);
          await syncFolder(folder);
        }
        current = name;
        await sweep();
        return engine;
      }),

    fresh: () =>
      attempt(async () => {
        invariant(current !== undefined, 'a home is opened before it is given a second engine');
        await sweep();
        const numbers = (await states()).map((state) => Number(statePattern.exec(state)![1]));
        const name = `state.${Math.max(...numbers) + 1}`;
        const engine = await start(name);
        const made: FreshEngine = {
          engine,
          adopt: () =>
            attempt(async () => {
              await renameCurrent(folder, name);
              // CURRENT names it now, so it stays, even if the name is not durable: then either of them may be found.
              current = name;
              await syncFolder(folder);
            }),
          discard: () =>
            attempt(async () => {
              await engine.close();
              if (current !== name) await rm(join(folder, name), { recursive: true, force: true });
            }),
        };
        return made;
      }),

    sweep: () => attempt(() => sweep()),
  };
}

export async function readCurrent(folder: string): Promise<string | undefined> {
  let text: string;
  try {
    text = await readFile(join(folder, currentFile), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const name = text.trimEnd();
  if (!statePattern.test(name)) throw corrupt(folder, `${currentFile} does not name an engine`);
  return name;
}

async function renameCurrent(folder: string, name: string): Promise<void> {
  const draft = join(folder, `${currentFile}.new`);
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(`${name}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(folder, currentFile));
}

async function syncNames(folder: string): Promise<void> {
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
