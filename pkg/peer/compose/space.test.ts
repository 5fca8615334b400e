import { existsSync, rmSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { soloConfig, type TemporaryFolder, temporaryFolder } from '../testing/solo.js';
import { threadWorld } from '../thread/world.js';
import { openPeer, type Peer } from './peer.js';

const MiB = 1024 * 1024;
const folders: TemporaryFolder[] = [];
const peers: Peer[] = [];
afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.close();
  for (const folder of folders.splice(0)) folder.remove();
});

async function open(quotaBytes: number) {
  const folder = temporaryFolder();
  folders.push(folder);
  const fatal: string[] = [];
  const config = soloConfig({ dataDir: folder.path, quotaBytes });
  const peer = await openPeer(config, threadWorld(), { fatal: (error) => fatal.push(error.message) });
  peers.push(peer);
  return { peer, folder: folder.path, fatal };
}

const put = (peer: Peer, key: string, bytes: number) =>
  peer.keyspace.txn({ compares: [], ops: [{ kind: 'put', key, value: Buffer.alloc(bytes, key) }] });

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isSo()); tries++) {
    if (tries > 6000) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('a peer without free space', () => {
  it('accepts writes again after deletes, regardless of the history retention', async () => {
    const { peer, fatal } = await open(8 * MiB);
    await until('the quota is reached', async () => (await put(peer, '/first', 16)).kind === 'committed');
    let keys = 0;
    for (let refused = false; !refused; ) refused = (await put(peer, `/n${keys++}`, 512 * 1024)).kind === 'refused';
    const full = (await peer.control.report()).sizeBytes;
    for (let n = 0; n < keys; n++) await peer.keyspace.txn({ compares: [], ops: [{ kind: 'delete', key: `/n${n}` }] });
    await until('there is room again', async () => (await put(peer, '/again', 16)).kind === 'committed');
    expect((await peer.control.report()).sizeInUseBytes).toBeLessThan(full);
    expect(fatal).toEqual([]);
  });
});

describe('a peer whose data folder is removed', () => {
  it('stops, and acknowledges no further writes', async () => {
    const { peer, folder, fatal } = await open(64 * MiB);
    await until('it leads', () => peer.keyspace.status().isLeader);
    expect((await put(peer, '/a', 16)).kind).toBe('committed');
    rmSync(folder, { recursive: true });
    for (let n = 0; n < 3; n++) expect((await put(peer, '/b', 16)).kind).not.toBe('committed');
    await until('it has stopped', () => fatal.length > 0);
    expect(fatal[0]).toMatch(/removed/);
    expect(existsSync(folder)).toBe(false);
  });
});
