// A leader is asked to remove a member and cut off from the others at nearly the same time. The removal is in its log, and it may lead again
// before the others replace that part of the log.

import type { SimulatedCluster } from './cluster.js';
import type { Lives } from './lives.js';
import type { Machine } from './machine.js';

/** The longest time between the request and the cut: a message may or may not have left. */
const CUT_AFTER_MS_MAX = 3;

export function removeInIsolation(cluster: SimulatedCluster, lives: Lives, cut: (leader: Machine) => void): void {
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
  events.after(random.unit() * CUT_AFTER_MS_MAX, () => cut(leader));
}
