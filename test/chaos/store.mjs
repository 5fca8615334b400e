// Modifies a store without its peer. It runs in a separate process, because RocksDB's binding can be loaded only once in a
// process.
// argv: folder of the compiled program, command, arguments. Prints one line of JSON.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, command, ...args] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(join(dist, 'pkg', 'storage', file)).href);
const { rocksHome } = await load('engine/folder.js');
const { openRocksEngine } = await load('engine/rocksdb.js');
const { readRow, readRowKey, rowsEnd, writeRow } = await load('mvcc/row.js');
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const commands = {
  /** Changes a text in the newest row that contains it, with a valid checksum: no check at start can detect it. */
  async alter(stateFolder, from, to) {
    const engine = await rocksHome(stateFolder).open();
    const scan = engine.scan({ gte: Buffer.from('v'), lt: rowsEnd, reverse: true });
    try {
      for (let page = await scan.next(); page !== undefined; page = await scan.next()) {
        for (const [i, key] of page.keys.entries()) {
          const at = readRowKey(key);
          const row = readRow(at, page.values[i]);
          const place = row.value.indexOf(from);
          if (place < 0) continue;
          const value = Buffer.from(row.value);
          value.write(to, place);
          const changed = writeRow(at, row.kind, row.createRevision, row.previous, row.expiresAt, row.key, value);
          const batch = engine.batch();
          batch.put(key, changed.bytes);
          await batch.write({ sync: true });
          return { altered: at.revision };
        }
      }
      return { altered: 0 };
    } finally {
      await scan.close();
      await engine.close();
    }
  },

  /**
   * Fills the disk under an engine, frees space, continues to write, then opens a copy of its files as they would be after a
   * crash.
   */
  async torn(disk, copyFolder) {
    const engine = await openRocksEngine(join(disk, 'db'));
    const keyOf = (n) => Buffer.from(`v${String(n).padStart(6, '0')}`);
    const batch = (n) => {
      const made = engine.batch();
      made.put(keyOf(n), randomBytes(20_000));
      return made;
    };
    let n = 0;
    for (; n < 100; n++) await batch(n).write({ sync: false });
    const rest = join(disk, 'rest');
    spawnSync('sh', ['-c', `head -c 1G /dev/zero > "${rest}"`]);
    const unlucky = batch(n++);
    const failures = [];
    const write = (sync) => unlucky.write({ sync }).catch((error) => failures.push(error.kind));
    await write(false);
    await write(true);
    rmSync(rest);
    for (let tries = 0, before = failures.length; tries < 200; tries++) {
      await write(true);
      if (failures.length === before) break;
      before = failures.length;
      await wait(100);
    }
    for (; n < 150; n++) await batch(n).write({ sync: true });
    cpSync(join(disk, 'db'), copyFolder, { recursive: true });
    const copy = await openRocksEngine(copyFolder);
    const values = await copy.getMany(Array.from({ length: n }, (_, i) => keyOf(i)));
    await copy.close();
    await engine.close();
    return { failures: [...new Set(failures)], written: n, missing: values.filter((v) => v === undefined).length };
  },

  /** Simulates an install that was killed and had filled the disk to the last byte, then opens the old state. */
  async leftover(disk) {
    const folder = join(disk, 'db');
    const first = await rocksHome(folder).open();
    const made = first.batch();
    made.put(Buffer.from('v1'), Buffer.from('kept'));
    await made.write({ sync: true });
    await first.close();
    mkdirSync(join(folder, 'state.2'));
    spawnSync('sh', ['-c', `head -c 1G /dev/zero > "${join(folder, 'state.2', '000007.sst')}"`]);
    const { bavail } = statfsSync(disk);
    const again = await rocksHome(folder).open();
    const kept = await again.get(Buffer.from('v1'));
    await again.close();
    return { bavail, kept: kept?.toString(), states: readdirSync(folder).filter((name) => name.startsWith('state')) };
  },
};

console.log(JSON.stringify(await commands[command](...args)));
