import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Revision, revision } from '../../base/index.js';
import type { AppliedEvent, Keyspace, TxnResult } from '../../storage/index.js';
import { soloConfig, type TemporaryFolder, temporaryFolder } from '../testing/solo.js';
import { threadWorld } from '../thread/world.js';
import { openPeer, type Peer } from './peer.js';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

function folder(): TemporaryFolder {
  const made = temporaryFolder();
  cleanups.push(() => made.remove());
  return made;
}

async function open(over: Parameters<typeof soloConfig>[0] = {}): Promise<Peer> {
  const peer = await openPeer(soloConfig(over), threadWorld());
  cleanups.push(() => peer.close());
  return peer;
}

const put = (keyspace: Keyspace, key: string, value: string, modRevision?: Revision): Promise<TxnResult> =>
  keyspace.txn({
    compares: modRevision === undefined ? [] : [{ key, modRevision }],
    ops: [{ kind: 'put', key, value: Buffer.from(value) }],
  });

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 2000; i++) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('waited in vain');
}

async function all(keyspace: Keyspace): Promise<Record<string, string>> {
  const read = await keyspace.readIndex();
  expect(read.kind).toBe('ok');
  const result = await keyspace.range({ start: '/', end: '0' });
  if (result.kind !== 'ok') throw new Error(result.kind);
  return Object.fromEntries(result.items.map((item) => [item.key, Buffer.from(item.value).toString()]));
}

describe('a peer alone', () => {
  it('commits, reports conflicts, and reads back', async () => {
    const { keyspace } = await open();
    const first = await put(keyspace, '/a', 'one', revision(0));
    expect(first.kind).toBe('committed');
    expect(await put(keyspace, '/a', 'two', revision(0))).toMatchObject({ kind: 'conflict', key: '/a' });
    expect(await all(keyspace)).toEqual({ '/a': 'one' });
    expect(keyspace.status()).toMatchObject({ isLeader: true, hasLeader: true });
  });

  it('restores everything after a restart, at the same revisions', async () => {
    const { path } = folder();
    const before = await open({ dataDir: path });
    for (let i = 0; i < 50; i++) await put(before.keyspace, `/key${i}`, `value ${i}`);
    const last = await put(before.keyspace, '/last', 'x');
    await before.close();
    const { keyspace } = await open({ dataDir: path });
    const found = await all(keyspace);
    expect(Object.keys(found).length).toBe(51);
    expect(found['/key17']).toBe('value 17');
    const range = await keyspace.range({ start: '/last', end: '/lasu' });
    expect(range.kind === 'ok' && range.items[0]!.modRevision).toBe(last.kind === 'committed' && last.revision);
    const next = await put(keyspace, '/next', 'y');
    expect(next.kind === 'committed' && last.kind === 'committed' && next.revision > last.revision).toBe(true);
  });

  it('loses nothing acknowledged after its process was killed', async () => {
    const { path } = folder();
    const copy = folder();
    const running = await open({ dataDir: path });
    for (let i = 0; i < 200; i++) await put(running.keyspace, `/key${i}`, `value ${i}`);
    // Copies the files with their content in the page cache, without an orderly close.
    cpSync(path, copy.path, { recursive: true });
    const { keyspace } = await open({ dataDir: copy.path });
    expect(Object.keys(await all(keyspace)).length).toBe(200);
  });

  it('replays the log over a state that was left far behind', async () => {
    const { path } = folder();
    const copy = folder();
    const running = await open({ dataDir: path });
    await put(running.keyspace, '/a', '1');
    cpSync(join(path, 'db'), join(copy.path, 'db'), { recursive: true });
    for (let i = 0; i < 100; i++) await put(running.keyspace, `/key${i}`, `value ${i}`);
    cpSync(join(path, 'wal'), join(copy.path, 'wal'), { recursive: true });
    const { keyspace } = await open({ dataDir: copy.path });
    expect(Object.keys(await all(keyspace)).length).toBe(101);
  });

  it('cuts the log behind a synced state, and starts from the rest', async () => {
    const { path } = folder();
    const before = await open({ dataDir: path, snapshotCount: 100 });
    for (let i = 0; i < 450; i++) await put(before.keyspace, `/key${i % 30}`, `value ${i}`);
    // A cut takes as long as the disk needs to sync; the next entry checks whether another cut is due.
    await until(async () => {
      await put(before.keyspace, '/key0', 'again');
      return (await before.control.report()).firstIndex > 300;
    });
    await before.close();
    const { keyspace } = await open({ dataDir: path, snapshotCount: 100 });
    expect((await all(keyspace))['/key29']).toBe('value 449');
  });

  it('keeps few bytes of its log in memory, because it has no followers', async () => {
    const { keyspace, control } = await open();
    for (let i = 0; i < 20; i++) await put(keyspace, '/large', String(i).padEnd(512 * 1024));
    await until(async () => (await control.report()).firstIndex > 10);
    expect((await all(keyspace))['/large']).toMatch(/^19 /);
  });

  it('refuses to start on a damaged log, with instructions', async () => {
    const { path } = folder();
    const before = await open({ dataDir: path });
    for (let i = 0; i < 20; i++) await put(before.keyspace, `/key${i}`, `value ${i}`);
    await before.close();
    const name = join(path, 'wal', readdirSync(join(path, 'wal')).find((n) => n.endsWith('.wal'))!);
    const bytes = readFileSync(name);
    bytes[5 * 512 + 30]! ^= 1;
    writeFileSync(name, bytes);
    await expect(openPeer(soloConfig({ dataDir: path }), threadWorld())).rejects.toThrow(
      /damaged at offset 2560.*triremectl/s,
    );
  });

  it('refuses puts beyond the quota, accepts deletes, and recovers without help', async () => {
    const { keyspace } = await open({ quotaBytes: 5000 });
    expect((await put(keyspace, '/a', 'x'.repeat(6000))).kind).toBe('committed');
    expect(await put(keyspace, '/b', 'x')).toMatchObject({ kind: 'refused', reason: 'noSpace' });
    const removal = await keyspace.txn({ compares: [], ops: [{ kind: 'delete', key: '/a' }] });
    expect(removal.kind).toBe('committed');
    await keyspace.compact(keyspace.status().applied);
    await until(async () => (await put(keyspace, '/b', 'x')).kind === 'committed');
  });

  it('expires keys through the log', async () => {
    const { keyspace } = await open();
    const events: AppliedEvent[] = [];
    keyspace.watch(
      { start: '/', end: '0', after: revision(0), previous: false },
      { events: (batch) => void events.push(...batch), end: () => {} },
    );
    await keyspace.txn({
      compares: [],
      ops: [{ kind: 'put', key: '/e', value: Buffer.from('x'), expiresAt: Date.now() + 100 }],
    });
    await until(() => events.length === 2);
    expect(events[1]!.changes[0]).toMatchObject({ kind: 'delete', key: '/e' });
  });

  it('compacts history in the background, and only if there is some', async () => {
    const { keyspace } = await open({ compactionRetentionMs: 1000 });
    for (let i = 0; i < 9; i++) await put(keyspace, '/a', String(i));
    const last = await put(keyspace, '/a', 'last');
    if (last.kind !== 'committed') throw new Error(last.kind);
    // However many samples were taken during the writes, in the end no history is left.
    await until(() => keyspace.status().compacted === last.revision);
    const quiet = keyspace.status().applied;
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(keyspace.status().applied).toBe(quiet);
  });

  it('answers all pending requests when it closes', async () => {
    const peer = await open();
    const waiting = Array.from({ length: 10 }, (_, i) => put(peer.keyspace, `/k${i}`, 'v'));
    await peer.close();
    for (const result of await Promise.all(waiting)) expect(['committed', 'unknown', 'refused']).toContain(result.kind);
    expect(await put(peer.keyspace, '/late', 'v')).toMatchObject({ kind: 'refused', reason: 'stopping' });
  });

  it('exports the metrics that dashboards of etcd query', async () => {
    const { path } = folder();
    const { keyspace, control } = await open({ dataDir: path });
    await put(keyspace, '/a', 'x');
    const metrics = await control.metrics();
    const value = (name: string, line = name): number | undefined =>
      metrics.find((m) => m.name === name)?.values.find((v) => (v.metricName ?? name) === line)?.value;
    expect(value('etcd_server_has_leader')).toBe(1);
    expect(value('etcd_server_proposals_applied_total')).toBeGreaterThan(0);
    expect(value('etcd_disk_wal_fsync_duration_seconds', 'etcd_disk_wal_fsync_duration_seconds_count')).toBeGreaterThan(
      0,
    );
  });
});
