// One peer on its thread: puts of 1 KiB and read-index, at increasing concurrency, next to the baseline of the same run: an append of
// 1.5 KiB to a preallocated file and its fdatasync.
import { fdatasync, openSync, writeSync, writevSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dist } from './dist.mjs';
import { clients, ownCpu, row, rssOf, seconds, wait } from './measure.mjs';

async function measured(name, count, operation) {
  const before = ownCpu();
  const result = await clients(count, seconds * 1000, operation);
  return row(name, count, result, ownCpu() - before);
}

async function floor(folder) {
  const fd = openSync(join(folder, 'floor'), 'w+');
  const zeros = Buffer.alloc(1 << 20);
  for (let i = 0; i < 64; i++) writeSync(fd, zeros);
  await new Promise((resolve) => fdatasync(fd, resolve));
  const parts = [Buffer.alloc(512, 1), Buffer.alloc(1024, 2)];
  let at = 0;
  return measured('floor: append and fdatasync', 1, () => {
    writevSync(fd, parts, at);
    at = (at + 1536) % (60 << 20);
    return new Promise((resolve) => fdatasync(fd, resolve));
  });
}

async function put(keyspace, key, value) {
  const result = await keyspace.txn({ compares: [], ops: [{ kind: 'put', key, value }] });
  if (result.kind !== 'committed') throw new Error(JSON.stringify(result));
}

export async function one(folder) {
  const { openPeerThread, PEER_DEFAULTS } = await import(pathToFileURL(join(dist, 'pkg/peer/index.js')).href);
  await floor(folder);
  const began = performance.now();
  const keyspace = await openPeerThread({ ...PEER_DEFAULTS, dataDir: join(folder, 'one') }, {});
  while (!keyspace.status().isLeader) await wait(1);
  process.stdout.write(`one peer: open to leader ${Math.round(performance.now() - began)} ms, RSS ${rssOf(process.pid)} MiB\n`);
  const value = Buffer.alloc(1024, 7);
  for (const count of [1, 16, 64, 256]) {
    await measured('put 1 KiB', count, (n) => put(keyspace, `/registry/configmaps/default/key-${n % 10_000}`, value));
  }
  await floor(folder);
  for (const count of [1, 64]) await measured('read index', count, () => keyspace.readIndex());
  process.stdout.write(`RSS ${rssOf(process.pid)} MiB\n`);
  await keyspace.close();
}
