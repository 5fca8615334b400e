import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Revision, revision } from '../../base/index.js';
import type { Keyspace, WatchSink } from '../../storage/index.js';
import { openPeer, type Peer } from '../compose/peer.js';
import { soloConfig, temporaryFolder } from '../testing/solo.js';
import { threadWorld } from '../thread/world.js';
import { restoreSnapshot, snapshotStatus } from './restore.js';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function open(dataDir: string): Promise<Peer> {
  const peer = await openPeer(soloConfig({ dataDir }), threadWorld());
  cleanups.push(() => peer.close());
  return peer;
}

async function put(keyspace: Keyspace, key: string): Promise<Revision> {
  const result = await keyspace.txn({ compares: [], ops: [{ kind: 'put', key, value: Buffer.from(key) }] });
  if (result.kind !== 'committed') throw new Error(result.kind);
  return result.revision;
}

async function saved(path: string): Promise<{ readonly file: string; readonly last: Revision }> {
  const { keyspace, control, close } = await open(join(path, 'old')).then((peer) => ({
    keyspace: peer.keyspace,
    control: peer.control,
    close: () => peer.close(),
  }));
  for (let i = 0; i < 100; i++) await put(keyspace, `/key${i}`);
  const file = join(path, 'saved.snapshot');
  const result = await control.saveSnapshot(file);
  expect(result).toMatchObject({ kind: 'ok', value: { file, revision: keyspace.status().applied } });
  const last = await put(keyspace, '/after the snapshot');
  await close();
  return { file, last };
}

describe('a snapshot', () => {
  it('restores to a new cluster with higher revisions, in which every watch starts over', async () => {
    const folder = temporaryFolder();
    cleanups.push(() => folder.remove());
    const { file, last } = await saved(folder.path);
    const dataDir = join(folder.path, 'new');
    const restored = await restoreSnapshot(file, soloConfig({ dataDir }), threadWorld());
    const { keyspace, control } = await open(dataDir);
    expect((await control.report()).clusterId).toBe(restored.clusterId);
    const range = await keyspace.range({ start: '/', end: '0' });
    expect(range.kind === 'ok' && range.items.map((item) => item.key)).toHaveLength(100);
    expect(await put(keyspace, '/next')).toBeGreaterThan(last);
    const ended = await new Promise((resolve) => {
      const sink: WatchSink = { events: () => {}, end: resolve };
      keyspace.watch({ start: '/', end: '0', after: revision(last), previous: false }, sink);
    });
    expect(ended).toMatchObject({ kind: 'compacted' });
  });

  it('is deterministic, and damage is detected', async () => {
    const folder = temporaryFolder();
    cleanups.push(() => folder.remove());
    const { file } = await saved(folder.path);
    const status = await snapshotStatus(file);
    expect(status).toMatchObject({ rows: 100 });
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1]! ^= 4;
    writeFileSync(file, bytes);
    await expect(snapshotStatus(file)).rejects.toThrow();
    const config = soloConfig({ dataDir: join(folder.path, 'never') });
    await expect(restoreSnapshot(file, config, threadWorld())).rejects.toThrow();
  });

  it('is not restored over existing data', async () => {
    const folder = temporaryFolder();
    cleanups.push(() => folder.remove());
    const { file } = await saved(folder.path);
    const config = soloConfig({ dataDir: join(folder.path, 'old') });
    await expect(restoreSnapshot(file, config, threadWorld())).rejects.toThrow('holds data already');
  });

  it('restored only in part says so when the peer starts', async () => {
    const folder = temporaryFolder();
    cleanups.push(() => folder.remove());
    const { file } = await saved(folder.path);
    const dataDir = join(folder.path, 'new');
    await restoreSnapshot(file, soloConfig({ dataDir }), threadWorld());
    // The log is written last.
    rmSync(join(dataDir, 'wal'), { recursive: true });
    const start = openPeer(soloConfig({ dataDir }), threadWorld());
    await expect(start).rejects.toThrow('If a restore into this data directory was interrupted: empty the directory');
  });
});
