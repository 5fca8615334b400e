// The caller of the core in one peer: carries out Readys on the simulated disk, network and state machine. A crash loses
// everything except the disk.

import type { Entry, Message, PeerId, Ready, Role, SafetyRules, SnapshotMeta } from '../../raft/index.js';
import { MemoryLog, RaftNode, toPeerId } from '../../raft/index.js';
import type { Begun, Checker, Image, LogView } from './checker.js';
import type { DiskFaults, QueuedWrite } from './disk.js';
import { Disk } from './disk.js';
import type { Events } from './events.js';
import type { Network } from './network.js';
import type { Profile } from './profile.js';
import { TICK } from './profile.js';
import { Random } from './random.js';

/** The longest difference between the length of a tick and its mean. */
const TICK_JITTER = 5;

/** Faults of a broken peer, for mutations. */
export interface HostFaults extends DiskFaults {
  /** The same random numbers after every restart. */
  readonly sameLuck?: boolean;
}

export interface World {
  readonly events: Events;
  readonly random: Random;
  readonly profile: Profile;
  readonly network: Network;
  readonly checker: Checker;
  readonly rules: SafetyRules;
  readonly hostFaults: HostFaults;
  /** Called when a peer has a new role. */
  readonly onRole: (host: Host, role: Role) => void;
  /** Streams a state machine to another peer; the result tells the sender how it ended. */
  readonly stream: (message: Message, image: Image, ended: (ok: boolean) => void) => void;
}

interface PendingWrite {
  readonly begun: Begun;
  readonly term: number;
}

interface PendingRead {
  readonly begun: Begun;
  /** Set when the core has returned the index to wait for. */
  index: number | undefined;
}

/** The state that a crash loses. */
class Process {
  readonly node: RaftNode;
  readonly tail: MemoryLog;
  machine: Image;
  readonly applyQueue: Entry[] = [];
  applying = false;
  syncing = false;
  awake = false;
  /** From its last Ready. */
  leads = false;
  term: number;
  readonly images = new Map<number, Image>();
  readonly writes = new Map<number, PendingWrite>();
  readonly reads = new Map<number, PendingRead>();

  constructor(node: RaftNode, tail: MemoryLog, machine: Image) {
    this.node = node;
    this.term = node.status().term;
    this.tail = tail;
    this.machine = machine;
  }
}

export class Host {
  readonly id: PeerId;
  readonly #world: World;
  readonly #disk: Disk;
  #process: Process | undefined;
  #pausedUntil = 0;
  #slowUntil = 0;
  #hungUntil = 0;
  /** Without faults: disk and clock work normally. */
  #calm = false;
  #readContext = 0;
  readonly reads = { served: 0, refused: 0 };

  constructor(id: number, base: SnapshotMeta, world: World) {
    this.id = toPeerId(id);
    this.#world = world;
    this.#disk = new Disk(base, world.hostFaults);
    this.start();
    this.#planTick();
  }

  get up(): boolean {
    return this.#process !== undefined;
  }

  /** The core of a running peer, for inspection and for proposals of the nemesis. */
  get node(): RaftNode | undefined {
    return this.#process?.node;
  }

  get machine(): Image {
    return this.#process?.machine ?? this.#disk.machine;
  }

  get log(): LogView {
    const { log } = this.#disk;
    return {
      peer: this.id,
      first: log.base().index + 1,
      last: log.lastIndex(),
      entry: (index) => this.#disk.entry(index),
    };
  }

  start(): void {
    if (this.#process !== undefined) return;
    const { profile, random, rules, checker, hostFaults, network } = this.#world;
    const { log, hardState, machine } = this.#disk;
    const tail = new MemoryLog(log.base(), entriesOf(log));
    const draws = new Random(hostFaults.sameLuck === true ? this.id : random.int(0, 2 ** 31));
    const node = new RaftNode(
      {
        id: this.id,
        storage: tail,
        hardState,
        applied: machine.index as Entry['index'],
        limits: profile.limits,
        random: draws.unit,
      },
      rules,
    );
    checker.restores(this.id, machine);
    this.#process = new Process(node, tail, machine);
    if (profile.echo > 0 && random.chance(profile.echo)) network.echo(this.id);
    this.wake();
  }

  crash(): void {
    const process = this.#process;
    if (process === undefined) return;
    const { random } = this.#world;
    // The store may have kept everything applied, or only what was flushed.
    if (random.chance(0.5)) this.#disk.flushMachine(process.machine);
    this.#disk.crash(random.chance(0.5) ? 0 : random.int(0, this.#disk.queue.length));
    this.#process = undefined;
    this.#pausedUntil = 0;
    this.#hungUntil = 0;
  }

  /** A crash after which a committed entry has another term. Returns whether there was such an entry. */
  crashAltered(): boolean {
    this.crash();
    return this.#disk.alterLast();
  }

  /** SIGSTOP for a while: time passes, and input is processed afterwards. */
  pause(units: number): void {
    this.#pausedUntil = this.#world.events.now + units;
  }

  slowDown(units: number): void {
    this.#slowUntil = this.#world.events.now + units;
  }

  /** No current or new write completes before then. */
  hangDisk(units: number): void {
    this.#hungUntil = this.#world.events.now + units;
  }

  calmDown(): void {
    this.#calm = true;
    this.#hungUntil = 0;
    this.#pausedUntil = 0;
    this.#slowUntil = 0;
    this.start();
  }

  receive(message: Message): void {
    this.#whenRunning((process) => {
      process.node.step(message);
      this.wake();
    });
  }

  /** A snapshot has arrived completely: first its data, then the message that offers it. */
  receiveSnapshot(message: Message, image: Image): void {
    this.#whenRunning((process) => {
      process.images.set(image.index, image);
      process.node.step(message);
      this.wake();
    });
  }

  /** True when a proposal would be accepted now, or is delayed by a pause. */
  get takesWrites(): boolean {
    return this.#process?.leads === true;
  }

  /** Proposes an entry, as a client request would: a paused process handles it when it resumes. */
  write(begun: Begun, data: Uint8Array): void {
    this.#whenRunning((process) => {
      const result = process.node.propose(data);
      if (result.kind === 'refused') return;
      process.writes.set(result.index, { begun, term: result.term });
      this.wake();
    });
  }

  read(begun: Begun): void {
    this.#whenRunning((process) => {
      const context = ++this.#readContext;
      process.reads.set(context, { begun, index: undefined });
      process.node.readIndex(context);
      this.wake();
    });
  }

  /** Processes pending input as soon as the thread is free. */
  wake(): void {
    const process = this.#process;
    if (process === undefined || process.awake) return;
    process.awake = true;
    const { events, random, profile } = this.#world;
    events.after(this.#calm ? 0 : random.int(0, profile.busyMax), () => {
      if (process !== this.#process) return;
      this.#whenRunning(() => {
        process.awake = false;
        this.#work(process);
      });
    });
  }

  #work(process: Process): void {
    for (let ready = process.node.ready(); ready !== undefined; ready = process.node.ready()) {
      // This comes first, so that a fault can happen before any other peer learns of it.
      if (ready.softState !== undefined) this.#world.onRole(this, ready.softState.role);
      this.#carryOut(process, ready);
    }
  }

  #carryOut(process: Process, ready: Ready): void {
    const { checker } = this.#world;
    if (ready.write !== undefined) this.#write(process, ready.write);
    if (ready.softState !== undefined) {
      process.leads = ready.softState.role === 'leader';
      process.term = ready.softState.term;
    }
    if (ready.softState?.role === 'leader') {
      checker.leads(this.id, ready.softState.term, (index) => this.#termAhead(process, index));
    }
    for (const message of ready.messages) this.#send(process, message);
    if (ready.committed.length > 0) {
      process.applyQueue.push(...ready.committed);
      this.#apply(process);
    }
    for (const outcome of ready.reads) {
      const read = process.reads.get(outcome.context)!;
      if (outcome.kind === 'ready') {
        read.index = outcome.index;
      } else {
        process.reads.delete(outcome.context);
        this.reads.refused++;
      }
    }
    if (ready.reads.length > 0) this.#serveReads(process);
  }

  #send(process: Process, message: Message): void {
    const { network, stream, checker, events, profile } = this.#world;
    if (message.kind === 'timeoutNow') {
      // A successor that has not taken over by then is given up. The clock of the leader may be fast.
      const ticks = profile.limits.electionTicks - 1;
      checker.appoints(message, { now: events.now, patience: ticks * (TICK * (1 - profile.drift) - TICK_JITTER) });
    }
    if (message.kind === 'snapshot') {
      const { node, machine } = process;
      // The stream holds the current state, which may be newer than requested.
      const snapshot = node.snapshotMeta(machine.index as Entry['index']);
      checker.standsFor(this.id, snapshot);
      stream({ ...message, snapshot }, machine, (ok) => {
        if (process !== this.#process) return;
        node.reportSnapshot(message.to, ok);
        this.wake();
      });
    } else if (!network.send(message)) {
      process.node.reportUnreachable(message.to);
    }
  }

  #write(process: Process, write: NonNullable<Ready['write']>): void {
    const { hostFaults, profile } = this.#world;
    let image: Image | undefined;
    if (write.snapshot !== undefined) {
      image = process.images.get(write.snapshot.index)!;
      // Entries to be applied are dropped: the snapshot contains them.
      process.applyQueue.length = 0;
    }
    // In order: entries after a snapshot wait until it is installed.
    const behind = image !== undefined || this.#disk.queue.some((queued) => !queued.tailed);
    const tailed = profile.tailEarly && !behind;
    if (tailed) process.tail.append(write.entries);
    const queued = { write, image, tailed };
    this.#disk.enqueue(queued);
    if (hostFaults.syncsNothing === true) this.#durable(process, queued);
    this.#sync(process);
  }

  /** Syncs one group at a time: all writes queued when it begins. */
  #sync(process: Process): void {
    const count = this.#disk.queue.length;
    if (process.syncing || count === 0) return;
    process.syncing = true;
    const { events, hostFaults } = this.#world;
    const finish = (): void => {
      if (process !== this.#process) return;
      if (events.now < this.#hungUntil) {
        // It may end earlier.
        events.after(Math.min(this.#hungUntil - events.now, TICK), finish);
        return;
      }
      process.syncing = false;
      const synced = this.#disk.sync(count);
      if (hostFaults.syncsNothing !== true) for (const queued of synced) this.#durable(process, queued);
      this.#sync(process);
      this.wake();
    };
    events.after(this.#syncTime(), finish);
  }

  #durable(process: Process, { write, image, tailed }: QueuedWrite): void {
    const { tail } = process;
    if (write.snapshot !== undefined && image !== undefined) {
      tail.reset(write.snapshot);
      process.machine = image;
      this.#world.checker.restores(this.id, image);
      this.#settleWrites(process, undefined);
      this.#serveReads(process);
    }
    if (!tailed) tail.append(write.entries);
    process.node.persisted(write.number);
  }

  /** Applies committed entries, a few at a time. */
  #apply(process: Process): void {
    if (process.applying) return;
    process.applying = true;
    const { events, random, profile } = this.#world;
    events.after(random.int(0, this.#calm ? 1 : profile.applyMax), () => {
      if (process !== this.#process) return;
      process.applying = false;
      const batch = process.applyQueue.splice(0, random.int(1, 8));
      for (const entry of batch) this.#applyOne(process, entry);
      if (batch.length > 0) {
        process.node.applied(process.machine.index as Entry['index']);
        this.#serveReads(process);
        this.#compact(process);
        this.wake();
      }
      if (process.applyQueue.length > 0) this.#apply(process);
    });
  }

  #applyOne(process: Process, entry: Entry): void {
    process.machine = this.#world.checker.applies(this.id, process.machine, entry, process.term);
    this.#settleWrites(process, entry);
  }

  /** Completes the write that waits for this index; after a snapshot, fails all writes that it covers. */
  #settleWrites(process: Process, entry: Entry | undefined): void {
    const { checker } = this.#world;
    for (const [index, { begun, term }] of process.writes) {
      if (index > process.machine.index) continue;
      process.writes.delete(index);
      if (entry?.index !== index) continue;
      if (entry.term === term) checker.writeDone(begun, index);
      else checker.writeLost(begun);
    }
  }

  #serveReads(process: Process): void {
    for (const [context, { begun, index }] of process.reads) {
      if (index === undefined || index > process.machine.index) continue;
      process.reads.delete(context);
      this.reads.served++;
      this.#world.checker.readDone(begun, process.machine.index);
    }
  }

  #compact(process: Process): void {
    const { random, profile } = this.#world;
    if (random.chance(0.1)) this.#disk.flushMachine(process.machine);
    if (this.#calm || profile.compaction === 0 || !random.chance(profile.compaction)) return;
    const index = process.node.compactionIndex(profile.trailing, profile.trailing * 3);
    if (index === undefined) return;
    this.#disk.flushMachine(process.machine);
    const base = process.node.compact(index);
    this.#world.checker.standsFor(this.id, base);
    process.tail.compact(base);
    this.#disk.log.compact(base);
  }

  #syncTime(): number {
    const { random, profile, events } = this.#world;
    if (this.#calm) return 1;
    if (events.now < this.#slowUntil) return random.int(TICK, 8 * TICK);
    return random.int(1, profile.syncMax);
  }

  #planTick(): void {
    const { events, random, profile } = this.#world;
    const drift = this.#calm ? 0 : profile.drift;
    // The clock rate of each peer is constant in a run.
    const pace = 1 + drift * Math.sin(this.id * 7919 + profile.chaosTicks);
    events.after(Math.max(1, Math.round(TICK * pace) + random.int(-TICK_JITTER, TICK_JITTER)), () => {
      this.#planTick();
      // A paused process does not tick and does not catch up later: monotonic timers coalesce.
      if (this.#process === undefined || this.#paused) return;
      this.#process.node.tick();
      this.wake();
    });
  }

  get #paused(): boolean {
    return this.#world.events.now < this.#pausedUntil;
  }

  /** Runs `f` now, or when the pause is over; never if the process has died by then. */
  #whenRunning(run: (process: Process) => void): void {
    const process = this.#process;
    if (process === undefined) return;
    if (!this.#paused) {
      run(process);
      return;
    }
    const { events } = this.#world;
    events.after(this.#pausedUntil - events.now, () => {
      if (process === this.#process) this.#whenRunning(run);
    });
  }

  #termAhead(process: Process, index: number): number | undefined {
    // Compacted entries were applied: the checker has compared them already.
    if (index <= process.tail.base().index) return this.#world.checker.termAt(index);
    return this.#disk.entryAhead(index)?.term;
  }
}

function entriesOf(log: MemoryLog): readonly Entry[] {
  const first = (log.base().index + 1) as Entry['index'];
  return log.entries(first, (log.lastIndex() + 1) as Entry['index'], Number.MAX_SAFE_INTEGER);
}
