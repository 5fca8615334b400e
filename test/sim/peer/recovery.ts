// The end of a run: whether the cluster has recovered from its faults, and whether all members hold the same state.

import { CheckFailed } from '../checker.js';
import type { Clients } from './clients.js';
import type { SimulatedCluster } from './cluster.js';
import type { Lives } from './lives.js';
import type { Machine } from './machine.js';
import type { Operators } from './operators.js';
import type { Process } from './process.js';

export interface Recovering {
  readonly cluster: SimulatedCluster;
  readonly clients: Clients;
  readonly operators: Operators;
  readonly lives: Lives;
}

/** Starts what should run. */
export function reviveAll({ cluster, operators }: Recovering): void {
  for (const machine of cluster.machines) operators.revive(machine);
}

/** Returns a function that reports whether the cluster has taken a write since. */
export function takesWrites(recovering: Recovering): () => boolean {
  const { cluster, clients } = recovering;
  const before = cluster.history.committed;
  return () => {
    if (cluster.history.committed > before) return true;
    reviveAll(recovering);
    clients.write();
    return false;
  };
}

/** Whether exactly the wanted machines are members, all as voters. The operators change what is not so. */
export function isWhole({ cluster, operators }: Recovering): boolean {
  const { machines } = cluster;
  if (machines.some(({ operated, lost, suspect }) => operated || lost || suspect)) {
    // The disk of a machine that is not a member is irrelevant.
    for (const machine of machines) if (!machine.wanted) machine.suspect = undefined;
    return false;
  }
  const members = cluster.members();
  if (members === undefined) return false;
  for (const machine of machines) {
    const isMember = members.some(({ id }) => id === machine.memberId);
    if (machine.wanted && !isMember) {
      operators.operate(machine, () => operators.join(machine));
      return false;
    }
    if (!machine.wanted && isMember) {
      operators.operate(machine, () => operators.leave(machine));
      return false;
    }
    // Flags that name only peers that are gone are no use. A member that joins is started again, with those of today; a removed peer that
    // is still up can learn of its removal from none.
    const lonely = machines.every((each) => each === machine || !machine.contacts.includes(each.name) || !each.peer);
    if (machine.wanted ? machine.joins && machine.peer === undefined && lonely : machine.peer === undefined || lonely) {
      machine.kill();
    }
    if (machine.wanted ? machine.peer === undefined : machine.isUp) return false;
  }
  return members.every(({ learner }) => !learner);
}

/** Whether so many states were altered that no majority agrees which is right. */
export function cannotAgree({ cluster: { machines } }: Recovering): boolean {
  const wanted = machines.filter((machine) => machine.wanted);
  return wanted.filter(({ suspect }) => suspect === 'altered').length * 2 >= wanted.length;
}

/** Returns a function that reports whether every peer has refused a write and a read since. */
export function refuses(recovering: Recovering): () => boolean {
  const { cluster } = recovering;
  const refused = new Set<Machine>();
  return () => {
    reviveAll(recovering);
    for (const machine of cluster.machines) {
      const { keyspace } = machine.peer ?? {};
      if (keyspace === undefined || refused.has(machine)) continue;
      const key = '!refused';
      void Promise.all([
        keyspace.txn({ compares: [], ops: [{ kind: 'put', key, value: Buffer.from('') }] }),
        keyspace.readIndex(),
      ]).then(([write, read]) => {
        if (write.kind === 'refused' && read.kind === 'refused') refused.add(machine);
      });
    }
    return cluster.machines.every((machine) => !machine.wanted || refused.has(machine));
  };
}

/** Whether all wanted peers serve and have applied everything. Starts those that have stopped meanwhile for an excusable reason. */
export function isLevel(recovering: Recovering): boolean {
  reviveAll(recovering);
  const { machines, history } = recovering.cluster;
  const open = machines.filter(({ peer }) => peer !== undefined);
  if (machines.some((machine) => machine.wanted && !open.includes(machine))) return false;
  const applied = open.map(({ peer }) => peer!.keyspace.status().applied);
  return applied.length > 0 && applied.every((index) => index === applied[0] && index >= history.newest);
}

/** Returns a function that reports whether every peer has served a read since. */
export function readsEverywhere(recovering: Recovering): () => boolean {
  const { cluster, clients } = recovering;
  const asked = new Set<Process>();
  const served = new Set<Process>();
  return () => {
    reviveAll(recovering);
    for (const machine of cluster.machines) {
      const { peer, process } = machine;
      if (peer === undefined || process === undefined || asked.has(process)) continue;
      asked.add(process);
      clients.read(machine, () => served.add(process));
    }
    return cluster.machines.every(({ wanted, process }) => !wanted || (process !== undefined && served.has(process)));
  };
}

/** Compares the states of all peers with the history, and the members with what happened to them. */
export async function checkStates({ cluster, lives }: Recovering): Promise<void> {
  const { machines, network, history } = cluster;
  for (const { name, peer } of machines) {
    if (peer === undefined) continue;
    const range = await peer.keyspace.range({ start: '/', end: '0' });
    if (range.kind !== 'ok') throw new CheckFailed('reads', `${name} cannot serve its newest state`);
    history.checkState(name, range.revision, range.items);
  }
  const members = cluster.members() ?? [];
  for (const { id, peerUrls } of members) {
    if (peerUrls.length === 0) throw new CheckFailed('membership', `member ${id.toString(16)} has no address`);
    for (const { url } of machines) {
      if (network.removedAt(url, id)) {
        throw new CheckFailed('membership', `member ${id.toString(16)} is recorded as removed at ${url}`);
      }
    }
  }
  lives.atEnd(members);
}
