// A leader is asked to remove a member and cut off from the others at nearly the same time; the next leader is cut off as soon as it leads.
// So the removal may be in the log of a leader that has not committed it, and that log may be replaced.

import type { SimulatedCluster } from './cluster.js';
import type { Lives } from './lives.js';
import type { Machine } from './machine.js';

/** The longest time between the request and the cut: a message may or may not have left. */
const CUT_AFTER_MS_MAX = 10;
const LOOK_EVERY_MS = 1;
/** The next leader is expected within this time. */
const NEXT_LEADER_MS = 4000;
const HEAL_AFTER_MS_MAX = 3000;

export function removeInIsolation(cluster: SimulatedCluster, lives: Lives): void {
  const { machines, random, events, trace } = cluster;
  const wanted = machines.filter((each) => each.wanted);
  if (wanted.length <= 2 || wanted.some(({ lost, suspect, operated }) => lost || suspect !== undefined || operated))
    return;
  const leader = cluster.leader();
  const others = wanted.filter((each) => each !== leader && each.memberId !== undefined);
  if (leader?.peer === undefined || others.length === 0) return;
  const { memberId: id, name } = random.pick(others);
  lives.removes(id!);
  trace(() => `${leader.name} is asked to remove ${name} and cut off`);
  // If the member is removed after all, it stops, and its operator sees that.
  leader.peer.control.removeMember(id!).catch(() => {});
  events.after(random.unit() * CUT_AFTER_MS_MAX, () => {
    cutOff(cluster, leader);
    awaitNext(cluster, leader, events.now + NEXT_LEADER_MS);
  });
}

function awaitNext(cluster: SimulatedCluster, former: Machine, until: number): void {
  const { events, machines, random, network } = cluster;
  events.after(LOOK_EVERY_MS, () => {
    if (cluster.atPeace || events.now > until) return;
    const next = machines.find((each) => each !== former && each.isUp && each.peer?.keyspace.status().isLeader);
    if (next === undefined) return awaitNext(cluster, former, until);
    cutOff(cluster, next);
    events.after(random.unit() * HEAL_AFTER_MS_MAX, () => network.heal());
  });
}

function cutOff({ machines, network, trace }: SimulatedCluster, machine: Machine): void {
  trace(() => `${machine.name} is cut off`);
  for (const other of machines) {
    if (other === machine) continue;
    network.cut(machine.url, other.url);
    network.cut(other.url, machine.url);
  }
}
