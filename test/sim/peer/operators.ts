// The operators of a simulated cluster: they start machines, add, remove and replace members, upgrade and roll back releases, and
// restore the cluster from a snapshot. Like real ones they see only what peers answer, and may see it late.

import type { AddMember, ControlResult, Peer } from '../../../pkg/peer/index.js';
import type { SimulatedCluster } from './cluster.js';
import { removeInIsolation } from './isolation.js';
import type { Lives } from './lives.js';
import type { Machine } from './machine.js';
import { MemberLists } from './memberlists.js';
import { RELEASES } from './profile.js';
import { restoreCluster } from './restore.js';

const RETRY_MS = 300;
/** After an unknown outcome an operator waits before it looks at the members again. */
const LOOK_AGAIN_MS = 2000;
const TRIES = 40;
/** How long an operator waits for an answer. */
const ANSWER_MS = 12_000;

export class Operators {
  readonly #cluster: SimulatedCluster;
  readonly #lives: Lives;
  readonly #lists: MemberLists;
  #restores = 0;

  constructor(cluster: SimulatedCluster, lives: Lives) {
    this.#cluster = cluster;
    this.#lives = lives;
    this.#lists = new MemberLists(cluster);
  }

  /** The newest form of log entries that every member reads. */
  get entryForm(): number {
    return this.#lives.entryForm;
  }

  /** Plans what operators do regularly. */
  plan(): void {
    this.#lists.plan();
  }

  /** Starts the machine if it should run and does not, or replaces it. */
  revive(machine: Machine): void {
    const { wanted, lost, operated, isUp } = machine;
    if (!wanted || operated) return;
    if (lost) this.operate(machine, () => this.#replace(machine));
    else if (!isUp) this.#cluster.start(machine);
  }

  /** Runs an operation on a machine, unless another one is under way. */
  operate(machine: Machine, run: () => Promise<void>): void {
    if (machine.operated) return;
    machine.operated = true;
    run()
      .catch((error: Error) => {
        this.#cluster.failure ??= error;
      })
      .finally(() => {
        machine.operated = false;
      });
  }

  /** Sends a request to any serving peer. Undefined when there is none or it did not respond. */
  async ask<T>(what: string, call: (peer: Peer) => Promise<ControlResult<T>>): Promise<ControlResult<T> | undefined> {
    const { trace } = this.#cluster;
    const machine = this.#cluster.anyPeer();
    if (machine?.peer === undefined) return undefined;
    const process = machine.process!;
    const asked = call(machine.peer);
    asked.catch(() => {});
    // The machine may die before it responds.
    const result = await Promise.race([asked, this.#cluster.sleep(ANSWER_MS).then(() => undefined)]);
    trace(() => `${machine.name} got a request to ${what}: ${JSON.stringify(result)}`);
    return process.alive ? result : undefined;
  }

  /** Adds the machine, with an empty disk, and starts it. */
  async join(machine: Machine): Promise<void> {
    machine.kill();
    const before = machine.memberId;
    if (!(await this.#add(machine))) return;
    // The machine may be a member already: what looked like its absence was the list of a leader that lags.
    if (machine.memberId !== before || machine.disk.isEmpty) this.#empty(machine);
    this.#admit(machine);
  }

  async leave(machine: Machine): Promise<void> {
    if (!(await this.#remove(machine))) return;
    machine.wanted = false;
  }

  /** Removes the member of a machine with an unusable disk, and adds the machine again with an empty one. */
  async #replace(machine: Machine): Promise<void> {
    machine.kill();
    if (!(await this.#remove(machine))) return;
    this.#empty(machine);
    machine.suspect = undefined;
    if (!(await this.#add(machine))) return;
    this.#admit(machine);
  }

  #empty(machine: Machine): void {
    machine.wipe(this.#cluster.profile.disk);
    if (this.#cluster.atPeace) machine.disk.calm();
  }

  /** Starts a machine that is a member now. */
  #admit(machine: Machine): void {
    machine.joins = true;
    machine.lost = false;
    machine.suspect = undefined;
    machine.release = this.#newestRelease();
    machine.rolledBack = false;
    machine.wanted = true;
    this.#cluster.start(machine);
  }

  /**
   * Removes the member. That the list of a leader lacks it proves nothing: the change may not be committed. The record of the removal
   * is written only afterwards.
   */
  async #remove(machine: Machine): Promise<boolean> {
    const id = machine.memberId;
    if (id === undefined) return true;
    for (let i = 0; i < TRIES; i++) {
      const leader = this.#cluster.leader();
      if (leader !== undefined && this.#cluster.network.removedAt(leader.url, id)) return true;
      if (leader !== undefined) {
        this.#lives.removes(id);
        const { history } = this.#cluster;
        const result = await this.ask(`remove ${machine.name}`, (peer) => peer.control.removeMember(id));
        if (result?.kind === 'ok') {
          this.#lists.removed(history, id);
          return true;
        }
        if (result?.kind === 'unknown') await this.#cluster.sleep(LOOK_AGAIN_MS);
      }
      await this.#cluster.sleep(RETRY_MS);
    }
    return false;
  }

  async #add(machine: Machine): Promise<boolean> {
    const request: AddMember = { name: machine.name, peerUrls: [machine.url] };
    for (let i = 0; i < TRIES; i++) {
      const there = this.#cluster.members()?.find(({ peerUrls }) => peerUrls.includes(machine.url));
      if (there !== undefined) {
        machine.memberId = there.id;
        return true;
      }
      const { history } = this.#cluster;
      const result = await this.ask(`add ${machine.name}`, (peer) => peer.control.addMember(request));
      if (result?.kind === 'ok') {
        this.#lists.added(history, result.value.id);
        machine.memberId = result.value.id;
        return true;
      }
      await this.#cluster.sleep(RETRY_MS);
    }
    return false;
  }

  /** Asks the leader to remove a member, and cuts it off. */
  removeInIsolation(): void {
    removeInIsolation(this.#cluster, this.#lives);
  }

  /** Whether the cluster has a quorum without the disk of `machine`. */
  canLose(machine: Machine): boolean {
    const { machines } = this.#cluster;
    if (machines.some(({ lost, suspect, operated }) => lost || suspect || operated)) return false;
    const members = this.#cluster.members();
    // Until the cluster has recorded that a member takes part, a lost disk is indistinguishable from a first start.
    if (members === undefined || machine.memberId === undefined) return false;
    const { wipesEarly } = this.#cluster.profile;
    if (!wipesEarly) {
      if (!this.#lives.hasStarted(machine.memberId)) return false;
      // A founder that was never up can tell nothing about the others.
      if (machines.some(({ wanted, memberId }) => wanted && !this.#lives.hasStarted(memberId ?? 0))) return false;
    }
    const voters = members.filter(({ learner }) => !learner);
    return voters.length >= 3 && voters.some(({ id }) => id === machine.memberId);
  }

  /** The machines that should be members. */
  get #wanted(): readonly Machine[] {
    return this.#cluster.machines.filter(({ wanted }) => wanted);
  }

  #newestRelease(): number {
    return Math.max(...this.#wanted.map(({ release }) => release));
  }

  /** Starts one of the machines again, with a newer release: a step of a rolling upgrade, which may skip a release. */
  upgrade(): void {
    const { random } = this.#cluster;
    const machine = random.pick(this.#wanted);
    if (machine.release + 1 >= RELEASES.length) return;
    this.#install(machine, random.int(machine.release + 1, RELEASES.length - 1));
  }

  /** Starts one of the machines again, with the release before, if that reads the log entries that the cluster writes. */
  rollBack(): void {
    const machine = this.#cluster.random.pick(this.#wanted);
    const release = machine.release - 1;
    if (release < 0 || RELEASES[release]!.reads < this.#lives.entryForm) return;
    if (this.#install(machine, release)) machine.rolledBack = true;
  }

  #install(machine: Machine, release: number): boolean {
    if (machine.operated || machine.lost || machine.suspect !== undefined) return false;
    this.#cluster.trace(() => `${machine.name} gets release ${release}`);
    machine.kill();
    machine.release = release;
    machine.rolledBack = false;
    this.revive(machine);
    return true;
  }

  /** Restores the cluster from a snapshot, at most once in a run. */
  restore(): void {
    const { machines } = this.#cluster;
    const busy = machines.some(({ lost, suspect, operated }) => lost || suspect !== undefined || operated);
    const source = this.#cluster.leader() ?? this.#cluster.anyPeer();
    if (busy || source === undefined || !source.wanted || this.#restores > 0) return;
    this.#restores++;
    for (const machine of machines) machine.operated = true;
    restoreCluster(this.#cluster, source)
      .then(() => this.#lives.restored())
      .catch((error: Error) => {
        this.#cluster.failure ??= error;
      })
      .finally(() => {
        for (const machine of machines) machine.operated = false;
      });
  }
}
