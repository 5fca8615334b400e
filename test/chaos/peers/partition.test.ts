import { afterEach, describe, expect, it } from 'vitest';
import { Clients } from './clients.js';
import { canRun, folder, ProcessCluster, pause } from './harness.js';
import { Namespaces } from './netns.js';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** Runs three peers with clients on each, and a network that `nemesis` breaks. It is healed at the end. */
async function judged(nemesis: (cluster: ProcessCluster, network: Namespaces) => Promise<void>): Promise<void> {
  const network = Namespaces.make(3);
  if (network === undefined) return;
  cleanups.push(() => network.remove());
  const made = folder();
  cleanups.push(() => made.remove());
  const cluster = await ProcessCluster.start(made.path, { snapshotCount: 200 }, network.places);
  cleanups.push(() => cluster.stop());
  await cluster.leader();
  const clients = new Clients(cluster, ['/a', '/b']);
  await clients.answers(60);
  await nemesis(cluster, network);
  network.heal();
  await cluster.leader();
  await clients.answers(120);
  for (const verdict of await clients.verdicts()) expect(verdict).toMatchObject({ verdict: 'linearizable' });
}

describe.runIf(canRun())('three peers in a broken network stay linearizable', () => {
  it('when the leader is cut off and the others continue', () =>
    judged(async (cluster, network) => {
      const old = await cluster.leader();
      network.isolate(old);
      await pause(3000);
      const rest = [0, 1, 2].filter((i) => i !== old);
      const answers = await Promise.all(rest.map((i) => cluster.peers[i]!.put('/after', 'x')));
      expect(answers.map(({ kind }) => kind)).toEqual(['committed', 'committed']);
    }));

  it('when the leader can send but not receive', () =>
    judged(async (cluster, network) => {
      const deaf = await cluster.leader();
      for (const other of [0, 1, 2]) if (other !== deaf) network.cut(other, deaf);
      await pause(4000);
      const rest = [0, 1, 2].filter((i) => i !== deaf);
      // Check-quorum: the leader gets no responses and steps down.
      expect((await cluster.peers[rest[0]!]!.put('/after', 'x')).kind).toBe('committed');
    }));

  it('when one follower is cut off and returns without disrupting the leader', () =>
    judged(async (cluster, network) => {
      const leader = await cluster.leader();
      const { term } = await cluster.peers[leader]!.report();
      const follower = (leader + 1) % 3;
      network.isolate(follower);
      await pause(3000);
      network.heal();
      await pause(3000);
      // Pre-vote: its campaigns while it was cut off raised no term.
      expect((await cluster.peers[leader]!.report()).term).toBe(term);
      expect((await cluster.peers[follower]!.put('/after', 'x')).kind).toBe('committed');
    }));
});
