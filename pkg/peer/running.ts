import {
  type LogIndex,
  type Message,
  NO_PEER,
  type PeerId,
  type RaftNode,
  type SnapshotMeta,
  type SoftState,
  toLogIndex,
  toPeerId,
} from '../../raft/index.js';
import { invariant, type World } from '../base/index.js';
import type { Applied, Engine, TxnResult } from '../storage/index.js';
import { Applier } from './applier.js';
import { HashChecks } from './checks.js';
import { foundingId, type PeerConfig } from './config.js';
import type { PeerControl } from './control.js';
import { type PeerControls, peerControls } from './controls.js';
import { Duties } from './duties.js';
import type { PeerEvents } from './events.js';
import { Holdback } from './holdback.js';
import { Housekeeping } from './housekeeping.js';
import { incoming } from './incoming.js';
import { type PeerKeyspace, peerKeyspace } from './keyspace.js';
import { CONTROL_LIMITS, PROPOSAL_LIMITS } from './limits.js';
import { ReadyLoop } from './loop.js';
import { Members } from './members.js';
import type { PeerMetrics } from './metrics.js';
import { type Network, SILENT_NETWORK } from './network.js';
import type { OpenedLog } from './open.js';
import { Proposals } from './proposals.js';
import { Reads } from './reads.js';
import { keepRefusal } from './refusal.js';
import { SnapshotReceiver } from './snapshot/receive.js';
import { Space } from './space.js';
import { startRaft } from './start.js';
import { type ReplicatedState, stateFolderOf } from './state.js';
import type { OpenWires, Wires } from './wires.js';

/** One member of the cluster, running. */
export interface Peer {
  readonly keyspace: PeerKeyspace;
  readonly control: PeerControl;
  /** Addresses on which it listens for other peers. */
  readonly addresses: readonly string[];
  close(): Promise<void>;
}

export interface PeerParts {
  readonly config: PeerConfig;
  readonly world: World;
  readonly events: PeerEvents;
  readonly metrics: PeerMetrics;
  readonly state: ReplicatedState;
  readonly log: OpenedLog;
  /** How it speaks with the others: over gRPC, which is loaded then, unless a test stands for them. */
  readonly openWires?: OpenWires;
}

/** Brings the parts of a peer together and does nothing itself: who calls whom can be read here. */
export class RunningPeer implements Peer {
  readonly keyspace: PeerKeyspace;
  readonly #parts: PeerParts;
  readonly #raft: RaftNode;
  readonly #journal: Holdback;
  readonly #loop: ReadyLoop;
  readonly #applier: Applier;
  readonly #proposals: Proposals;
  readonly #reads: Reads;
  readonly #space: Space;
  readonly #housekeeping: Housekeeping;
  readonly #duties: Duties;
  readonly #members: Members;
  readonly #checks: HashChecks;
  readonly #receiver: SnapshotReceiver;
  readonly #controls: PeerControls;
  readonly #stops: (() => void)[] = [];
  /** Settled when the wires are there, or never will be. */
  #opening: Promise<void> = Promise.resolve();
  #wires: Wires | undefined;
  #network: Network = SILENT_NETWORK;
  #soft: SoftState;
  #newestWrite: number;
  #blocked = false;
  #stopped: string | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: PeerParts) {
    this.#parts = parts;
    const { config, world, metrics, state, log, events } = parts;
    const raft = startRaft(config, world, state.machine.applied, log);
    const id = toPeerId(log.identity.peerId);
    this.#raft = raft;
    this.#soft = { role: 'follower', term: raft.status().term, leader: NO_PEER };
    this.#newestWrite = state.machine.applied;

    const now = (): number => world.clock.monotonic();
    const timing = { now, electionTimeoutMs: config.electionMs };
    const fail = (error: unknown): void => this.fail(error);
    const poke = (): void => this.#loop.poke();
    const propose = (command: Uint8Array): Promise<TxnResult> => this.#propose(command);
    const isLeader = (): boolean => this.#soft.role === 'leader';
    const machine = () => state.machine;
    const note = events.note ?? (() => {});
    const journal = new Holdback(log.journal);
    this.#journal = journal;
    const core = { raft, tail: log.tail, journal, fail };

    this.#proposals = new Proposals(
      {
        ...timing,
        propose: (data) => raft.propose(data),
        forward: (leader, proposal) => this.#network.forward(leader, proposal),
        leadership: () => this.#soft,
      },
      Buffer.from(world.random.bytes(6)).readUIntLE(0, 6),
    );
    this.#reads = new Reads({
      ...timing,
      readIndex: (context) => raft.readIndex(context),
      applied: () => state.machine.applied,
      standstill: () => this.#space.standstill,
    });
    this.#space = new Space({
      world,
      directory: config.dataDir,
      quotaBytes: config.quotaBytes,
      reserveBytes: config.diskReserveBytes,
      stateBytes: () => state.machine.sizeInUseBytes,
      stateBytesOnDisk: () => state.machine.sizeBytes,
      logHasRoom: () => journal.hasRoom,
    });
    this.#members = new Members({
      world,
      self: id,
      clusterId: log.identity.clusterId,
      founders: config.initialCluster.map((member) => ({
        ...member,
        id: foundingId(member, config.initialClusterToken),
      })),
      isLeader,
      configuration: () => raft.status().config,
      caughtUp: (member) => raft.status().peers.some((peer) => peer.id === member && peer.caughtUp),
      change: (change) => {
        poke();
        return raft.proposeConfigChange({ changes: [change] });
      },
      propose,
      changed: () => this.#connect(),
      promoted: () => {
        metrics.learnerPromotions++;
      },
      note,
    });
    this.#checks = new HashChecks({
      self: id,
      voters: () => raft.status().config.voters,
      tell: (at, hashes) => {
        this.#network.tellHashes(at, hashes);
        poke();
      },
      differs: (message) => this.#differs(message),
      note,
    });
    this.#applier = new Applier(state.machine, {
      proposals: this.#proposals,
      metrics,
      now,
      applied: (index) => this.#applied(index),
      checked: (at, hashes) => this.#checks.own(at, hashes),
      memberEntry: (entry) => this.#members.committed(entry),
      fail,
    });
    this.#housekeeping = new Housekeeping({ ...core, metrics, now, machine, snapshotCount: config.snapshotCount });
    this.#receiver = new SnapshotReceiver({
      world,
      metrics,
      home: state.home,
      clusterId: log.identity.clusterId,
      self: id,
      directory: config.dataDir,
      offer: (message) => this.#offered(message),
      quiesced: () => this.#quiesced(),
      noRoom: () => this.#space.snapshotProblem,
      waitsForRoom: (waits) => this.#snapshotWaits(waits),
      replace: (engine, snapshot) => this.#replace(engine, snapshot),
    });
    this.#loop = new ReadyLoop({
      ...core,
      reads: this.#reads,
      send: (messages) => this.#network.send(messages),
      flush: () => this.#network.flush(),
      apply: (entries) => this.#applier.push(entries),
      install: (write, persist) => this.#receiver.install(write, persist),
      roleChanged: (soft) => this.#roleChanged(soft),
      membersChanged: () => this.#connect(),
    });
    this.#duties = new Duties({
      world,
      isLeader,
      voters: () => raft.status().config.voters.length,
      machine,
      newestWrite: () => this.#newestWrite,
      propose,
      compactionRetentionMs: config.compactionRetentionMs,
      hashCheckMs: config.hashCheckMs,
      hasLeader: () => this.#soft.leader !== NO_PEER,
      checked: () => this.#checks.confirmed,
    });
    this.keyspace = peerKeyspace({
      proposals: this.#proposals,
      reads: this.#reads,
      space: this.#space,
      state,
      metrics,
      poke,
      leadership: () => ({ isLeader: isLeader(), hasLeader: this.#soft.leader !== NO_PEER }),
      close: () => this.close(),
    });
    this.#controls = peerControls({
      config,
      world,
      identity: log.identity,
      raft,
      state,
      journal,
      metrics,
      members: this.#members,
      proposals: this.#proposals,
      space: this.#space,
      soft: () => this.#soft,
      stopped: () => this.#stopped,
      askLeader: (name, argument) => {
        if (this.#wires === undefined) return Promise.reject(new Error('no leader is known'));
        return this.#wires.askLeader(this.#soft.leader, name, argument);
      },
      poke,
    });
  }

  get control(): PeerControl {
    return this.#controls.control;
  }

  get addresses(): readonly string[] {
    return this.#wires?.addresses ?? [];
  }

  /** Begins to take part. */
  async start(): Promise<void> {
    const { config, state } = this.#parts;
    await this.#members.load(state.machine);
    this.#stops.push(this.#startTicking());
    const { voters } = this.#raft.status().config;
    // Alone there is nobody to wait for.
    if (voters.length === 1 && voters[0] === this.#raft.status().id) this.#raft.campaign();
    this.#loop.poke();
    if (config.network === undefined) return;
    const opening = this.#openWires();
    this.#opening = opening.catch(() => {});
    // A peer alone need not wait until it can be joined; but when it can not be, that must not go unseen.
    if (voters.length === 1) opening.catch((error) => this.fail(error));
    else await opening;
  }

  async #openWires(): Promise<void> {
    const { config, world, metrics, state, log, events } = this.#parts;
    const openWires = this.#parts.openWires ?? (await import('./wires.js')).openWires;
    if (this.#stopped !== undefined) return;
    const wires = await openWires({
      config,
      world,
      metrics,
      state,
      raft: this.#raft,
      members: this.#members,
      receiver: this.#receiver,
      self: toPeerId(log.identity.peerId),
      clusterId: log.identity.clusterId,
      sink: incoming({
        raft: this.#raft,
        proposals: this.#proposals,
        checks: this.#checks,
        network: () => this.#network,
        leadership: () => this.#soft,
        stopped: () => this.#stopped !== undefined,
        poke: () => this.#loop.poke(),
        fail: (error) => this.fail(error),
      }),
      control: (name, argument) => this.#controls.passedOn(name, argument),
      poke: () => this.#loop.poke(),
      stopped: () => this.#stopped,
      note: events.note ?? (() => {}),
    });
    this.#wires = wires;
    this.#network = wires.network;
    if (this.#stopped !== undefined) return wires.network.close();
    this.#stops.push(world.timers.every(CONTROL_LIMITS.tendEveryMs, () => void this.#members.tend()));
    this.#connect();
    return undefined;
  }

  #connect(): void {
    const peers = new Map<PeerId, readonly string[]>();
    for (const { id, peerUrls } of this.#members.list()) peers.set(toPeerId(id), peerUrls);
    this.#network.setPeers(peers);
  }

  #startTicking(): () => void {
    const { config, world, metrics } = this.#parts;
    let due = world.clock.monotonic() + config.heartbeatMs;
    return world.timers.every(config.heartbeatMs, () => {
      const now = world.clock.monotonic();
      metrics.heartbeatLateness.observe(Math.max(0, now - due) / 1000);
      due = now + config.heartbeatMs;
      try {
        this.#raft.tick();
      } catch (error) {
        this.fail(error);
      }
      this.#proposals.expire();
      this.#reads.expire();
      this.#loop.poke();
    });
  }

  #propose(command: Uint8Array): Promise<TxnResult> {
    const answer = this.#proposals.submit(command);
    this.#loop.poke();
    return answer;
  }

  #roleChanged(soft: SoftState): void {
    const { metrics, events } = this.#parts;
    if (soft.leader !== this.#soft.leader && soft.leader !== NO_PEER) metrics.leaderChanges++;
    if (this.#soft.role === 'leader' && soft.role !== 'leader') {
      this.#members.lostLeadership(this.#raft.status().commit);
    }
    this.#soft = soft;
    this.#proposals.retryHeld();
    this.#loop.poke();
    events.progressed?.();
  }

  /** A batch found no space. */
  stateBlocked(): void {
    if (this.#stopped !== undefined) return;
    if (!this.#blocked) this.#parts.events.note?.('error', 'no space left for the state: it waits until there is room');
    this.#blocked = true;
    this.#journal.blocked();
    this.#space.blocked();
  }

  #stateGoesOn(): void {
    if (!this.#blocked) return;
    this.#blocked = false;
    this.#space.unblocked();
    this.#journal.unblocked();
    this.#parts.events.note?.('info', 'there is room for the state again');
  }

  /** Called as each batch is written, before its watches and answers. */
  batchApplied({ events }: Applied): void {
    this.#stateGoesOn();
    const newest = events.at(-1)?.revision;
    if (newest === undefined) return;
    this.#newestWrite = newest;
    this.#members.applied(events);
    const { metrics } = this.#parts;
    for (const { changes } of events) {
      for (const { kind } of changes) {
        if (kind === 'put') metrics.puts++;
        else metrics.deletes++;
      }
    }
  }

  #applied(index: number): void {
    if (this.#stopped !== undefined) return;
    this.#raft.applied(index as LogIndex);
    this.#journal.applied(index);
    this.#reads.applied();
    this.#housekeeping.look();
    this.#loop.poke();
    this.#parts.events.progressed?.();
  }

  /** A snapshot is here: true when the core will stand on it. */
  #offered(message: Message): boolean {
    invariant(message.kind === 'snapshot', 'only a snapshot is offered');
    if (this.#stopped !== undefined) return false;
    const before = this.#raft.status();
    try {
      this.#raft.step(message);
    } catch (error) {
      // Not a refusal of this snapshot: the core is of no more use.
      this.fail(error);
      return false;
    }
    this.#loop.poke();
    const { index } = message.snapshot;
    return index > before.commit && this.#raft.status().firstIndex === index + 1;
  }

  async #quiesced(): Promise<void> {
    await this.#applier.settled();
    await this.#housekeeping.settled();
  }

  /** The core stands on a snapshot, and there is no room to put it in place. */
  #snapshotWaits(waits: boolean): void {
    const { note } = this.#parts.events;
    if (waits) {
      note?.('error', 'no space left to put a snapshot in place: it waits until there is room');
      this.#space.blocked();
    } else {
      note?.('info', 'there is room for the snapshot again');
      this.#space.unblocked();
    }
  }

  async #replace(engine: Engine, { index, term }: SnapshotMeta): Promise<void> {
    const { state } = this.#parts;
    await state.replace(engine);
    const { applied } = state.machine;
    invariant(toLogIndex(applied) === index, `a snapshot of ${index} holds the state of ${applied}`);
    this.#applier.replace(state.machine);
    // What the old state waited for, the new one need not.
    this.#stateGoesOn();
    this.#newestWrite = index;
    this.#journal.applied(index);
    this.#proposals.overtaken(term);
    this.#members.giveUp();
    this.#reads.applied();
    this.#parts.events.progressed?.();
    await this.#members.load(state.machine);
  }

  /** The state is not that of most peers: neither this process nor the next may serve it. */
  #differs(message: string): void {
    const { config, events } = this.#parts;
    try {
      if (config.dataDir !== undefined) keepRefusal(stateFolderOf(config.dataDir), message);
    } catch (error) {
      events.note?.('error', `it could not be noted that the state must not be served: ${(error as Error).message}`);
    }
    this.fail(new Error(message));
  }

  /** Something broke that must not break: nothing is answered any more, and the owner hears of it. */
  fail(cause: unknown): void {
    if (this.#stopped !== undefined) return;
    const error = cause instanceof Error ? cause : new Error(String(cause));
    this.#stop(`this peer has stopped: ${error.message}`);
    void this.#network.close();
    this.#parts.events.fatal?.(error);
  }

  #stop(why: string): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = why;
    this.#soft = { ...this.#soft, role: 'follower', leader: NO_PEER };
    for (const stop of this.#stops) stop();
    this.#loop.stop();
    this.#duties.stop();
    void this.#space.stop();
    this.#parts.state.giveUp();
    this.#proposals.stop(why);
    this.#reads.stop(why);
    this.#members.giveUp();
    this.#receiver.close();
    this.#journal.giveUp(why);
    this.#parts.state.hub.stop(why);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#stopped === undefined) await this.#drain();
    this.#stop('this peer is closed');
    // Whoever comes next wants the addresses.
    await this.#opening;
    await this.#network.close();
    await this.#quiesced();
    // A snapshot that is being put in place is put there, or not: but nobody goes on with it when the folder belongs to the next.
    await this.#loop.settled();
    await this.#receiver.settled();
    await this.#space.stop();
    await this.#journal.close();
    await this.#parts.state.close('this peer is closed');
  }

  /** What was taken is answered, if that does not take too long, and a leader with others hands over. */
  async #drain(): Promise<void> {
    const { world } = this.#parts;
    let cancel = (): void => {};
    const late = new Promise<void>((resolve) => {
      cancel = world.timers.after(PROPOSAL_LIMITS.drainMs, resolve);
    });
    const handOver = async (): Promise<void> => {
      await this.#proposals.drain('this peer is closing');
      const others = this.#raft.status().config.voters.length > 1;
      if (others && this.#soft.role === 'leader') await this.control.moveLeader(0);
    };
    await Promise.race([handOver(), late]);
    cancel();
  }
}
