// One run of a cluster of production peers: clients, operators and faults for a while, then a phase without faults in
// which it must recover.

import { CheckFailed } from '../checker.js';
import { Random } from '../random.js';
import { Clients } from './clients.js';
import { SimulatedCluster } from './cluster.js';
import { drive } from './drive.js';
import type { PeerFaults } from './faults.js';
import { Lives } from './lives.js';
import { Nemesis } from './nemesis.js';
import { Operators } from './operators.js';
import { type Act, drawProfile, type PeerProfile } from './profile.js';
import {
  cannotAgree,
  checkStates,
  isLevel,
  isWhole,
  type Recovering,
  readsEverywhere,
  refuses,
  reviveAll,
  takesWrites,
} from './recovery.js';

export interface PeerSimOptions {
  readonly seed: number;
  /** Parts of the profile that are not drawn from the seed. */
  readonly profile?: Partial<PeerProfile>;
  /** Disabled protections of the peers, for mutations. */
  readonly faults?: PeerFaults;
  /** Faults that do not occur. */
  readonly without?: readonly Act[];
  /** Called with a line for each event. */
  readonly trace?: (line: string) => void;
}

export interface PeerSimResult {
  readonly seed: number;
  /** Undefined when the run succeeded. */
  readonly failure: Error | undefined;
  readonly events: number;
  readonly messages: number;
  readonly committed: number;
  readonly readsServed: number;
  readonly starts: number;
  readonly diskOperations: number;
  /** Simulated time. */
  readonly milliseconds: number;
}

/** A loop in a peer is a failure, not a hang. */
const STEPS_MAX = 2_000_000;
const FINAL_READS_MS = 10_000;

export async function simulatePeers(options: PeerSimOptions): Promise<PeerSimResult> {
  const run = new PeerRun(options);
  let failure: Error | undefined;
  try {
    await run.chaos();
    await run.peace();
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  run.end();
  return { seed: options.seed, failure, ...run.figures() };
}

class PeerRun {
  readonly #parts: Recovering;
  readonly #nemesis: Nemesis;
  #steps = 0;

  constructor({ seed, profile, faults = {}, without = [], trace }: PeerSimOptions) {
    const random = new Random(seed);
    const drawn = drawProfile(random, seed, profile);
    const left = Object.fromEntries(without.map((act) => [act, 0]));
    const lives = new Lives(() => cluster);
    const cluster: SimulatedCluster = new SimulatedCluster({
      random,
      profile: { ...drawn, acts: { ...drawn.acts, ...left } },
      faults,
      trace,
      lives: {
        opened: (machine, process, peer) => {
          lives.opened(machine, process, peer);
          clients.watch(machine, process, peer);
        },
        refused: (machine, error) => lives.refused(machine, error),
        fatal: (machine, error) => lives.fatal(machine, error),
        promised: (machine) => lives.promised(machine),
      },
    });
    const clients = new Clients(cluster);
    const operators = new Operators(cluster, lives);
    this.#parts = { cluster, clients, operators, lives };
    this.#nemesis = new Nemesis(cluster, clients, operators);
  }

  async chaos(): Promise<void> {
    const { cluster, clients, operators } = this.#parts;
    for (const machine of cluster.machines) if (machine.wanted) cluster.start(machine);
    clients.plan();
    operators.plan();
    this.#nemesis.plan();
    await this.#until(() => cluster.events.now >= cluster.profile.chaosMs);
  }

  /** The phase without faults: the cluster must elect a leader, serve, restore or replace every member, and bring all up to date. */
  async peace(): Promise<void> {
    const { cluster, clients } = this.#parts;
    cluster.atPeace = true;
    cluster.peaceSince = cluster.events.now;
    cluster.trace(() => 'peace');
    cluster.network.makePerfect();
    for (const machine of cluster.machines) {
      machine.disk.calm();
      machine.process?.resume();
    }
    const deadline = cluster.events.now + cluster.profile.peaceMs;
    reviveAll(this.#parts);
    if (cannotAgree(this.#parts)) return this.#insist(deadline, 'refusal of peers that differ', refuses(this.#parts));
    await this.#insist(deadline, 'write', takesWrites(this.#parts));
    await this.#insist(deadline, 'members as wanted', () => {
      reviveAll(this.#parts);
      return isWhole(this.#parts);
    });
    await this.#insist(deadline, 'responses to all operations', () => clients.allAnswered);
    await this.#insist(deadline, 'peer up to date', () => isLevel(this.#parts));
    await this.#insist(cluster.events.now + FINAL_READS_MS, 'reads', readsEverywhere(this.#parts));
    await checkStates(this.#parts);
    cluster.history.atEnd();
  }

  end(): void {
    for (const machine of this.#parts.cluster.machines) machine.kill();
  }

  figures(): Omit<PeerSimResult, 'seed' | 'failure'> {
    const { network, history, starts, machines, events } = this.#parts.cluster;
    return {
      events: this.#steps,
      messages: network.sent,
      committed: history.committed,
      readsServed: history.readsServed,
      starts,
      diskOperations: machines.reduce((sum, { disk }) => sum + disk.operations, 0),
      milliseconds: Math.round(events.now),
    };
  }

  async #until(done: () => boolean): Promise<void> {
    const { cluster } = this.#parts;
    await drive(() => {
      if (cluster.failure !== undefined) throw cluster.failure;
      if (done()) return false;
      if (!cluster.events.next()) throw new CheckFailed('liveness', 'no event is left');
      if (++this.#steps > STEPS_MAX) throw new CheckFailed('liveness', `${STEPS_MAX} events without an end`);
      return true;
    });
  }

  /** Waits until `isSo` returns true; checks every 100 ms of simulated time. */
  async #insist(deadline: number, what: string, isSo: () => boolean): Promise<void> {
    const { cluster } = this.#parts;
    while (!isSo()) {
      const next = cluster.events.now + 100;
      await this.#until(() => cluster.events.now >= next);
      if (cluster.events.now > deadline) throw new CheckFailed('liveness', `no ${what}; ${cluster.describe()}`);
    }
  }
}
