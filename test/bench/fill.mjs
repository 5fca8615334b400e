// Writes pods directly into the data folder of a stopped server, because 150,000 creates would take longer than the measurement.
//   fill.mjs '{"folder":...,"dist":...,"pod":"<one pod as stored>","count":150000}'
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';

const o = JSON.parse(process.argv[2]);
const { openPeerThread, PEER_DEFAULTS } = await import(pathToFileURL(join(o.dist, 'pkg/peer/index.js')).href);
const keyspace = await openPeerThread({ ...PEER_DEFAULTS, name: 'default', dataDir: o.folder }, { fatal: (e) => { throw e; }, note: () => {} });
while ((await keyspace.readIndex()).kind !== 'ok') await new Promise((resolve) => setTimeout(resolve, 20));
const uid = /"uid":"([^"]+)"/.exec(o.pod)[1];
const AT_ONCE = 256;
let next = 0;
async function worker() {
  while (next < o.count) {
    const name = `p${String(next++).padStart(6, '0')}`;
    const value = Buffer.from(o.pod.replaceAll('the-one-pod', name).replaceAll(uid, randomUUID()));
    const result = await keyspace.txn({ compares: [], ops: [{ kind: 'put', key: `/registry/pods/many/${name}`, value }] });
    if (result.kind !== 'committed') throw new Error(JSON.stringify(result));
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, worker));
await keyspace.close();
