// Restores a simulated cluster from a snapshot, as an operator does: all peers are stopped, and the data of each member is made from
// the same snapshot. One peer may continue with its old data for a while: it belongs to another cluster then.

import { PEER_RULES } from '../../../pkg/peer/common/index.js';
import { type Restored, restoreTo } from '../../../pkg/peer/snapshot/index.js';
import { type KeyValue, openStateMachine } from '../../../pkg/storage/index.js';
import { CheckFailed } from '../checker.js';
import type { SimulatedCluster } from './cluster.js';
import { History } from './history.js';
import type { Machine } from './machine.js';

const ATTEMPTS = 20;
const LOOK_AGAIN_MS = 50;
/** Errors of the simulated disk. */
const DISK_FAILED = /EIO|ENOSPC|simulated disk is full/;

interface Snapshot {
  readonly revision: number;
  readonly items: readonly KeyValue[];
  readonly chunks: readonly Buffer[];
}

/** Restores the cluster from the state of `source`. No other operation may be under way. */
export async function restoreCluster(cluster: SimulatedCluster, source: Machine): Promise<void> {
  const { machines, random, trace } = cluster;
  const members = machines.filter(({ wanted }) => wanted);
  const left = random.chance(0.5) ? random.pick(members) : undefined;
  for (const machine of machines) if (machine !== left || machine === source) machine.kill();
  const snapshot = await snapshotOf(source);
  trace(() => `restores the state of ${source.name} at ${snapshot.revision}`);
  if (cluster.history.newest >= snapshot.revision) {
    cluster.history.checkState(`the snapshot of ${source.name}`, snapshot.revision, snapshot.items);
  }
  cluster.history.atEnd(snapshot.revision);
  if (left?.isUp === true) left.isOfOldCluster = true;
  const clusters = new Set<string>();
  const restore = async (machine: Machine): Promise<void> => {
    const { clusterId, revision } = await restoreMachine(cluster, machine, members, snapshot);
    clusters.add(clusterId);
    if (cluster.history.base?.revision === revision) return;
    if (revision <= cluster.history.newest) throw new CheckFailed('restore', `revisions go back to ${revision}`);
    cluster.history = new History({ before: cluster.history, items: snapshot.items, revision });
  };
  for (const machine of members) if (!machine.isOfOldCluster) await restore(machine);
  for (const machine of members) if (!machine.isOfOldCluster) cluster.start(machine);
  if (left?.isOfOldCluster !== true) return;
  await cluster.sleep(random.skewed(500, 4000));
  left.kill();
  left.isOfOldCluster = false;
  await restore(left);
  cluster.start(left);
  if (clusters.size !== 1) throw new CheckFailed('restore', `the members are restored into ${clusters.size} clusters`);
}

async function snapshotOf(source: Machine): Promise<Snapshot> {
  const machine = await openStateMachine({ engine: await source.disk.openState(), name: source.name });
  try {
    const range = await machine.range({ start: '/', end: '0' });
    if (range.kind !== 'ok') throw new Error(`the newest state is ${range.kind}`);
    const chunks: Buffer[] = [];
    const opened = await machine.openSnapshot();
    for await (const chunk of opened.chunks()) chunks.push(Buffer.from(chunk));
    await opened.close();
    return { revision: machine.applied, items: range.items, chunks };
  } finally {
    await machine.close();
  }
}

/** The operator of one machine restores, again from an empty disk if the command failed or the power did. */
async function restoreMachine(
  cluster: SimulatedCluster,
  machine: Machine,
  members: readonly Machine[],
  snapshot: Snapshot,
): Promise<Restored> {
  for (let attempt = 1; ; attempt++) {
    const restored = await tryToRestore(cluster, machine, members, snapshot);
    if (restored !== undefined) return restored;
    if (attempt === ATTEMPTS)
      throw new CheckFailed('restore', `${machine.name} is not restored in ${attempt} attempts`);
  }
}

/** The restoring command on one machine, with an empty disk. Undefined if it did not complete for a reason that an operator expects. */
async function tryToRestore(
  cluster: SimulatedCluster,
  machine: Machine,
  members: readonly Machine[],
  { chunks }: Snapshot,
): Promise<Restored | undefined> {
  const { profile, atPeace, faults } = cluster;
  machine.wipe(profile.disk);
  if (atPeace) machine.disk.calm();
  const process = machine.newProcess();
  // The process of the machine, so that it ends when the power fails.
  machine.process = process;
  const restoring = restoreTo(machine.disk.of(process), {
    config: { ...machine.config(), initialCluster: members.map(({ asMember }) => asMember) },
    world: process.world,
    chunks: async function* () {
      yield* chunks;
    },
    rules: { ...PEER_RULES, ...faults.rules },
  });
  restoring.catch(() => {});
  const ended = async (): Promise<undefined> => {
    while (process.alive) await cluster.sleep(LOOK_AGAIN_MS);
  };
  try {
    const restored = await Promise.race([restoring, ended()]);
    if (restored === undefined || !process.alive) return undefined;
    machine.memberId = restored.peerId;
    return restored;
  } catch (error) {
    if (process.alive && !DISK_FAILED.test((error as Error).message)) throw error;
    return undefined;
  } finally {
    process.kill();
  }
}
