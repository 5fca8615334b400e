import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Clocks, JUMPS, RATES, whyNoClocks, wrongClock } from './clocks.js';
import { Cluster, isBuilt } from './cluster.js';
import { Asker } from './http.js';
import { runChaos } from './run.js';

const whyNot = isBuilt ? whyNoClocks : 'dist/ is missing (npm run build)';
if (whyNot !== undefined) console.warn(`clocks that jump skipped: ${whyNot}`);

const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

function clocks(kind: 'jumps' | 'rates'): Clocks {
  const folder = mkdtempSync(join(tmpdir(), 'trireme-clocks-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return new Clocks(folder, kind);
}

/** The time of a peer, from the creation timestamp of an object, because that is what users see. */
async function hourAt(cluster: Cluster, name: string, object: string): Promise<number> {
  const asker = new Asker(cluster.access, cluster.url(name));
  try {
    const path = '/api/v1/namespaces/default/configmaps';
    const made = await asker.insist('POST', path, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: object },
    });
    // A request that is sent again finds the object of the first one.
    if (made.kind !== 'answer' || ![201, 409].includes(made.status)) throw new Error(JSON.stringify(made));
    const read = await asker.insist('GET', `${path}/${object}`);
    if (read.kind !== 'answer' || read.status !== 200) throw new Error(JSON.stringify(read));
    return Date.parse((read.body['metadata'] as { readonly creationTimestamp: string }).creationTimestamp) / 3_600_000;
  } finally {
    asker.close();
  }
}

/** Waits until the time of a peer is as expected. A process reads its changed clock after a while. */
async function untilHour(cluster: Cluster, name: string, what: string, isSo: (hour: number) => boolean): Promise<void> {
  const end = performance.now() + 60_000;
  for (let tries = 0; !isSo(await hourAt(cluster, name, `${what}-${tries}`)); tries++) {
    if (performance.now() > end) throw new Error(`the clock of ${name} is not ${what}`);
    await wait(500);
  }
}

describe.skipIf(whyNot !== undefined).sequential('peers with wrong clocks', () => {
  it('that jump by hours: the leader stays, and users see the new time', async () => {
    const made = clocks('jumps');
    const cluster = await Cluster.start({ env: (name) => made.env(name) });
    cleanups.push(() => cluster.close());
    const leader = await cluster.leader();
    const { term } = await cluster.status(leader);
    const follower = cluster.names.find((name) => name !== leader)!;
    const now = Date.now() / 3_600_000;
    for (const [i, name] of [leader, follower].entries()) {
      made.set(name, '+3h');
      // Without this check the test would pass with unchanged clocks.
      await untilHour(cluster, name, `late-${i}`, (hour) => hour > now + 2.5);
      made.set(name, '+0');
      await untilHour(cluster, name, `right-${i}`, (hour) => hour < now + 0.5);
    }
    const after = await cluster.status(await cluster.leader());
    expect([after.name, after.term]).toEqual([leader, term]);
    expect(cluster.deaths).toEqual([]);
  });

  it.each([
    ['by hours and seconds', 'jumps', JUMPS, 7],
    ['in speed', 'rates', RATES, 8],
  ] as const)('that change %s: all guarantees hold', async (_what, kind, times, seed) => {
    const made = clocks(kind);
    const result = await runChaos({
      seed,
      faults: (['leader', 'follower', 'leader'] as const).map((who) => wrongClock(made, who, times)),
      cluster: { env: (name) => made.env(name) },
    });
    expect(result.judgement.violations).toEqual([]);
    expect(result.deaths).toEqual([]);
    expect(result.acknowledged).toBeGreaterThan(50);
  });

  it('that are ahead on the leader: Events expire on all peers at once', async () => {
    const made = clocks('jumps');
    const cluster = await Cluster.start({ env: (name) => made.env(name) });
    cleanups.push(() => cluster.close());
    const leader = await cluster.leader();
    const asker = new Asker(cluster.access, cluster.url(leader));
    cleanups.push(() => asker.close());
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'short-lived', namespace: 'default' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
    };
    const EVENTS = '/api/v1/namespaces/default/events';
    expect(await asker.insist('POST', EVENTS, event)).toMatchObject({ kind: 'answer', status: 201 });
    const there = async (name: string): Promise<boolean> => {
      const other = new Asker(cluster.access, cluster.url(name));
      const read = await other.insist('GET', `${EVENTS}/short-lived`);
      other.close();
      if (read.kind !== 'answer') throw new Error(JSON.stringify(read));
      return read.status === 200;
    };
    // The clock of a follower has no effect.
    const follower = cluster.names.find((name) => name !== leader)!;
    made.set(follower, '+2h');
    await wait(4000);
    expect(await Promise.all(cluster.names.map(there))).toEqual([true, true, true]);
    made.set(leader, '+2h');
    const end = performance.now() + 60_000;
    while (await there(leader)) {
      if (performance.now() > end) throw new Error('the Event does not expire');
      await wait(100);
    }
    expect(await Promise.all(cluster.names.map(there))).toEqual([false, false, false]);
    expect(cluster.deaths).toEqual([]);
  });
});
