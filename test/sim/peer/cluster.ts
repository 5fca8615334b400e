// The simulated cluster that clients, operators and faults act on: its machines, network and clock, and the history that clients
// have seen. It knows what an observer outside of the cluster can know.

import { CheckFailed } from '../checker.js';
import { Events } from '../events.js';
import type { Random } from '../random.js';
import type { PeerFaults } from './faults.js';
import { History } from './history.js';
import { Machine, type MachineEvents, type MachineWorld } from './machine.js';
import { SimulatedNetwork } from './network.js';
import type { PeerProfile } from './profile.js';

export interface SimulatedMember {
  readonly id: number;
  readonly learner: boolean;
  readonly peerUrls: readonly string[];
}

export interface ClusterOptions {
  readonly random: Random;
  readonly profile: PeerProfile;
  /** Disabled protections of the peers. */
  readonly faults: PeerFaults;
  readonly trace: ((line: string) => void) | undefined;
  /** What happens to the processes of the machines. */
  readonly lives: MachineEvents & {
    /** The peer has granted a vote or acknowledged entries. */
    readonly promised: (machine: Machine) => void;
  };
}

export class SimulatedCluster {
  readonly random: Random;
  readonly profile: PeerProfile;
  readonly faults: PeerFaults;
  readonly events = new Events();
  readonly network: SimulatedNetwork;
  readonly machines: readonly Machine[];
  readonly trace: (line: () => string) => void;
  /** What clients and watches of the cluster saw. Restoring a snapshot begins another one. */
  history = new History();
  atPeace = false;
  peaceSince = Number.POSITIVE_INFINITY;
  starts = 0;
  /** The first violation; it ends the run. */
  failure: Error | undefined;

  constructor({ random, profile, faults, trace, lives }: ClusterOptions) {
    this.random = random;
    this.profile = profile;
    this.faults = faults;
    this.trace = trace === undefined ? () => {} : (line) => trace(`${this.events.now.toFixed(2)} ${line()}`);
    const { founders, spares } = profile;
    const shared = { events: this.events, random, faults, trace: this.trace };
    this.network = new SimulatedNetwork({
      ...shared,
      profile: profile.network,
      violated: (message) => {
        this.failure ??= new CheckFailed('membership', message);
      },
      promised: (url) => {
        const machine = this.machines.find((each) => each.url === url);
        if (machine !== undefined) this.guard(() => lives.promised(machine));
      },
    });
    const world: MachineWorld = {
      ...shared,
      profile,
      network: this.network,
      founders: Array.from({ length: founders }, (_, i) => ({
        name: `peer${i}`,
        peerUrls: [`https://peer${i}:2380`],
      })),
      added: () =>
        this.machines
          .filter(({ index, wanted }) => index >= founders && wanted)
          .map(({ name, url }) => ({ name, peerUrls: [url] })),
      opened: (machine, process, peer) => this.guard(() => lives.opened(machine, process, peer)),
      refused: (machine, error) => this.guard(() => lives.refused(machine, error)),
      fatal: (machine, error) => this.guard(() => lives.fatal(machine, error)),
    };
    this.machines = Array.from({ length: founders + spares }, (_, i) => new Machine(i, world, i < founders));
  }

  /** Runs `f`; what it throws ends the run. */
  guard(f: () => void): void {
    try {
      f();
    } catch (error) {
      this.failure ??= error as Error;
    }
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.events.after(milliseconds, resolve));
  }

  start(machine: Machine): void {
    if (machine.isUp) return;
    this.starts++;
    machine.start();
  }

  /** Any peer that serves; undefined when none does. */
  anyPeer(): Machine | undefined {
    const open = this.machines.filter(({ peer, isUp }) => isUp && peer !== undefined);
    return open.length === 0 ? undefined : this.random.pick(open);
  }

  /** The peer that leads. Undefined when none does, or when several believe so: some of them do not know yet that they were deposed. */
  leader(): Machine | undefined {
    const leaders = this.machines.filter(
      ({ isUp, peer, isOfOldCluster }) => isUp && !isOfOldCluster && peer?.keyspace.status().isLeader === true,
    );
    return leaders.length === 1 ? leaders[0] : undefined;
  }

  /** The members according to the leader. */
  members(): readonly SimulatedMember[] | undefined {
    const leader = this.leader();
    return leader === undefined ? undefined : this.network.membersAt(leader.url)?.members;
  }

  describe(): string {
    return this.machines
      .map(({ name, isUp, peer, lost, wanted, operated, release }) => {
        const state = peer?.keyspace.status();
        const about =
          state === undefined
            ? ''
            : ` applied ${state.applied}${state.isLeader ? ' leads' : ''}${state.hasLeader ? '' : ' has no leader'}`;
        return `${name}${isUp ? '' : ' down'}${peer === undefined ? ' not open' : ''}${lost ? ' lost' : ''}${wanted ? '' : ' unwanted'}${operated ? ' operated' : ''} release ${release}${about}`;
      })
      .join(', ');
  }
}
