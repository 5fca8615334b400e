import { afterEach, describe, expect, it } from 'vitest';
import { Cluster, isBuilt } from './cluster.js';
import { type HangingDisks, hangingDisks, whyNoHanging } from './disks.js';
import { Asker, type Outcome } from './http.js';

const why = isBuilt ? await whyNoHanging() : 'dist/ is missing (npm run build)';
if (why !== undefined) console.warn(`a hanging disk skipped: ${why}`);

const CMS = '/api/v1/namespaces/default/configmaps';
const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
const made = (o: Outcome): boolean => o.kind === 'answer' && o.status === 201;

let cluster: Cluster;
let disks: HangingDisks;
const askers = new Map<string, Asker>();
afterEach(async () => {
  // Check this first: a process that waits for its disk cannot be killed.
  for (const name of cluster?.names ?? []) disks.thaw(cluster.dataDir(name));
  for (const asker of askers.values()) asker.close();
  askers.clear();
  await cluster?.close();
});

describe.skipIf(why !== undefined)('a leader whose disk hangs', () => {
  it('is replaced while writes continue at the others, returns, and no acknowledged write is lost', async () => {
    disks = hangingDisks(256);
    cluster = await Cluster.start({ disks });
    for (const name of cluster.names) askers.set(name, new Asker(cluster.access, cluster.url(name)));
    const old = await cluster.leader();
    const others = cluster.names.filter((name) => name !== old);
    const writers = cluster.names.map((name) => writing(name));
    await said(() => writers.every(({ acknowledged }) => acknowledged.length > 5), 'writes through all peers');
    const { term } = await cluster.status(old);

    await disks.freeze(cluster.dataDir(old));
    await said(async () => {
      const told = await Promise.all(others.map((name) => cluster.status(name).catch(() => undefined)));
      return told.some((status) => status !== undefined && status.role === 'leader' && status.term > term);
    }, 'another leader');
    const before = new Map(writers.map((writer) => [writer, writer.acknowledged.length]));
    const going = writers.filter(({ through }) => through !== old);
    await said(() => going.every((w) => w.acknowledged.length > before.get(w)! + 10), 'writes through the other peers');
    // It acknowledges no write that is not on its disk. An earlier acknowledgement may still be in flight.
    const hanging = writers.find(({ through }) => through === old)!;
    expect(hanging.acknowledged.length).toBeLessThanOrEqual(before.get(hanging)! + 1);

    disks.thaw(cluster.dataDir(old));
    await said(
      () => hanging.acknowledged.length > before.get(hanging)! + 5,
      'writes through the peer with the frozen disk',
    );
    await Promise.all(writers.map(({ stop }) => stop()));
    const acknowledged = writers.flatMap((writer) => writer.acknowledged);
    for (const name of cluster.names) {
      const there = await names(name);
      expect(acknowledged.filter((n) => !there.has(n))).toEqual([]);
    }
    expect(cluster.deaths).toEqual([]);
  });
});

interface Writer {
  readonly through: string;
  readonly acknowledged: string[];
  stop(): Promise<void>;
}

function writing(through: string): Writer {
  const acknowledged: string[] = [];
  let over = false;
  const loop = (async () => {
    for (let i = 0; !over; i++) {
      const name = `${through}-${i}`;
      const outcome = await askers.get(through)!.ask('POST', CMS, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name },
      });
      if (made(outcome)) acknowledged.push(name);
      await wait(20);
    }
  })();
  return {
    through,
    acknowledged,
    stop: () => {
      over = true;
      return loop;
    },
  };
}

async function said(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = performance.now() + 60_000; !(await isSo()); await wait(50)) {
    if (performance.now() > end) throw new Error(`timed out waiting for ${what}\n${cluster.outputs()}`);
  }
}

async function names(through: string): Promise<ReadonlySet<string>> {
  const list = await askers.get(through)!.insist('GET', CMS);
  if (list.kind !== 'answer') throw new Error(JSON.stringify(list));
  return new Set(
    (list.body['items'] as { readonly metadata: { readonly name: string } }[]).map((o) => o.metadata.name),
  );
}
