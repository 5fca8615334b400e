// Judges how the processes of the simulated cluster start and stop. A peer may refuse to start, or stop by itself, only for a few
// reasons, and each of them must be true.

import type { Peer } from '../../../pkg/peer/index.js';
import type { AppliedEvent } from '../../../pkg/storage/index.js';
import { CheckFailed } from '../checker.js';
import type { SimulatedCluster } from './cluster.js';
import type { Machine } from './machine.js';
import type { Process } from './process.js';
import { OLDEST_ROLLED_BACK, RELEASES } from './profile.js';

const LOST_DISK = /has been part of the cluster before/;
const ANOTHER_CLUSTER = /another cluster/;
const REMOVED = /removed from the cluster/;
const OUTDATED = /of form (\d+).*upgrade this peer/;
const NO_MEMBER = /no member has the URL/;
const DIFFERS = /differs from that of most peers/;

export class Lives {
  readonly #cluster: () => SimulatedCluster;
  /** Members that have taken part, according to the replicated state. */
  readonly #started = new Set<number>();
  /** Ids that an operator has removed. */
  readonly #removals = new Set<number>();
  readonly #outcasts: { readonly machine: Machine; readonly id: number }[] = [];
  /** The newest form of log entries that every member reads, according to the replicated state. */
  #entryForm = 1;
  /** The newest form that was the reason of a peer to stop. The replicated state may show it later. */
  #formMet = 1;

  constructor(cluster: () => SimulatedCluster) {
    this.#cluster = cluster;
  }

  get entryForm(): number {
    return this.#entryForm;
  }

  /** The cluster was restored from a snapshot: it has new members. */
  restored(): void {
    this.#entryForm = 1;
    this.#formMet = 1;
  }

  /** An operator is about to remove a member. */
  removes(id: number): void {
    this.#removals.add(id);
  }

  hasStarted(id: number): boolean {
    return this.#started.has(id);
  }

  opened(machine: Machine, process: Process, peer: Peer): void {
    this.#cluster().trace(() => `${machine.name} is open`);
    // A peer without data opens before it knows whether it may take part.
    if (machine.suspect === 'damaged') machine.suspect = undefined;
    this.#watchMembers(process, peer);
  }

  #watchMembers(process: Process, peer: Peer): void {
    const events = (batch: readonly AppliedEvent[]): void => {
      if (!process.alive) return;
      for (const { changes } of batch) {
        for (const change of changes) {
          if (change.kind === 'put') this.#record(change.current.key, Buffer.from(change.current.value).toString());
        }
      }
    };
    const after = peer.keyspace.status().compacted;
    peer.keyspace.watch({ start: '!', end: '"', after, previous: false }, { events, end: () => {} });
  }

  #record(key: string, value: string): void {
    const member = key.startsWith('!members/') ? /"id":(\d+).*"started":true/.exec(value) : null;
    if (member !== null) this.#started.add(Number(member[1]));
    const form = key === '!cluster' ? /"entryForm":(\d+)/.exec(value) : null;
    if (form !== null) this.#entryForm = Number(form[1]);
  }

  /** A peer has voted or acknowledged. */
  promised(machine: Machine): void {
    if (machine.suspect !== 'emptied') return;
    if (this.#started.has(machine.memberId!)) {
      throw new CheckFailed('membership', `${machine.name} has lost its disk and takes part under its old id`);
    }
    machine.suspect = undefined;
  }

  /** A peer has failed to start. */
  refused(machine: Machine, error: Error): void {
    const { message } = error;
    const { trace, atPeace, peaceSince } = this.#cluster();
    trace(() => `${machine.name} does not start: ${message}`);
    if (this.#noticed(machine, error)) return;
    // The operator sees that a removal whose outcome it did not learn was carried out, and adds the machine again.
    if (machine.suspect === 'emptied' && NO_MEMBER.test(message)) machine.lost = this.#removals.has(machine.memberId!);
    const excusable = /EIO|ENOSPC|simulated disk is full|could not join|no member answer/i.test(message);
    if (excusable && (!atPeace || machine.joins || machine.startedAt < peaceSince)) return;
    if (machine.suspect !== undefined && machine.disk.isEmpty) return;
    if (this.#isOutdated(machine, message)) return;
    throw new CheckFailed('start', `${machine.name} does not start: ${message}`);
  }

  /** A peer has stopped by itself. */
  fatal(machine: Machine, error: Error): void {
    const { message } = error;
    this.#cluster().trace(() => `${machine.name} stops: ${message}`);
    machine.kill();
    if (/EIO/.test(message) || this.#noticed(machine, error) || this.#isOutdated(machine, message)) return;
    if (!REMOVED.test(message)) throw new CheckFailed('input', `${machine.name} stopped: ${message}`);
    const id = machine.memberId;
    // An operator must have requested the removal.
    if (id === undefined || !this.#removals.has(id)) {
      throw new CheckFailed('membership', `${machine.name} stopped because it was removed, but no operator removed it`);
    }
    this.#outcasts.push({ machine, id });
    machine.wanted = false;
  }

  /** The peer noticed that its data is unusable: by its own checks, or from the others. */
  #noticed(machine: Machine, { name, message }: Error): boolean {
    if (machine.suspect === 'altered') {
      machine.lost = DIFFERS.test(message);
      return machine.lost;
    }
    if (machine.suspect !== undefined) {
      machine.lost = name === 'LogCorruptError' || LOST_DISK.test(message) || ANOTHER_CLUSTER.test(message);
      return machine.lost;
    }
    // A founder that has not taken part yet meets the cluster that the operator restores meanwhile.
    if (machine.isOfOldCluster && ANOTHER_CLUSTER.test(message)) return true;
    // A founder that was removed before its first start had ended.
    if (!LOST_DISK.test(message) || !this.#removals.has(machine.memberId ?? -1)) return false;
    machine.wanted = false;
    return true;
  }

  /**
   * A peer that was rolled back to the oldest release while the cluster began to write the newer form. The operator could not know
   * that yet, and upgrades it again.
   */
  #isOutdated(machine: Machine, message: string): boolean {
    const form = Number(OUTDATED.exec(message)?.[1] ?? 0);
    if (!machine.rolledBack || machine.release !== OLDEST_ROLLED_BACK) return false;
    if (form <= RELEASES[machine.release]!.reads) return false;
    this.#formMet = Math.max(this.#formMet, form);
    machine.release++;
    return true;
  }

  /** Called at the end: no member of the cluster may have stopped because it was removed, or because of a form that the cluster does not write. */
  atEnd(members: readonly { readonly id: number }[]): void {
    if (this.#formMet > this.#entryForm) {
      throw new CheckFailed(
        'releases',
        `a peer stopped because of form ${this.#formMet}; the cluster writes ${this.#entryForm}`,
      );
    }
    for (const { machine, id } of this.#outcasts) {
      if (members.some((member) => member.id === id)) {
        throw new CheckFailed('membership', `${machine.name} stopped because it was removed, but is a member`);
      }
    }
  }
}
