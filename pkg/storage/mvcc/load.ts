import type { Engine } from '../engine/engine.js';
import { corrupt, StoreError } from '../errors.js';
import { emptyMeta, type Meta, metaKey, readMeta, writeMeta } from './meta.js';
import { readRow, readRowKey } from './row.js';
import { Loader, type State } from './state.js';

/** Waits before the next page, after one of `bytes`. */
export type Rest = (bytes: number) => Promise<void>;

/**
 * Builds the state from its rows, and checks each row and that all of them match the meta row. Rejects with a
 * `StoreError`: `corrupt`, or `format` for a store of a newer release.
 */
export async function loadState(engine: Engine, name: string, rest?: Rest): Promise<State> {
  const meta = await loadMeta(engine, name);
  const loader = new Loader(meta);
  const scan = engine.scan({ gte: Buffer.of(0), lt: Buffer.of(0xff) });
  try {
    for (let page = await scan.next(); page !== undefined; page = await scan.next()) {
      let bytes = 0;
      for (const [i, key] of page.keys.entries()) {
        if (key.equals(metaKey)) continue;
        const at = readRowKey(key);
        if (at === undefined) throw corrupt(name, `a stray key ${key.toString('hex')}`);
        const row = readRow(at, page.values[i]!);
        if (row === undefined) throw corrupt(name, `row ${at.revision}.${at.sequence} fails its checksum`);
        const wrong = loader.row(at, row);
        if (wrong !== undefined) throw corrupt(name, wrong);
        bytes += page.values[i]!.length;
      }
      await rest?.(bytes);
    }
  } finally {
    await scan.close();
  }
  const wrong = loader.end();
  if (wrong !== undefined) throw corrupt(name, wrong);
  return loader.state;
}

async function loadMeta(engine: Engine, name: string): Promise<Meta> {
  const bytes = await engine.get(metaKey);
  if (bytes === undefined) {
    // The first start: `Loader` expects no rows. From now on the meta row always exists.
    const batch = engine.batch();
    batch.put(metaKey, writeMeta(emptyMeta));
    await batch.write({ sync: true });
    return emptyMeta;
  }
  const meta = readMeta(bytes);
  if (meta === 'newer') {
    throw new StoreError('format', `the store in ${name} was written by a newer version: run that version`);
  }
  if (meta === 'damaged') throw corrupt(name, 'its meta row fails its checksum');
  return meta;
}
