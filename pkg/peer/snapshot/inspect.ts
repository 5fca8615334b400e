import { createReadStream, existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  findInStore,
  inspectStore,
  installSnapshot,
  rocksHome,
  type StoredObject,
  type StoreReport,
} from '../../storage/index.js';

/** Reports on a saved snapshot or on a data directory, without a server. It checks every row. */
export function inspectOffline(path: string): Promise<StoreReport> {
  return withFolder(path, inspectStore);
}

/** Returns one key of a saved snapshot or a data directory, as of `revision`; see `findInStore`. */
export function findOffline(path: string, key: string, revision?: number): Promise<StoredObject | undefined> {
  return withFolder(path, (folder) => findInStore(folder, key, revision));
}

/**
 * A data directory is read in place, even while its server runs. A snapshot is unpacked into a temporary folder first.
 */
async function withFolder<T>(path: string, run: (folder: string) => Promise<T>): Promise<T> {
  if (statSync(path).isDirectory()) {
    const state = join(path, 'db');
    return run(existsSync(state) ? state : path);
  }
  const folder = await mkdtemp(join(tmpdir(), 'trireme-inspect-'));
  try {
    const home = rocksHome(folder);
    const empty = await home.open();
    const { engine } = await installSnapshot({ home, chunks: createReadStream(path, { highWaterMark: 256 * 1024 }) });
    await engine.close();
    await empty.close();
    return await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
