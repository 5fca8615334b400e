// One run: a cluster with clients and faults for a while, then a phase without faults in which it must recover.

import type { MemberChange, Message, NodeStatus, PeerId, Role, SafetyRules } from '../../raft/index.js';
import {
  emptyConfiguration,
  initialConfiguration,
  members,
  RaftInvariantError,
  RULES,
  sameConfiguration,
  toLogIndex,
  toPeerId,
  toTerm,
} from '../../raft/index.js';
import type { Image } from './checker.js';
import { Checker, CheckFailed, checkLogMatching, operationBytes } from './checker.js';
import { Events } from './events.js';
import type { HostFaults } from './host.js';
import { Host } from './host.js';
import { Network } from './network.js';
import type { Act, Profile } from './profile.js';
import { drawProfile, TICK } from './profile.js';
import { Random } from './random.js';

export interface SimOptions {
  readonly seed: number;
  /** Parts of the profile that are not drawn from the seed. */
  readonly profile?: Partial<Profile>;
  /** Broken rules of the core: for mutations. */
  readonly rules?: Partial<SafetyRules>;
  readonly hostFaults?: HostFaults;
  /** Called with a line for each event. */
  readonly trace?: (line: string) => void;
}

export interface SimResult {
  readonly seed: number;
  /** Undefined when the run succeeded. */
  readonly failure: Error | undefined;
  readonly entries: number;
  readonly messages: number;
  readonly readsServed: number;
  readonly elections: number;
}

/** The maximum number of events: a loop in the core is a failure, not a hang. */
const STEPS_MAX = 400_000;
/** Election timeouts within which the cluster must recover after the faults. */
const PEACE_TIMEOUTS = 60;
/** The same while the disks of a minority hang. */
const HUNG_TIMEOUTS = 30;
const NOTICED = /committed entry \d+ is of term/;

export function simulate(options: SimOptions): SimResult {
  const run = new Run(options);
  let failure: Error | undefined;
  try {
    run.chaos();
    run.peace();
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    if (run.isNoticed(failure)) failure = undefined;
  }
  return { ...run.figures(), seed: options.seed, failure };
}

class Run {
  readonly #random: Random;
  readonly #profile: Profile;
  readonly #events = new Events();
  readonly #checker: Checker;
  readonly #network: Network;
  readonly #hosts: readonly Host[];
  readonly #trace: ((line: string) => void) | undefined;
  /** The peer in whose log a committed entry was altered. */
  #altered: Host | undefined;
  #operation = 0;
  #atPeace = false;
  #steps = 0;

  constructor({ seed, profile, rules, hostFaults, trace }: SimOptions) {
    this.#random = new Random(seed);
    this.#profile = drawProfile(this.#random, profile);
    this.#trace = trace;
    this.#network = new Network({
      events: this.#events,
      random: this.#random,
      profile: this.#profile,
      deliver: (message) => {
        this.#trace?.(`${this.#events.now} ${describeMessage(message)}`);
        this.#host(message.to)?.receive(message);
      },
    });
    const voters = range(1, this.#profile.voters);
    const founding = initialConfiguration(voters.map(toPeerId));
    this.#checker = new Checker(founding);
    const world = {
      events: this.#events,
      random: this.#random,
      profile: this.#profile,
      network: this.#network,
      checker: this.#checker,
      rules: { ...RULES, ...rules },
      hostFaults: hostFaults ?? {},
      onRole: (host: Host, role: Role) => this.#onRole(host, role),
      stream: (message: Message, image: Image, ended: (ok: boolean) => void) => this.#stream(message, image, ended),
    };
    const all = range(1, this.#profile.voters + this.#profile.spares);
    this.#hosts = all.map((id) => {
      const config = voters.includes(id) ? founding : emptyConfiguration();
      return new Host(id, { index: toLogIndex(0), term: toTerm(0), config }, world);
    });
  }

  chaos(): void {
    this.#planOperation();
    this.#planNemesis();
    this.#until(() => this.#events.now >= this.#profile.chaosTicks * TICK);
  }

  /** The phase without faults: the cluster must elect a leader, serve reads and a write, and bring every member up to date. */
  peace(): void {
    this.#atPeace = true;
    this.#network.makePerfect();
    for (const host of this.#hosts) host.calmDown();
    this.#goesOnWithoutMinority();
    const deadline = this.#timeoutsFromNow(PEACE_TIMEOUTS);
    // First a read, before any write: uncommitted entries of earlier terms must not need a client to be committed.
    this.#insistOnReads(deadline, () => this.#memberHosts());
    this.#insistOnWrite(deadline);
    this.#insist(deadline, 'end of catching up', (leader) => {
      const target = Math.max(leader?.commit ?? 0, this.#checker.length);
      return leader !== undefined && this.#memberHosts().every((host) => host.machine.index >= target);
    });

    this.#checker.atEnd(Math.max(...this.#memberHosts().map((host) => host.machine.index)));
    // Nothing needs to notice an altered entry while no leader refers to it.
    const whole = this.#hosts.filter((host) => host !== this.#altered);
    for (const a of whole) for (const b of whole) if (a.id < b.id) checkLogMatching(a.log, b.log);
  }

  /** Whether the error is that of a peer that has noticed the altered entry. It has to stop, which ends the run. */
  isNoticed(error: Error): boolean {
    return this.#altered !== undefined && error instanceof RaftInvariantError && NOTICED.test(error.message);
  }

  /**
   * The last fault: the disks of a minority, usually including the leader's, hang without an error. The others must continue
   * without them.
   */
  #goesOnWithoutMinority(): void {
    const { voters, hungMinority } = this.#profile;
    const founding = initialConfiguration(range(1, voters).map(toPeerId));
    const isFounding = ({ node }: Host): boolean => sameConfiguration(node!.status().config, founding);
    // Every founder must hold exactly the founding configuration. As many voters are not enough: others may have
    // replaced some of the founders, and then the hung disks could be those of a majority (seed 2427).
    if (!hungMinority || voters < 3 || !this.#hosts.slice(0, voters).every(isFounding)) return;
    const leader = this.#leader()?.id;
    const first = leader !== undefined && this.#random.chance(0.7) ? leader : this.#random.int(1, voters);
    const count = this.#random.int(1, (voters - 1) >> 1);
    const hung = range(0, count).map((i) => this.#hosts[(first - 1 + i) % voters]!);
    this.#trace?.(`${this.#events.now} the disks of ${hung.map(({ id }) => id).join()} hang`);
    for (const host of hung) host.hangDisk(Number.POSITIVE_INFINITY);
    const deadline = this.#timeoutsFromNow(HUNG_TIMEOUTS);
    this.#insistOnWrite(deadline);
    this.#insistOnReads(deadline, () => this.#memberHosts().filter((host) => !hung.includes(host)));
    for (const host of hung) host.calmDown();
  }

  #timeoutsFromNow(count: number): number {
    return this.#events.now + count * this.#profile.limits.electionTicks * TICK;
  }

  #insistOnReads(deadline: number, readers: () => readonly Host[]): void {
    const served = new Map(this.#hosts.map((host) => [host, host.reads.served]));
    const lacksRead = () => readers().filter((host) => host.reads.served === served.get(host));
    this.#insist(deadline, 'reads', (leader) => {
      if (leader === undefined) return false;
      for (const host of lacksRead()) host.read(this.#checker.begin(0));
      return lacksRead().length === 0;
    });
  }

  #insistOnWrite(deadline: number): void {
    const acknowledged = this.#checker.acknowledged;
    this.#insist(deadline, 'write', () => {
      if (this.#checker.acknowledged > acknowledged) return true;
      this.#write();
      return false;
    });
  }

  figures(): Omit<SimResult, 'seed' | 'failure'> {
    return {
      entries: this.#checker.length,
      messages: this.#network.sent,
      readsServed: this.#hosts.reduce((sum, host) => sum + host.reads.served, 0),
      elections: this.#checker.elections,
    };
  }

  #host(id: PeerId): Host | undefined {
    return this.#hosts[id - 1];
  }

  #until(done: () => boolean): void {
    while (!done()) {
      if (!this.#events.next()) throw new CheckFailed('liveness', 'no event is left');
      if (++this.#steps > STEPS_MAX) throw new CheckFailed('liveness', `${STEPS_MAX} steps without an end`);
    }
  }

  /** Checks the condition once a tick. */
  #insist(deadline: number, what: string, isSo: (leader: NodeStatus | undefined) => boolean): void {
    while (!isSo(this.#leader())) {
      const next = this.#events.now + TICK;
      this.#until(() => this.#events.now >= next);
      if (this.#events.now > deadline) throw new CheckFailed('liveness', `no ${what}, although all faults have ended`);
    }
  }

  /** The leader with the highest term. */
  #leader(): NodeStatus | undefined {
    let leader: NodeStatus | undefined;
    for (const { node } of this.#hosts) {
      const status = node?.status();
      if (status?.role === 'leader' && status.term > (leader?.term ?? 0)) leader = status;
    }
    return leader;
  }

  #memberHosts(): readonly Host[] {
    const leader = this.#leader();
    return leader === undefined ? [] : members(leader.config).map((id) => this.#host(id)!);
  }

  #planOperation(): void {
    this.#events.after(this.#random.int(1, 2 * this.#profile.operationUnits), () => {
      if (this.#atPeace) return;
      if (this.#random.chance(this.#profile.reads)) this.#random.pick(this.#hosts).read(this.#checker.begin(0));
      else this.#write();
      this.#planOperation();
    });
  }

  /** Proposes to a peer that considers itself the leader, perhaps wrongly. */
  #write(): void {
    const operation = ++this.#operation;
    const leaders = this.#hosts.filter((host) => host.takesWrites);
    if (leaders.length === 0) return;
    const host = this.#random.pick(leaders);
    this.#trace?.(`${this.#events.now} operation ${operation} at ${host.id}`);
    host.write(this.#checker.begin(operation), operationBytes(operation));
  }

  #stream(message: Message, image: Image, ended: (ok: boolean) => void): void {
    const time = this.#network.delay(10);
    this.#events.after(time, () => {
      const ok = !this.#network.isCut(message.from, message.to) && (this.#atPeace || !this.#random.chance(0.2));
      if (ok) this.#host(message.to)?.receiveSnapshot(message, image);
      this.#trace?.(`${this.#events.now} ${describeMessage(message)} ${ok ? 'arrived' : 'failed'}`);
      this.#events.after(this.#network.delay(), () => ended(ok));
    });
  }

  /** Faults at critical moments. */
  #onRole(host: Host, role: Role): void {
    if (this.#atPeace) return;
    const { changeAtOnce, splitAtOnce, crashAtOnce, echo } = this.#profile;
    if ((role === 'candidate' || role === 'leader') && echo > 0 && this.#random.chance(echo))
      this.#network.echo(host.id);
    if (role === 'leader' && changeAtOnce > 0 && this.#random.chance(changeAtOnce)) this.#changeOne(host);
    if (role === 'leader' && splitAtOnce > 0 && this.#random.chance(splitAtOnce)) {
      const side = new Set(this.#hosts.filter((other) => other === host || this.#random.chance(0.3)));
      this.#network.heal();
      this.#cut((from, to) => side.has(from) !== side.has(to));
    }
    if ((role === 'candidate' || role === 'leader') && crashAtOnce > 0 && this.#random.chance(crashAtOnce)) {
      // It campaigns again after its restart: in the same term, if the crash lost that term.
      this.#events.after(this.#random.int(1, TICK), () => this.#bounce(host, () => host.node?.campaign()));
    }
  }

  #bounce(host: Host, then: () => void = () => {}): void {
    host.crash();
    this.#events.after(this.#random.int(0, TICK), () => {
      host.start();
      then();
      host.wake();
    });
  }

  #planNemesis(): void {
    this.#events.after(this.#random.int(1, 2 * this.#profile.nemesisTicks * TICK), () => {
      if (this.#atPeace) return;
      const act = this.#drawAct();
      this.#trace?.(`${this.#events.now} nemesis: ${act}`);
      this.#act(act);
      this.#planNemesis();
    });
  }

  #drawAct(): Act {
    const acts = Object.entries(this.#profile.acts) as [Act, number][];
    let left = this.#random.unit() * acts.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [act, weight] of acts) {
      left -= weight;
      if (left < 0) return act;
    }
    return 'restart';
  }

  #act(act: Act): void {
    const random = this.#random;
    const host = random.pick(this.#hosts);
    const time = random.skewed(1, 20) * TICK;
    const acts: Readonly<Record<Act, () => void>> = {
      crash: () => host.crash(),
      bounce: () => this.#bounce(host),
      crashAll: () => {
        for (const each of this.#hosts) each.crash();
        this.#events.after(random.int(1, TICK), () => {
          for (const each of this.#hosts) each.start();
        });
      },
      restart: () => {
        for (const each of this.#hosts) if (random.chance(0.7)) each.start();
      },
      split: () => this.#split(),
      isolateLeader: () => {
        const leader = this.#leader()?.id;
        this.#cut((from, to) => from.id === leader || to.id === leader);
      },
      cutOneWay: () => {
        const other = random.pick(this.#hosts);
        this.#cut((from, to) => from === host && (to === other || random.chance(0.5)));
      },
      heal: () => this.#network.heal(),
      pause: () => host.pause(time),
      pauseLeader: () => {
        const leader = this.#hosts.find(({ id }) => id === this.#leader()?.id);
        leader?.pause(random.int(1, 4) * this.#profile.limits.electionTicks * TICK);
      },
      slowDisk: () => host.slowDown(time),
      hangDisk: () => host.hangDisk(random.int(1, 4) * this.#profile.limits.electionTicks * TICK),
      transfer: () => {
        for (const each of this.#hosts) each.node?.transferLeadership(host.id);
      },
      campaign: () => {
        for (const each of this.#hosts) if (each === host || random.chance(0.3)) each.node?.campaign();
      },
      change: () => this.#change(this.#hosts),
      changeAndSplit: () => {
        this.#change(this.#hosts);
        this.#network.heal();
        this.#split();
      },
      alter: () => {
        if (this.#altered === undefined && host.crashAltered()) this.#altered = host;
      },
      burst: () => {
        for (let i = random.int(3, 12); i > 0; i--) this.#write();
      },
    };
    acts[act]();
    for (const each of this.#hosts) each.wake();
  }

  #split(): void {
    const side = new Set(this.#hosts.filter(() => this.#random.chance(0.5)));
    this.#cut((from, to) => side.has(from) !== side.has(to));
  }

  #cut(isCut: (from: Host, to: Host) => boolean): void {
    for (const from of this.#hosts) {
      for (const to of this.#hosts) if (from !== to && isCut(from, to)) this.#network.cut(from.id, to.id);
    }
  }

  /** Removes or adds one other voter: changes that need no joint phase. */
  #changeOne({ id: self, node }: Host): void {
    const { voters } = node!.status().config;
    const others = this.#hosts.filter(({ id }) => id !== self);
    if (others.length === 0) return;
    const { id } = this.#random.pick(others);
    const result = node!.proposeConfigChange({ changes: [{ kind: voters.includes(id) ? 'remove' : 'addVoter', id }] });
    this.#trace?.(`${this.#events.now} change at ${self}: ${id} ${JSON.stringify(result)}`);
  }

  /** Changes the roles of some members (`changesAtOnce`), by request to the hosts that consider themselves leader. */
  #change(hosts: readonly Host[]): void {
    const random = this.#random;
    for (const { node } of hosts) {
      const status = node?.status();
      if (status?.role !== 'leader') continue;
      // Adding is more likely than removing, because small clusters show fewer bugs.
      const { voters } = status.config;
      const outside = this.#hosts.filter(({ id }) => !voters.includes(id));
      const draw = () => random.pick(outside.length > 0 && random.chance(0.5) ? outside : this.#hosts).id;
      const ids = new Set(range(1, random.pick(this.#profile.changesAtOnce)).map(draw));
      const changes = [...ids].map((id): MemberChange => {
        if (voters.includes(id)) return { kind: random.pick(['remove', 'remove', 'addLearner']), id };
        if (status.config.learners.includes(id)) return { kind: random.pick(['addVoter', 'addVoter', 'remove']), id };
        return { kind: random.pick(['addLearner', 'addLearner', 'addVoter']), id };
      });
      const result = node!.proposeConfigChange({ changes });
      this.#trace?.(`${this.#events.now} change at ${status.id}: ${JSON.stringify(changes)} ${JSON.stringify(result)}`);
    }
  }
}

function range(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}

/** One line of a trace. */
function describeMessage(message: Message): string {
  const { kind, from, to, term, ...rest } = message;
  const fields = Object.entries(rest).map(([name, value]) => {
    if (name === 'entries') {
      return `entries=[${(value as readonly { index: number; term: number }[]).map((e) => `${e.index}/${e.term}`).join(' ')}]`;
    }
    return `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`;
  });
  return `${from}->${to} ${kind} term=${term} ${fields.join(' ')}`;
}
