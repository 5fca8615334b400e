// One run of a cluster of production peers: clients, operators and faults for a while, then a phase without faults in
// which it must recover.

import type { AddMember, ControlResult, Peer } from '../../../pkg/peer/index.js';
import { seal } from '../../../pkg/peer/requests/envelope.js';
import { type AppliedEvent, encodeEntry, type Txn, type TxnResult } from '../../../pkg/storage/index.js';
import { CheckFailed } from '../checker.js';
import { Events } from '../events.js';
import { Random } from '../random.js';
import { drive } from './drive.js';
import type { PeerFaults } from './faults.js';
import { History } from './history.js';
import { Machine, type MachineWorld } from './machine.js';
import { SimulatedNetwork } from './network.js';
import type { Process } from './process.js';
import { ACTS, type Act, drawProfile, type PeerProfile } from './profile.js';

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
/** Simulated time within which the cluster must recover after the faults. */
const PEACE_MS = 90_000;
const OPERATOR_MS = 300;
/** No peer uses this proposal id, so the peer that seems to have sent it ignores the rejection. */
const BAD_PROPOSAL_ID = 2 ** 47;

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
  readonly #random: Random;
  readonly #profile: PeerProfile;
  readonly #events = new Events();
  readonly #history = new History();
  readonly #network: SimulatedNetwork;
  readonly #machines: readonly Machine[];
  readonly #trace: (line: () => string) => void;
  /** Operations in progress, with the process that handles them. */
  readonly #pending = new Map<number, { readonly process: Process; readonly since: number; readonly what: string }>();
  #atPeace = false;
  #peaceSince = Number.POSITIVE_INFINITY;
  #steps = 0;
  #starts = 0;
  #failure: Error | undefined;

  constructor({ seed, profile, faults = {}, without = [], trace }: PeerSimOptions) {
    this.#random = new Random(seed);
    const drawn = drawProfile(this.#random, profile);
    const left = Object.fromEntries(without.map((act) => [act, 0]));
    this.#profile = { ...drawn, acts: { ...drawn.acts, ...left } };
    this.#trace = trace === undefined ? () => {} : (line) => trace(`${this.#events.now.toFixed(2)} ${line()}`);
    const { founders, spares, network } = this.#profile;
    const shared = { events: this.#events, random: this.#random, faults, trace: this.#trace };
    this.#network = new SimulatedNetwork({
      ...shared,
      profile: network,
      violated: (message) => {
        this.#failure ??= new CheckFailed('membership', message);
      },
    });
    const names = Array.from({ length: founders }, (_, i) => ({
      name: `peer${i}`,
      peerUrls: [`https://peer${i}:2380`],
    }));
    const world: MachineWorld = {
      ...shared,
      profile: this.#profile,
      network: this.#network,
      founders: names,
      added: () =>
        this.#machines
          .filter(({ index, wanted }) => index >= founders && wanted)
          .map(({ name, url }) => ({ name, peerUrls: [url] })),
      opened: (machine, process, peer) => this.#guard(() => this.#opened(machine, process, peer)),
      refused: (machine, error) => this.#guard(() => this.#refused(machine, error)),
      fatal: (machine, error) => this.#guard(() => this.#fatal(machine, error)),
    };
    this.#machines = Array.from({ length: founders + spares }, (_, i) => new Machine(i, world, i < founders));
  }

  async chaos(): Promise<void> {
    for (const machine of this.#machines) if (machine.wanted) this.#start(machine);
    this.#planOperation();
    this.#planNemesis();
    await this.#until(() => this.#events.now >= this.#profile.chaosMs);
  }

  /** The phase without faults: the cluster must elect a leader, serve, restore or replace every member, and bring all up to date. */
  async peace(): Promise<void> {
    this.#atPeace = true;
    this.#peaceSince = this.#events.now;
    this.#trace(() => 'peace');
    this.#network.makePerfect();
    for (const machine of this.#machines) {
      machine.disk.calm();
      machine.process?.resume();
    }
    const deadline = this.#events.now + PEACE_MS;
    for (const machine of this.#machines) this.#revive(machine);
    await this.#insist(deadline, 'write', this.#writesAgain());
    await this.#insist(deadline, 'members as wanted', () => {
      for (const machine of this.#machines) this.#revive(machine);
      return this.#isWhole();
    });
    await this.#insist(deadline, 'responses to all operations', () => this.#allAnswered());
    await this.#insist(deadline, 'peer up to date', () => this.#isLevel());
    await this.#checkStates();
    this.#history.atEnd();
  }

  end(): void {
    for (const machine of this.#machines) machine.kill();
  }

  figures(): Omit<PeerSimResult, 'seed' | 'failure'> {
    return {
      events: this.#steps,
      messages: this.#network.sent,
      committed: this.#history.committed,
      readsServed: this.#history.readsServed,
      starts: this.#starts,
      diskOperations: this.#machines.reduce((sum, { disk }) => sum + disk.operations, 0),
      milliseconds: Math.round(this.#events.now),
    };
  }

  // Driving

  async #until(done: () => boolean): Promise<void> {
    await drive(() => {
      if (this.#failure !== undefined) throw this.#failure;
      if (done()) return false;
      if (!this.#events.next()) throw new CheckFailed('liveness', 'no event is left');
      if (++this.#steps > STEPS_MAX) throw new CheckFailed('liveness', `${STEPS_MAX} events without an end`);
      return true;
    });
  }

  /** Waits until `isSo` returns true; checks every 100 ms of simulated time. */
  async #insist(deadline: number, what: string, isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      const next = this.#events.now + 100;
      await this.#until(() => this.#events.now >= next);
      if (this.#events.now > deadline) throw new CheckFailed('liveness', `no ${what}; ${this.#situation()}`);
    }
  }

  #situation(): string {
    return this.#machines
      .map(({ name, isUp, peer, lost, wanted, operated }) => {
        const state = peer?.keyspace.status();
        const about =
          state === undefined
            ? ''
            : ` applied ${state.applied}${state.isLeader ? ' leads' : ''}${state.hasLeader ? '' : ' has no leader'}`;
        return `${name}${isUp ? '' : ' down'}${peer === undefined ? ' not open' : ''}${lost ? ' lost' : ''}${wanted ? '' : ' unwanted'}${operated ? ' operated' : ''}${about}`;
      })
      .join(', ');
  }

  #guard(f: () => void): void {
    try {
      f();
    } catch (error) {
      this.#failure ??= error as Error;
    }
  }

  #sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.#events.after(milliseconds, resolve));
  }

  // Peers

  #start(machine: Machine): void {
    if (machine.isUp) return;
    this.#starts++;
    machine.start();
  }

  /** Starts the machine if it should run and does not. */
  #revive(machine: Machine): void {
    if (machine.wanted && !machine.lost && !machine.isUp && !machine.operated && this.#mayStart(machine)) {
      this.#start(machine);
    }
    if (machine.wanted && machine.lost && !machine.operated) this.#operate(machine, () => this.#replace(machine));
  }

  /**
   * A founder with an empty disk learns from the others that it has lost its data. It is started only when it can reach them, because
   * otherwise it could not know.
   */
  #mayStart(machine: Machine): boolean {
    if (machine.suspect !== 'emptied' || machine.joins) return true;
    const others = this.#machines.filter((other) => other !== machine && other.wanted && !other.lost);
    return this.#atPeace && others.every(({ peer }) => peer !== undefined);
  }

  #opened(machine: Machine, process: Process, peer: Peer): void {
    this.#trace(() => `${machine.name} is open`);
    if (machine.suspect === 'emptied' && this.#started.has(machine.memberId!)) {
      throw new CheckFailed('membership', `${machine.name} has lost its disk and takes part under its old id`);
    }
    machine.suspect = undefined;
    this.#watchMembers(process, peer);
    const watch = (after: number): void => {
      const log = this.#history.watch(machine.name, after);
      peer.keyspace.watch(
        { start: '/', end: '0', after: after as never, previous: false },
        {
          events: (events) => {
            if (process.alive)
              this.#guard(() => {
                for (const event of events) this.#history.saw(log, event);
              });
          },
          progress: (revision) => process.alive && this.#history.progressed(log, revision),
          end: (why) => {
            if (process.alive && why.kind === 'compacted') watch(why.oldest);
          },
        },
      );
    };
    watch(peer.keyspace.status().compacted);
  }

  /** Members that have taken part, according to the replicated state. */
  readonly #started = new Set<number>();

  #watchMembers(process: Process, peer: Peer): void {
    const events = (batch: readonly AppliedEvent[]): void => {
      if (!process.alive) return;
      for (const { changes } of batch) {
        for (const change of changes) {
          if (change.kind !== 'put' || !change.current.key.startsWith('!members/')) continue;
          const about = /"id":(\d+).*"started":true/.exec(Buffer.from(change.current.value).toString());
          if (about !== null) this.#started.add(Number(about[1]));
        }
      }
    };
    const after = peer.keyspace.status().compacted;
    peer.keyspace.watch({ start: '!', end: '"', after, previous: false }, { events, end: () => {} });
  }

  #refused(machine: Machine, error: Error): void {
    const { message } = error;
    this.#trace(() => `${machine.name} does not start: ${message}`);
    const { disk } = machine;
    if (machine.suspect) {
      // The disk was damaged or emptied, and the peer noticed: by its own checks, or from the others.
      if (error.name === 'LogCorruptError' || /has been part of the cluster before/.test(message)) {
        machine.lost = true;
        return;
      }
    }
    // A founder that was removed before its first start had ended.
    if (/has been part of the cluster before/.test(message) && this.#removals.has(machine.memberId ?? -1)) {
      machine.wanted = false;
      return;
    }
    if (
      /EIO|ENOSPC|simulated disk is full|could not join|no member answer/i.test(message) &&
      (!this.#atPeace || machine.joins || machine.startedAt < this.#peaceSince)
    )
      return;
    if (machine.suspect && disk.isEmpty) return;
    throw new CheckFailed('start', `${machine.name} does not start: ${message}`);
  }

  #fatal(machine: Machine, error: Error): void {
    const { message } = error;
    this.#trace(() => `${machine.name} stops: ${message}`);
    machine.kill();
    if (/EIO/.test(message)) return;
    if (/removed from the cluster/.test(message)) {
      const id = machine.memberId;
      // An operator must have requested the removal.
      if (id === undefined || !this.#removals.has(id)) {
        throw new CheckFailed(
          'membership',
          `${machine.name} stopped because it was removed, but no operator removed it`,
        );
      }
      this.#outcasts.push({ machine, id });
      machine.wanted = false;
      return;
    }
    throw new CheckFailed('input', `${machine.name} stopped: ${message}`);
  }

  // Clients

  #planOperation(): void {
    this.#events.after(this.#random.unit() * 2 * this.#profile.operationMs, () => {
      if (this.#atPeace) return;
      if (this.#random.chance(this.#profile.reads)) this.#read();
      else this.#write();
      this.#planOperation();
    });
  }

  #anyPeer(): Machine | undefined {
    const open = this.#machines.filter(({ peer, isUp }) => isUp && peer !== undefined);
    return open.length === 0 ? undefined : this.#random.pick(open);
  }

  readonly #lastSeen = new Map<string, number>();

  #write(machine: Machine | undefined = this.#anyPeer(), fixed?: Txn): void {
    if (machine?.peer === undefined) return;
    const process = machine.process!;
    const begun = this.#history.begin();
    const txn = fixed ?? this.#drawTxn(begun.id);
    this.#pending.set(begun.id, { process, since: this.#events.now, what: `write ${begun.id} at ${machine.name}` });
    this.#trace(() => `write ${begun.id} at ${machine.name}: ${describeTxn(txn)}`);
    machine.peer.keyspace.txn(txn).then(
      (result) => this.#wrote(process, begun, txn, result),
      (error: Error) => this.#guard(() => this.#threw(process, begun.id, error)),
    );
  }

  #wrote(process: Process, begun: { readonly id: number; readonly floor: number }, txn: Txn, result: TxnResult): void {
    this.#pending.delete(begun.id);
    // The response of a process that has exited is lost.
    if (!process.alive) return;
    this.#trace(() => `write ${begun.id} is ${result.kind}${'revision' in result ? ` at ${result.revision}` : ''}`);
    this.#guard(() => {
      const puts = txn.ops.some(({ kind }) => kind === 'put');
      if (result.kind === 'committed') {
        for (const { key } of txn.ops) this.#lastSeen.set(key, result.revision);
        if (puts) this.#history.wrote(begun, { kind: 'committed', revision: result.revision });
      } else this.#history.wrote(begun, { kind: result.kind });
    });
  }

  #threw(process: Process, id: number, error: Error): void {
    this.#pending.delete(id);
    if (process.alive) throw new CheckFailed('answers', `operation ${id} threw: ${error.message}`);
  }

  #drawTxn(id: number): Txn {
    const random = this.#random;
    const key = (n = random.int(1, this.#profile.keys)): string => `/k${n}`;
    const first = key();
    const put = { kind: 'put', key: first, value: Buffer.from(`w${id}`) } as const;
    if (random.chance(0.1)) return { compares: [], ops: [{ kind: 'delete', key: first }] };
    const compares = random.chance(0.3) ? [{ key: first, modRevision: (this.#lastSeen.get(first) ?? 0) as never }] : [];
    const second = key();
    if (second !== first && random.chance(0.2)) return { compares, ops: [put, { kind: 'delete', key: second }] };
    return { compares, ops: [put] };
  }

  #read(machine: Machine | undefined = this.#anyPeer(), done: () => void = () => {}): void {
    if (machine?.peer === undefined) return;
    const process = machine.process!;
    const { keyspace } = machine.peer;
    const begun = this.#history.begin();
    this.#pending.set(begun.id, { process, since: this.#events.now, what: `read ${begun.id} at ${machine.name}` });
    const read = async (): Promise<void> => {
      const index = await keyspace.readIndex();
      if (index.kind !== 'ok' || !process.alive) return;
      const range = await keyspace.range({ start: '/', end: '0' });
      if (!process.alive) return;
      if (range.kind !== 'ok') throw new Error(`a range of the newest state is ${range.kind}`);
      this.#history.read(begun, index.revision, range.revision, range.items, machine.name);
      for (const { key, modRevision } of range.items) this.#lastSeen.set(key, modRevision);
      done();
    };
    read().then(
      () => this.#pending.delete(begun.id),
      (error: Error) =>
        this.#guard(() => {
          if (error instanceof CheckFailed) throw error;
          this.#threw(process, begun.id, error);
        }),
    );
  }

  // Operators

  /** Ids that an operator has removed. */
  readonly #removals = new Set<number>();
  readonly #outcasts: { readonly machine: Machine; readonly id: number }[] = [];

  #operate(machine: Machine, run: () => Promise<void>): void {
    if (machine.operated) return;
    machine.operated = true;
    run()
      .catch((error: Error) => {
        this.#failure ??= error;
      })
      .finally(() => {
        machine.operated = false;
      });
  }

  /** Sends a request to any serving peer. Undefined when there is none or it did not respond. */
  async #ask<T>(what: string, call: (peer: Peer) => Promise<ControlResult<T>>): Promise<ControlResult<T> | undefined> {
    const machine = this.#anyPeer();
    if (machine?.peer === undefined) return undefined;
    const process = machine.process!;
    const asked = call(machine.peer);
    asked.catch(() => {});
    // The machine may die before it responds.
    const result = await Promise.race([asked, this.#sleep(12_000).then(() => undefined)]);
    this.#trace(() => `${machine.name} got a request to ${what}: ${JSON.stringify(result)}`);
    return process.alive ? result : undefined;
  }

  /** The members according to the leader. */
  #members():
    | readonly { readonly id: number; readonly learner: boolean; readonly peerUrls: readonly string[] }[]
    | undefined {
    const leader = this.#leader();
    return leader === undefined ? undefined : this.#network.membersAt(leader.url)?.members;
  }

  #leader(): Machine | undefined {
    return this.#machines.find(({ isUp, peer }) => isUp && peer?.keyspace.status().isLeader === true);
  }

  async #remove(machine: Machine): Promise<boolean> {
    for (let i = 0; i < 40; i++) {
      const id = machine.memberId;
      const members = this.#members();
      if (members !== undefined && (id === undefined || !members.some((member) => member.id === id))) return true;
      if (members !== undefined) {
        this.#removals.add(id!);
        const result = await this.#ask(`remove ${machine.name}`, (peer) => peer.control.removeMember(id!));
        if (result?.kind === 'ok') return true;
      }
      await this.#sleep(OPERATOR_MS);
    }
    return false;
  }

  async #add(machine: Machine): Promise<boolean> {
    const request: AddMember = { name: machine.name, peerUrls: [machine.url] };
    for (let i = 0; i < 40; i++) {
      const there = this.#members()?.find(({ peerUrls }) => peerUrls.includes(machine.url));
      if (there !== undefined) {
        machine.memberId = there.id;
        return true;
      }
      const result = await this.#ask(`add ${machine.name}`, (peer) => peer.control.addMember(request));
      if (result?.kind === 'ok') {
        machine.memberId = result.value.id;
        return true;
      }
      await this.#sleep(OPERATOR_MS);
    }
    return false;
  }

  /** Removes the member of a machine with an unusable disk, and adds the machine again with an empty one. */
  async #replace(machine: Machine): Promise<void> {
    machine.kill();
    if (!(await this.#remove(machine))) return;
    machine.wipe(this.#profile.disk);
    if (this.#atPeace) machine.disk.calm();
    machine.suspect = undefined;
    if (!(await this.#add(machine))) return;
    machine.joins = true;
    machine.lost = false;
    machine.wanted = true;
    this.#start(machine);
  }

  async #join(machine: Machine): Promise<void> {
    machine.kill();
    machine.wipe(this.#profile.disk);
    if (this.#atPeace) machine.disk.calm();
    if (!(await this.#add(machine))) return;
    machine.joins = true;
    machine.wanted = true;
    machine.lost = false;
    machine.suspect = undefined;
    this.#start(machine);
  }

  async #leave(machine: Machine): Promise<void> {
    if (!(await this.#remove(machine))) return;
    machine.wanted = false;
  }

  /** Whether the cluster has a quorum without the disk of `machine`. */
  #canLose(machine: Machine): boolean {
    if (this.#machines.some(({ lost, suspect, operated }) => lost || suspect || operated)) return false;
    const members = this.#members();
    // Until the cluster has recorded that a member takes part, a lost disk is indistinguishable from a first start.
    if (members === undefined || machine.memberId === undefined || !this.#started.has(machine.memberId)) return false;
    const voters = members.filter(({ learner }) => !learner);
    return voters.length >= 3 && voters.some(({ id }) => id === machine.memberId);
  }

  // Nemesis

  #planNemesis(): void {
    this.#events.after(this.#random.unit() * 2 * this.#profile.nemesisMs, () => {
      if (this.#atPeace) return;
      const act = this.#drawAct();
      this.#guard(() => this.#act(act));
      this.#planNemesis();
    });
  }

  #drawAct(): Act {
    const { acts } = this.#profile;
    let left = this.#random.unit() * ACTS.reduce((sum, act) => sum + acts[act], 0);
    for (const act of ACTS) {
      left -= acts[act];
      if (left < 0) return act;
    }
    return 'restart';
  }

  #act(act: Act): void {
    const random = this.#random;
    const machine = random.pick(this.#machines);
    this.#trace(() => `nemesis: ${act} (${machine.name})`);
    const acts: Readonly<Record<Act, () => void>> = {
      kill: () => machine.kill(),
      powerCut: () => machine.powerCut(),
      powerCutSoon: () => machine.powerCutSoon(random.skewed(1, 60)),
      crashAll: () => {
        const power = random.chance(0.5);
        for (const each of this.#machines) power ? each.powerCut() : each.kill();
      },
      restart: () => {
        for (const each of this.#machines) if (random.chance(0.7)) this.#revive(each);
      },
      close: () => this.#close(machine),
      split: () => {
        const side = new Set(this.#machines.filter(() => random.chance(0.5)));
        this.#cut((from, to) => side.has(from) !== side.has(to));
      },
      isolateLeader: () => {
        const leader = this.#leader();
        this.#cut((from, to) => from === leader || to === leader);
      },
      cutOneWay: () => {
        const other = random.pick(this.#machines);
        this.#cut((from, to) => from === machine && (to === other || random.chance(0.5)));
      },
      heal: () => this.#network.heal(),
      pause: () => machine.process?.pause(random.skewed(50, 3000)),
      slowDisk: () => {
        machine.disk.slow = true;
        this.#events.after(random.skewed(200, 3000), () => {
          machine.disk.slow = false;
        });
      },
      failSync: () => machine.disk.failSync(),
      fullDisk: () => {
        const { disk } = machine;
        disk.full = true;
        this.#events.after(random.skewed(200, 3000), () => {
          disk.full = false;
        });
      },
      wipe: () => this.#wipe(machine),
      damage: () => {
        if (!this.#canLose(machine)) return;
        machine.kill();
        machine.suspect = machine.disk.damage() ? 'damaged' : undefined;
      },
      addMember: () => {
        if (machine.wanted || machine.isUp) return;
        this.#operate(machine, () => this.#join(machine));
      },
      removeMember: () => {
        const wanted = this.#machines.filter((each) => each.wanted);
        // A removal while a disk is lost may leave a configuration that no majority of the disks can commit.
        if (wanted.some(({ lost, suspect }) => lost || suspect !== undefined)) return;
        if (wanted.length > 2 && machine.wanted) this.#operate(machine, () => this.#leave(machine));
      },
      moveLeader: () => {
        void this.#ask('move the leader', (peer) =>
          peer.control.moveLeader(random.chance(0.5) ? 0 : (machine.memberId ?? 0)),
        );
      },
      badProposal: () => this.#badProposal(machine),
      burst: () => {
        for (let i = random.int(3, 12); i > 0; i--) this.#write();
      },
    };
    acts[act]();
  }

  #cut(isCut: (from: Machine, to: Machine) => boolean): void {
    for (const from of this.#machines) {
      for (const to of this.#machines) if (from !== to && isCut(from, to)) this.#network.cut(from.url, to.url);
    }
  }

  /** SIGTERM. */
  #close(machine: Machine): void {
    const { peer, process } = machine;
    if (peer === undefined || process === undefined) return;
    machine.peer = undefined;
    peer.close().then(
      () => process.alive && machine.kill(),
      (error: Error) =>
        this.#guard(() => {
          if (!process.alive) return;
          machine.kill();
          if (!/EIO|full/.test(error.message)) throw new CheckFailed('close', `${machine.name}: ${error.message}`);
        }),
    );
  }

  /** The disk is lost, and the peer is started again as a new one, with either value of `--initial-cluster-state`. */
  #wipe(machine: Machine): void {
    if (!this.#canLose(machine)) return;
    const id = machine.memberId!;
    machine.wipe(this.#profile.disk);
    machine.suspect = 'emptied';
    machine.joins ||= this.#random.chance(0.5);
    this.#trace(() => `${machine.name} (${id.toString(16)}) has lost its disk`);
  }

  /** A faulty peer forwards an invalid proposal. */
  #badProposal(machine: Machine): void {
    const sink = this.#network.sinkAt(machine.url);
    const from = this.#random.pick(this.#machines).memberId;
    if (machine.peer === undefined || sink === undefined || from === undefined) return;
    const { process } = machine;
    const member = Buffer.from('not JSON');
    const inner = encodeEntry({
      kind: 'txn',
      txn: { compares: [], ops: [{ kind: 'put', key: '!members/zz', value: member }] },
    });
    // An entry form of a newer release that no peer of this cluster runs.
    const newer = seal({ origin: 1, id: 1, command: Buffer.from(inner), form: 2 });
    newer[6] = 99;
    const data = this.#random.pick([
      Buffer.alloc(this.#random.int(0, 11), 7),
      Buffer.alloc(this.#random.int(12, 40), 7),
      Buffer.concat([Buffer.alloc(12, 1), inner]),
      newer,
    ]);
    void machine.peer.control.report().then(({ term }) => {
      if (!process?.alive) return;
      process.run(() => {
        try {
          sink.proposal(from as never, { id: BAD_PROPOSAL_ID, data, term });
        } catch (error) {
          // The transport closes the connection.
          this.#trace(() => `${machine.name} rejects the proposal: ${(error as Error).message}`);
        }
      });
    });
  }

  // Recovery

  #writesAgain(): () => boolean {
    const before = this.#history.committed;
    return () => {
      if (this.#history.committed > before) return true;
      for (const machine of this.#machines) this.#revive(machine);
      this.#write();
      return false;
    };
  }

  /** Whether exactly the wanted machines are members, all as voters. */
  #isWhole(): boolean {
    if (this.#machines.some(({ operated, lost, suspect }) => operated || lost || suspect)) {
      // The disk of a machine that is not a member is irrelevant.
      for (const machine of this.#machines) if (!machine.wanted) machine.suspect = undefined;
      return false;
    }
    const members = this.#members();
    if (members === undefined) return false;
    for (const machine of this.#machines) {
      const isMember = members.some(({ id }) => id === machine.memberId);
      if (machine.wanted && !isMember) {
        this.#operate(machine, () => this.#join(machine));
        return false;
      }
      if (!machine.wanted && machine.isUp) {
        // It was removed and does not know this yet.
        if (isMember) this.#operate(machine, () => this.#leave(machine));
        // A learner that was removed before the leader reached it has no peer that could report the removal. Its operator stops it.
        else if (machine.peer?.keyspace.status().applied === 0) machine.kill();
        return false;
      }
      if (!machine.wanted && isMember) {
        this.#operate(machine, () => this.#leave(machine));
        return false;
      }
      if (machine.wanted && machine.peer === undefined) return false;
    }
    return members.every(({ learner }) => !learner);
  }

  #allAnswered(): boolean {
    return [...this.#pending.values()].every(({ process }) => !process.alive);
  }

  #isLevel(): boolean {
    const open = this.#machines.filter(({ peer }) => peer !== undefined);
    const applied = open.map(({ peer }) => peer!.keyspace.status().applied);
    return applied.length > 0 && applied.every((index) => index === applied[0] && index >= this.#history.newest);
  }

  async #checkStates(): Promise<void> {
    const left = new Set<Machine>();
    for (const machine of this.#machines) {
      if (machine.peer === undefined) continue;
      left.add(machine);
      this.#read(machine, () => left.delete(machine));
    }
    await this.#insist(this.#events.now + 10_000, 'reads', () => left.size === 0);
    for (const machine of this.#machines) {
      if (machine.peer === undefined) continue;
      const range = await machine.peer.keyspace.range({ start: '/', end: '0' });
      if (range.kind !== 'ok') throw new CheckFailed('reads', `${machine.name} cannot serve its newest state`);
      this.#history.checkFinal(machine.name, range.revision, range.items);
    }
    const members = this.#members() ?? [];
    for (const { id, peerUrls } of members) {
      if (peerUrls.length === 0) throw new CheckFailed('membership', `member ${id.toString(16)} has no address`);
      for (const { url } of this.#machines) {
        if (this.#network.removedAt(url, id)) {
          throw new CheckFailed('membership', `member ${id.toString(16)} is recorded as removed at ${url}`);
        }
      }
    }
    for (const { machine, id } of this.#outcasts) {
      if (members.some((member) => member.id === id)) {
        throw new CheckFailed('membership', `${machine.name} stopped because it was removed, but is a member`);
      }
    }
  }
}

function describeTxn({ compares, ops }: Txn): string {
  const conditions = compares.map(({ key, modRevision }) => `${key}@${modRevision}`).join(' ');
  const changes = ops.map((op) => (op.kind === 'put' ? `put ${op.key}` : `delete ${op.key}`)).join(', ');
  return conditions === '' ? changes : `if ${conditions}: ${changes}`;
}
