// A fault of memory: a record of the state is altered before it is written, so all checksums match. Only the comparison of hashes between
// peers can notice it. Keys of clients are left alone, because before the next comparison their reads could not be judged.

import { readRow, readRowKey, rowKinds, writeRow } from '../../../pkg/storage/mvcc/row.js';
import type { MachineDisk } from './disk.js';

const RECORDS = '!members/';

/** Alters one record of a member in the stored state. Returns false when there is none. */
export async function rot(disk: MachineDisk): Promise<boolean> {
  const engine = await disk.openState();
  const scan = engine.scan({ gte: Buffer.of(0), lt: Buffer.of(0xff) });
  try {
    for (let page = await scan.next(); page !== undefined; page = await scan.next()) {
      for (const [i, key] of page.keys.entries()) {
        const at = readRowKey(key);
        const row = at === undefined ? undefined : readRow(at, page.values[i]!);
        if (at === undefined || row?.kind !== rowKinds.put || !row.key.startsWith(RECORDS)) continue;
        const altered = Buffer.from(row.value.toString('latin1').replace('"name":"p', '"name":"q'), 'latin1');
        if (altered.equals(row.value)) continue;
        const { bytes } = writeRow(at, row.kind, row.createRevision, row.previous, row.expiresAt, row.key, altered);
        const batch = engine.batch();
        batch.put(key, bytes);
        await batch.write({ sync: true });
        return true;
      }
    }
    return false;
  } finally {
    await scan.close();
    await engine.close();
  }
}
