import { afterEach, describe, expect, it } from 'vitest';
import { Clients } from './clients.js';
import { canRun, folder, PeerProcess, ProcessCluster, pause } from './harness.js';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

function room(): string {
  const made = folder();
  cleanups.push(() => made.remove());
  return made.path;
}

/** Writes new keys until the peer dies. The acknowledged keys are added as they are known. */
function writeUntilDeath(peer: PeerProcess, writers: number, prefix: string) {
  const acknowledged: string[] = [];
  const one = async (writer: number): Promise<void> => {
    for (let n = 0; ; n++) {
      const key = `${prefix}/${writer}/${n}`;
      const result = await peer.put(key, key).catch(() => undefined);
      if (result === undefined) return;
      if (result.kind === 'committed') acknowledged.push(key);
    }
  };
  return { acknowledged, over: Promise.all(Array.from({ length: writers }, (_, i) => one(i))) };
}

describe.runIf(canRun())('one peer that is killed', () => {
  // The fault: a single peer acknowledges a write before its log is synced, and loses it in a crash.
  it('loses no acknowledged write', async () => {
    const dataDir = room();
    const acknowledged: string[] = [];
    for (let round = 0; round < 4; round++) {
      const peer = new PeerProcess();
      cleanups.push(() => peer.kill());
      await peer.open({ dataDir, snapshotCount: 300 });
      const found = new Set((await peer.all()).map(([key]) => key));
      expect(acknowledged.filter((key) => !found.has(key))).toEqual([]);
      const writing = writeUntilDeath(peer, 8, `/round${round}`);
      // Independent of the speed of the machine: only the last writes before the crash matter.
      while (writing.acknowledged.length < 20) await pause(10);
      await pause(round * 130);
      await peer.kill();
      await writing.over;
      acknowledged.push(...writing.acknowledged);
    }
    expect(acknowledged.length).toBeGreaterThan(50);
  });
});

async function judged(nemesis: (cluster: ProcessCluster) => Promise<void>): Promise<void> {
  const cluster = await ProcessCluster.start(room(), { snapshotCount: 200 });
  cleanups.push(() => cluster.stop());
  await cluster.leader();
  const clients = new Clients(cluster, ['/a', '/b', '/c']);
  await clients.answers(60);
  await nemesis(cluster);
  await cluster.leader();
  await clients.answers(60);
  for (const verdict of await clients.verdicts()) expect(verdict).toMatchObject({ verdict: 'linearizable' });
}

describe.runIf(canRun())('three peers under faults stay linearizable', () => {
  it('when the leader is killed and restarted', () =>
    judged(async (cluster) => {
      for (let round = 0; round < 2; round++) {
        const i = await cluster.leader();
        await cluster.peers[i]!.kill();
        await pause(1500);
        await cluster.open(i);
        await pause(500);
      }
    }));

  it('when all are killed at once', () =>
    judged(async (cluster) => {
      await Promise.all(cluster.peers.map((peer) => peer.kill()));
      await Promise.all(cluster.peers.map((_, i) => cluster.open(i)));
    }));

  // The fault: a leader that was paused serves a read from its old state after the others elected a new leader.
  it('when the leader is paused long enough to be replaced, and resumes', () =>
    judged(async (cluster) => {
      for (let round = 0; round < 2; round++) {
        const i = await cluster.leader();
        cluster.peers[i]!.signal('SIGSTOP');
        await pause(2500);
        cluster.peers[i]!.signal('SIGCONT');
        await pause(500);
      }
    }));
});
