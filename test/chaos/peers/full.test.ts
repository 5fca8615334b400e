import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { canMount, memoryDisks } from '../disks.js';
import { canRun, folder, ProcessCluster, pause } from './harness.js';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const runnable = canRun();
const mountable = runnable && canMount();
if (runnable && !mountable) console.warn('a follower without room skipped: this process may not mount');

const VALUE_BYTES = 200_000;
const MiB = 1024 * 1024;

describe.skipIf(!mountable)('a follower with disk space for its log but not for its state', () => {
  it('bounds the unapplied log, and catches up when there is space', async () => {
    const made = folder();
    cleanups.push(() => made.remove());
    const state = join(made.path, 'peer0', 'db');
    mkdirSync(state, { recursive: true });
    const disks = memoryDisks(64);
    disks.attach(state);
    cleanups.push(() => disks.detach(state));
    const cluster = await ProcessCluster.start(made.path, { compactionRetentionMs: 3000 });
    cleanups.push(() => cluster.stop());
    const leader = await ledByAnother(cluster, 0);
    const follower = cluster.peers[0]!;
    const filler = join(state, 'filler');
    spawnSync('sh', ['-c', `head -c 1G /dev/zero > "${filler}" 2> /dev/null`]);

    // More than the log may be ahead of the state, plus the data in flight.
    const puts = 340;
    let next = 0;
    const write = async (): Promise<void> => {
      for (let n = next++; n < puts; n = next++) {
        expect(await leader.put(`/k${n % 8}`, String(n).padEnd(VALUE_BYTES, 'x'))).toMatchObject({ kind: 'committed' });
      }
    };
    await Promise.all(Array.from({ length: 8 }, write));
    // The others need not wait for it, so it may have less data now than it will accept.
    let report = await follower.report();
    const ahead = (): number => (report.lastIndex - report.applied) * VALUE_BYTES;
    for (let tries = 0; ahead() <= 30 * MiB; tries++) {
      expect(tries, `its log stops ${ahead()} bytes ahead of its state`).toBeLessThan(600);
      await pause(100);
      report = await follower.report();
    }
    expect(report.noSpace).toBe(true);
    // The limit, plus the 16 MiB that a leader sends without an acknowledgement: less than was written.
    await pause(500);
    report = await follower.report();
    expect(ahead()).toBeLessThan(60 * MiB);
    expect((await leader.report()).lastIndex - report.lastIndex).toBeGreaterThan(30);

    rmSync(filler);
    const target = (await leader.report()).commit;
    for (let tries = 0; (await follower.report()).applied < target; tries++) {
      expect(tries, 'it does not catch up').toBeLessThan(600);
      await pause(100);
    }
    expect((await follower.put('/after', 'y')).kind).toBe('committed');
    expect((await follower.get('/k7')).kind).toBe('ok');
    expect(cluster.peers.map(({ fatal }) => fatal)).toEqual([undefined, undefined, undefined]);
  });
});

/** Returns the leader, which is not this peer: a leading peer is paused for a while first. */
async function ledByAnother(cluster: ProcessCluster, i: number): Promise<ProcessCluster['peers'][number]> {
  for (let tries = 0; tries < 5; tries++) {
    const leader = await cluster.leader();
    if (leader !== i) return cluster.peers[leader]!;
    cluster.peers[i]!.signal('SIGSTOP');
    await pause(2000);
    cluster.peers[i]!.signal('SIGCONT');
    await pause(500);
  }
  throw new Error('the same peer leads again and again');
}
