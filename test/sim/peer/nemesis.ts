// The faults of a run, and the requests of its operators. The profile says how often each occurs.

import { revision } from '../../../pkg/base/index.js';
import { seal } from '../../../pkg/peer/requests/envelope.js';
import { encodeEntry } from '../../../pkg/storage/index.js';
import { CheckFailed } from '../checker.js';
import type { Clients } from './clients.js';
import type { SimulatedCluster } from './cluster.js';
import type { Machine } from './machine.js';
import type { Operators } from './operators.js';
import { ACTS, type Act } from './profile.js';
import { rot } from './rot.js';

/** No peer uses this proposal id, so the peer that seems to have sent it ignores the rejection. */
const BAD_PROPOSAL_ID = 2 ** 47;
const CLOCK_JUMPS_MS = [-86_400_000, -3_600_000, -2500, 2500, 60_000, 3_600_000, 86_400_000];

export class Nemesis {
  readonly #cluster: SimulatedCluster;
  readonly #clients: Clients;
  readonly #operators: Operators;

  constructor(cluster: SimulatedCluster, clients: Clients, operators: Operators) {
    this.#cluster = cluster;
    this.#clients = clients;
    this.#operators = operators;
  }

  /** Plans one fault after the other, until the phase without faults. */
  plan(): void {
    const { events, random, profile } = this.#cluster;
    events.after(random.unit() * 2 * profile.nemesisMs, () => {
      if (this.#cluster.atPeace) return;
      const act = this.#draw();
      this.#cluster.guard(() => this.#do(act));
      this.plan();
    });
  }

  #draw(): Act {
    const { random, profile } = this.#cluster;
    let left = random.unit() * ACTS.reduce((sum, act) => sum + profile.acts[act], 0);
    for (const act of ACTS) {
      left -= profile.acts[act];
      if (left < 0) return act;
    }
    return 'restart';
  }

  #do(act: Act): void {
    const { random, machines, network, trace } = this.#cluster;
    const machine = random.pick(machines);
    const { disk } = machine;
    trace(() => `nemesis: ${act} (${machine.name})`);
    const acts: Readonly<Record<Act, () => void>> = {
      kill: () => machine.kill(),
      powerCut: () => machine.powerCut(),
      powerCutSoon: () => machine.powerCutSoon(random.skewed(1, 60)),
      crashAll: () => {
        const power = random.chance(0.5);
        for (const each of machines) power ? each.powerCut() : each.kill();
      },
      restart: () => {
        for (const each of machines) if (random.chance(0.7)) this.#operators.revive(each);
      },
      close: () => this.#close(machine),
      split: () => {
        const side = new Set(machines.filter(() => random.chance(0.5)));
        this.#cut((from, to) => side.has(from) !== side.has(to));
      },
      isolateLeader: () => {
        const leader = this.#cluster.leader();
        this.#cut((from, to) => from === leader || to === leader);
      },
      isolateRemoval: () => this.#operators.removeInIsolation(),
      cutOneWay: () => {
        const other = random.pick(machines);
        this.#cut((from, to) => from === machine && (to === other || random.chance(0.5)));
      },
      heal: () => network.heal(),
      pause: () => machine.process?.pause(random.skewed(50, 3000)),
      clockJump: () => {
        machine.clockOffsetMs += random.pick(CLOCK_JUMPS_MS);
      },
      slowDisk: () =>
        this.#forAWhile((on) => {
          disk.slow = on;
        }),
      failSync: () => machine.disk.failSync(),
      fullDisk: () =>
        this.#forAWhile((on) => {
          disk.full = on;
        }),
      wipe: () => this.#wipe(machine),
      damage: () => {
        if (!this.#operators.canLose(machine)) return;
        machine.kill();
        machine.suspect = machine.disk.damage() ? 'damaged' : undefined;
      },
      addMember: () => {
        if (machine.wanted || machine.isUp) return;
        this.#operators.operate(machine, () => this.#operators.join(machine));
      },
      removeMember: () => {
        const wanted = machines.filter((each) => each.wanted);
        // A removal while a disk is lost may leave a configuration that no majority of the disks can commit.
        if (wanted.some(({ lost, suspect }) => lost || suspect !== undefined)) return;
        if (wanted.length > 2 && machine.wanted) {
          this.#operators.operate(machine, () => this.#operators.leave(machine));
        }
      },
      moveLeader: () => {
        const to = random.chance(0.5) ? 0 : (machine.memberId ?? 0);
        void this.#operators.ask('move the leader', (peer) => peer.control.moveLeader(to));
      },
      compact: () => this.#compact(machine),
      upgrade: () => this.#operators.upgrade(),
      rollBack: () => this.#operators.rollBack(),
      restore: () => this.#operators.restore(),
      badProposal: () => this.#badProposal(machine),
      badEntry: () => this.#badEntry(),
      badSnapshot: () => network.misnameSnapshot(machine.url),
      rot: () => {
        if (machines.some(({ suspect, operated, lost }) => suspect !== undefined || operated || lost)) return;
        machine.kill();
        this.#operators.operate(machine, async () => {
          if (await rot(disk)) machine.suspect = 'altered';
        });
      },
      burst: () => {
        for (let i = random.int(3, 12); i > 0; i--) this.#clients.write();
      },
    };
    acts[act]();
  }

  #forAWhile(set: (on: boolean) => void): void {
    const { events, random } = this.#cluster;
    set(true);
    events.after(random.skewed(200, 3000), () => set(false));
  }

  #cut(isCut: (from: Machine, to: Machine) => boolean): void {
    const { machines, network } = this.#cluster;
    for (const from of machines) {
      for (const to of machines) if (from !== to && isCut(from, to)) network.cut(from.url, to.url);
    }
  }

  /** Compacts history up to a revision that the peer has applied, or slightly beyond. */
  #compact(machine: Machine): void {
    const { random, guard } = this.#cluster;
    const { peer, process } = machine;
    if (peer === undefined || process === undefined) return;
    const { compacted, applied } = peer.keyspace.status();
    peer.keyspace.compact(revision(random.int(compacted, applied + 2))).catch((error: Error) => {
      if (process.alive) guard(() => fail('answers', `a compaction at ${machine.name} threw: ${error.message}`));
    });
  }

  /** SIGTERM. */
  #close(machine: Machine): void {
    const { peer, process } = machine;
    if (peer === undefined || process === undefined) return;
    machine.peer = undefined;
    peer.close().then(
      () => process.alive && machine.kill(),
      (error: Error) =>
        this.#cluster.guard(() => {
          if (!process.alive) return;
          machine.kill();
          if (!/EIO|full/.test(error.message)) fail('close', `${machine.name}: ${error.message}`);
        }),
    );
  }

  /** The disk is lost, and the peer is started again as a new one, with either value of `--initial-cluster-state`. */
  #wipe(machine: Machine): void {
    const { random, profile, trace } = this.#cluster;
    if (!this.#operators.canLose(machine)) return;
    const id = machine.memberId!;
    machine.wipe(profile.disk);
    machine.suspect = 'emptied';
    machine.joins ||= random.chance(0.5);
    trace(() => `${machine.name} (${id.toString(16)}) has lost its disk`);
  }

  /** A faulty peer forwards an invalid proposal. */
  #badProposal(machine: Machine): void {
    const { random } = this.#cluster;
    const member = Buffer.from('not JSON');
    const inner = encodeEntry({
      kind: 'txn',
      txn: { compares: [], ops: [{ kind: 'put', key: '!members/zz', value: member }] },
    });
    // An entry form of a newer release that no peer of this cluster runs.
    const newer = seal({ origin: 1, id: 1, command: Buffer.from(inner), form: 2 });
    newer[6] = 99;
    this.#forward(machine, () =>
      random.pick([
        Buffer.alloc(random.int(0, 11), 7),
        Buffer.alloc(random.int(12, 40), 7),
        Buffer.concat([Buffer.alloc(12, 1), inner]),
        newer,
      ]),
    );
  }

  /** A faulty leader appends a malformed entry. */
  #badEntry(): void {
    const { random } = this.#cluster;
    const machine = this.#cluster.leader();
    if (machine === undefined) return;
    const damaged = seal({ origin: 1, id: 1, command: Buffer.alloc(20, 7), form: 2 });
    damaged[damaged.length - 1]! ^= 1;
    const draw = (): Buffer => {
      const malformed = [Buffer.alloc(random.int(0, 11), 7), Buffer.alloc(random.int(12, 40), 7)];
      // A peer that does not read form 2 has to stop at it.
      return random.pick(this.#operators.entryForm < 2 ? malformed : [...malformed, damaged]);
    };
    this.#forward(machine, draw, { isFaulty: true });
  }

  /** Passes a proposal to the peer on `machine`, as if another one had forwarded it. With `isFaulty` it is appended without a check. */
  #forward(machine: Machine, draw: () => Buffer, { isFaulty = false } = {}): void {
    const { random, network, machines, trace } = this.#cluster;
    const sink = network.sinkAt(machine.url);
    const from = random.pick(machines).memberId;
    if (machine.peer === undefined || sink === undefined || from === undefined) return;
    const { process } = machine;
    const data = draw();
    void machine.peer.control.report().then(({ term }) => {
      if (!process?.alive) return;
      process.run(() => {
        machine.isFaulty = isFaulty;
        try {
          sink.proposal(from as never, { id: BAD_PROPOSAL_ID, data, term });
        } catch (error) {
          // The transport closes the connection.
          trace(() => `${machine.name} rejects the proposal: ${(error as Error).message}`);
        } finally {
          machine.isFaulty = false;
        }
      });
    });
  }
}

function fail(check: string, message: string): never {
  throw new CheckFailed(check, message);
}
