// Reads the list of members through any peer, and checks that the lists are linearizable: a list contains every change that had ended
// before it was requested, and no change is undone. Ids are never reused, so a member that is gone never comes back.

import { CheckFailed } from '../checker.js';
import type { SimulatedCluster } from './cluster.js';
import type { History } from './history.js';

/** What operators have seen of the members of one cluster. */
interface Seen {
  readonly present: Set<number>;
  readonly gone: Set<number>;
}

export class MemberLists {
  readonly #cluster: SimulatedCluster;
  /** By history: a restored cluster has other members. */
  readonly #seen = new WeakMap<History, Seen>();

  constructor(cluster: SimulatedCluster) {
    this.#cluster = cluster;
  }

  /** A peer has answered that the member was added. */
  added(history: History, id: number): void {
    this.#of(history).present.add(id);
  }

  /** A peer has answered that the member was removed. */
  removed(history: History, id: number): void {
    this.#of(history).gone.add(id);
  }

  /** Plans one list after the other, until the faults end. */
  plan(): void {
    const { events, profile } = this.#cluster;
    if (profile.listMs === 0) return;
    events.after(profile.listMs, () => {
      if (this.#cluster.atPeace) return;
      this.#list();
      this.plan();
    });
  }

  #list(): void {
    const cluster = this.#cluster;
    const { history, faults } = cluster;
    const machine = cluster.anyPeer();
    if (machine?.peer === undefined || machine.isOfOldCluster) return;
    const process = machine.process!;
    const before = this.#of(history);
    const [present, gone] = [[...before.present], [...before.gone]];
    machine.peer.control.members({ linearizable: faults.listsLocally !== true }).then(
      (result) => {
        if (!process.alive || result.kind !== 'ok') return;
        const ids = new Set(result.value.map(({ id }) => id));
        cluster.trace(() => `${machine.name} lists ${[...ids].map((id) => id.toString(16)).join(' ')}`);
        for (const id of ids) before.present.add(id);
        for (const id of present) if (!ids.has(id)) before.gone.add(id);
        const back = gone.find((id) => ids.has(id));
        if (back === undefined) return;
        cluster.failure ??= new CheckFailed(
          'membership',
          `${machine.name} lists member ${back.toString(16)}, which was gone before`,
        );
      },
      (error: Error) => {
        if (process.alive) cluster.failure ??= new CheckFailed('answers', `a list of members threw: ${error.message}`);
      },
    );
  }

  #of(history: History): Seen {
    let seen = this.#seen.get(history);
    if (seen === undefined) {
      seen = { present: new Set(), gone: new Set() };
      this.#seen.set(history, seen);
    }
    return seen;
  }
}
