import { join } from 'node:path';
import { loadNative } from './engine/binding.js';
import { readCurrent } from './engine/folder.js';
import { storeErrorOf } from './engine/rocksdb.js';
import { corrupt, StoreError } from './errors.js';
import { emptyMeta, type Meta, metaKey, readMeta } from './mvcc/meta.js';
import { readRow, readRowKey, rowKinds } from './mvcc/row.js';
import { Loader } from './mvcc/state.js';

/** The result of `inspectStore`. */
export interface StoreReport {
  /** The name of the current engine in the folder. */
  readonly engine: string;
  readonly meta: Meta;
  /** The numbers of existing keys and of changes kept as history. */
  readonly keys: number;
  readonly changes: number;
  /** Keys and bytes of their newest rows by the first two parts of the key, the largest first. */
  readonly prefixes: readonly { readonly prefix: string; readonly keys: number; readonly bytes: number }[];
  /** The problems found, one line each, the first `problemsMax`; empty for an intact store. */
  readonly problems: readonly string[];
}

const problemsMax = 20;

/** The part of `level-rocksdb` used here. Its convenience suits offline tools; the server uses the binding directly. */
interface Level {
  close(): Promise<void>;
  iterator(options: { readonly highWaterMark: number }): LevelIterator;
}
interface LevelIterator {
  next(): Promise<[Buffer, Buffer] | undefined>;
  end(): Promise<void>;
}
type OpenLevel = (
  folder: string,
  options: Readonly<Record<string, unknown>>,
  done: (error: Error | null, db: Level) => void,
) => void;

/**
 * Reads the whole store in `folder` and checks every row, continuing after damage. Opens read-only without a lock:
 * while a server runs, it sees the state at that moment. Rejects with a `StoreError` if there is nothing to read.
 */
export async function inspectStore(folder: string): Promise<StoreReport> {
  return withStore(folder, async (db, engine) => ({ engine, ...(await inspect(folder, db)) }));
}

/** A key as it was at a revision. */
export interface StoredObject {
  readonly key: string;
  readonly createRevision: number;
  readonly modRevision: number;
  readonly value: Buffer;
}

/**
 * Returns the key as of `revision` (the newest if absent); undefined if it did not exist then. Reads like
 * `inspectStore`. Rejects if the revision has been compacted or is in the future.
 */
export async function findInStore(folder: string, key: string, revision?: number): Promise<StoredObject | undefined> {
  return withStore(folder, async (db) => {
    let found: StoredObject | undefined;
    const iterator = db.iterator({ highWaterMark: 1 << 20 });
    for (let next = await iterator.next(); next !== undefined; next = await iterator.next()) {
      const [place, bytes] = next;
      if (place.equals(metaKey)) {
        const { applied, compacted } = metaOf(folder, bytes);
        if (revision !== undefined && revision < compacted)
          throw new StoreError('unreadable', `revision ${revision} has been compacted: the oldest is ${compacted}`);
        if (revision !== undefined && revision > applied)
          throw new StoreError('unreadable', `revision ${revision} lies in the future: the newest is ${applied}`);
        continue;
      }
      const at = readRowKey(place);
      // Rows come in the order of their revisions.
      if (at === undefined || (revision !== undefined && at.revision > revision)) continue;
      const row = readRow(at, bytes);
      if (row === undefined) throw corrupt(folder, `row ${at.revision}.${at.sequence} fails its checksum`);
      if (row.key !== key) continue;
      const { createRevision } = row;
      const value = Buffer.from(row.value);
      found = row.kind === rowKinds.put ? { key, createRevision, modRevision: at.revision, value } : undefined;
    }
    await iterator.end();
    return found;
  });
}

async function withStore<T>(folder: string, run: (db: Level, engine: string) => Promise<T>): Promise<T> {
  const engine = await current(folder);
  const level = loadNative<OpenLevel>('level-rocksdb');
  const options = { readOnly: true, createIfMissing: false, keyEncoding: 'binary', valueEncoding: 'binary' };
  let db: Level | undefined;
  try {
    db = await new Promise<Level>((resolve, reject) => {
      level(join(folder, engine), options, (error, opened) => (error ? reject(error) : resolve(opened)));
    });
    return await run(db, engine);
  } catch (error) {
    throw error instanceof StoreError ? error : storeErrorOf(folder, error as Error);
  } finally {
    await db?.close();
  }
}

async function current(folder: string): Promise<string> {
  const name = await readCurrent(folder).catch((error: Error) => {
    throw error instanceof StoreError ? error : storeErrorOf(folder, error);
  });
  if (name === undefined) throw new StoreError('unreadable', `there is no store in ${folder}: name another folder`);
  return name;
}

async function inspect(folder: string, db: Level): Promise<Omit<StoreReport, 'engine'>> {
  const problems: string[] = [];
  const problem = (text: string | undefined): void => {
    if (text !== undefined && problems.length < problemsMax) problems.push(text);
  };
  const iterator = db.iterator({ highWaterMark: 1 << 20 });
  let meta = emptyMeta;
  let loader: Loader | undefined;
  for (let next = await iterator.next(); next !== undefined; next = await iterator.next()) {
    const [key, value] = next;
    if (key.equals(metaKey)) {
      meta = metaOf(folder, value);
      loader = new Loader(meta);
      continue;
    }
    const at = readRowKey(key);
    const row = at === undefined ? undefined : readRow(at, value);
    if (at === undefined) problem(`a stray key ${key.toString('hex')}`);
    else if (row === undefined) problem(`row ${at.revision}.${at.sequence} fails its checksum`);
    else if (loader === undefined) problem('there is no meta row');
    else problem(loader.row(at, row));
  }
  await iterator.end();
  if (loader === undefined) return { meta, keys: 0, changes: 0, prefixes: [], problems };
  problem(loader.end());
  return { meta, ...census(loader), problems };
}

function metaOf(folder: string, bytes: Buffer): Meta {
  const meta = readMeta(bytes);
  if (meta === 'newer') throw new StoreError('format', `the store in ${folder} was written by a newer version`);
  if (meta === 'damaged') throw corrupt(folder, 'its meta row fails its checksum');
  return meta;
}

function census({ state }: Loader): Pick<StoreReport, 'keys' | 'changes' | 'prefixes'> {
  const found = new Map<string, { prefix: string; keys: number; bytes: number }>();
  let keys = 0;
  state.versions.scan('', '\x7f', Number.POSITIVE_INFINITY, (key, version) => {
    if (version === undefined) return true;
    const prefix = key.split('/', 3).join('/');
    const entry = found.get(prefix) ?? { prefix, keys: 0, bytes: 0 };
    entry.keys++;
    entry.bytes += version.bytes;
    found.set(prefix, entry);
    keys++;
    return true;
  });
  const prefixes = [...found.values()].sort((a, b) => b.bytes - a.bytes);
  return { keys, changes: state.versions.changes, prefixes };
}
