import { join } from 'node:path';
import {
  type Configuration,
  DEFAULT_LIMITS,
  type LogIndex,
  type Message,
  NO_PEER,
  type RaftLimits,
  RaftNode,
  type SoftState,
  toLogIndex,
  toPeerId,
  type Write,
} from '../../raft/index.js';
import type { World } from '../base/index.js';
import { type Applied, memoryHome, rocksHome, type TxnResult } from '../storage/index.js';
import { Applier } from './applier.js';
import type { PeerConfig } from './config.js';
import type { PeerControl, PeerReport } from './control.js';
import { Duties } from './duties.js';
import type { PeerEvents } from './events.js';
import { Housekeeping } from './housekeeping.js';
import { type PeerKeyspace, peerKeyspace } from './keyspace.js';
import { PROPOSAL_LIMITS } from './limits.js';
import { ReadyLoop } from './loop.js';
import { type MetricData, PeerMetrics } from './metrics.js';
import { type Network, SILENT_NETWORK } from './network.js';
import { foundCluster, type OpenedLog, openLog } from './open.js';
import { Proposals } from './proposals.js';
import { Reads } from './reads.js';
import { Space } from './space.js';
import { ReplicatedState } from './state.js';
import { LogCorruptError } from './wal/recover.js';

/** One member of the cluster, running. */
export interface Peer {
  readonly keyspace: PeerKeyspace;
  readonly control: PeerControl;
  close(): Promise<void>;
}

/** Opens log and state, brings them together and takes part in the cluster. Rejects with a one-line reason when it can not. */
export async function openPeer(config: PeerConfig, world: World, events: PeerEvents = {}): Promise<Peer> {
  const metrics = new PeerMetrics();
  const late: { peer?: RunningPeer } = {};
  const home = config.dataDir === undefined ? memoryHome() : rocksHome(join(config.dataDir, 'db'));
  // First, because it takes the lock of the folder.
  const state = await ReplicatedState.open(home, {
    world,
    fail: (error) => late.peer?.fail(error),
    applied: (batch) => {
      countChanges(batch, metrics);
      late.peer?.noteApplied(batch.events.at(-1)?.revision);
    },
  });
  try {
    const log = await openLog(config, world, metrics, state.machine.applied, async () => foundCluster(config));
    late.peer = new RunningPeer({ config, world, events, metrics, state, log });
    return late.peer;
  } catch (error) {
    await state.close('the peer did not start');
    throw error;
  }
}

interface PeerParts {
  readonly config: PeerConfig;
  readonly world: World;
  readonly events: PeerEvents;
  readonly metrics: PeerMetrics;
  readonly state: ReplicatedState;
  readonly log: OpenedLog;
}

class RunningPeer implements Peer {
  readonly keyspace: PeerKeyspace;
  readonly control: PeerControl;
  readonly #parts: PeerParts;
  readonly #raft: RaftNode;
  readonly #loop: ReadyLoop;
  readonly #applier: Applier;
  readonly #proposals: Proposals;
  readonly #reads: Reads;
  readonly #space: Space;
  readonly #housekeeping: Housekeeping;
  readonly #duties: Duties;
  readonly #network: Network = SILENT_NETWORK;
  readonly #stopTicking: () => void;
  #soft: SoftState;
  #newestWrite: number;
  #stopped: string | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: PeerParts) {
    this.#parts = parts;
    const { config, world, metrics, state, log } = parts;
    const { monotonic } = world.clock;
    const raft = startRaft(parts);
    this.#raft = raft;
    this.#soft = { role: 'follower', term: raft.status().term, leader: NO_PEER };
    this.#newestWrite = state.machine.applied;

    const timing = { now: monotonic, electionTimeoutMs: config.electionMs };
    const origin = Buffer.from(world.random.bytes(6)).readUIntLE(0, 6);
    this.#proposals = new Proposals(
      {
        ...timing,
        propose: (data) => raft.propose(data),
        forward: (leader, id, data) => this.#network.forward(leader, id, data),
        leader: () => this.#soft.leader,
      },
      origin,
    );
    this.#reads = new Reads({
      ...timing,
      readIndex: (context) => raft.readIndex(context),
      applied: () => state.machine.applied,
    });
    this.#space = new Space({
      world,
      directory: config.dataDir,
      quotaBytes: config.quotaBytes,
      reserveBytes: config.diskReserveBytes,
      stateBytes: () => state.machine.sizeBytes,
      logHasRoom: () => log.journal.hasRoom,
    });
    this.#applier = new Applier(state.machine, {
      proposals: this.#proposals,
      metrics,
      now: monotonic,
      applied: (index) => this.#applied(index),
      checked: () => {},
      memberEntry: () => {},
      fail: (error) => this.fail(error),
    });
    const shared = { raft, tail: log.tail, journal: log.journal, fail: (error: unknown) => this.fail(error) };
    this.#housekeeping = new Housekeeping({
      ...shared,
      metrics,
      now: monotonic,
      machine: () => state.machine,
      snapshotCount: config.snapshotCount,
    });
    this.#loop = new ReadyLoop({
      ...shared,
      reads: this.#reads,
      send: (messages) => this.#send(messages),
      apply: (entries) => this.#applier.push(entries),
      install: (write, persist) => this.#install(write, persist),
      roleChanged: (soft) => this.#roleChanged(soft),
      membersChanged: (members) => this.#membersChanged(members),
    });
    this.#duties = new Duties({
      world,
      isLeader: () => this.#soft.role === 'leader',
      voters: () => raft.status().config.voters.length,
      machine: () => state.machine,
      newestWrite: () => this.#newestWrite,
      propose: (command) => this.#propose(command),
      compactionRetentionMs: config.compactionRetentionMs,
      hashCheckMs: config.hashCheckMs,
    });
    this.keyspace = peerKeyspace({
      proposals: this.#proposals,
      reads: this.#reads,
      space: this.#space,
      state,
      metrics,
      poke: () => this.#loop.poke(),
      leadership: () => ({ isLeader: this.#soft.role === 'leader', hasLeader: this.#soft.leader !== NO_PEER }),
      close: () => this.close(),
    });
    this.control = {
      report: async () => this.#report(),
      metrics: async () => this.#metrics(),
    };
    this.#stopTicking = this.#startTicking();
    // Alone there is nobody to wait for.
    const { voters } = raft.status().config;
    if (voters.length === 1 && voters[0] === log.identity.peerId) raft.campaign();
    this.#loop.poke();
  }

  #startTicking(): () => void {
    const { config, world, metrics } = this.#parts;
    let due = world.clock.monotonic() + config.heartbeatMs;
    return world.timers.every(config.heartbeatMs, () => {
      const now = world.clock.monotonic();
      metrics.heartbeatLateness.observe(Math.max(0, now - due) / 1000);
      due = now + config.heartbeatMs;
      this.#raft.tick();
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

  #send(messages: readonly Message[]): void {
    this.#network.send(messages);
  }

  #roleChanged(soft: SoftState): void {
    if (soft.leader !== this.#soft.leader && soft.leader !== NO_PEER) this.#parts.metrics.leaderChanges++;
    this.#soft = soft;
    this.#proposals.retryHeld();
    this.#loop.poke();
    this.#parts.events.progressed?.();
  }

  #membersChanged(_config: Configuration): void {}

  async #install(_write: Write, _persist: () => Promise<void>): Promise<void> {
    throw new Error('a peer alone receives no snapshot');
  }

  /** Called as each batch is written, before its watches and answers. */
  noteApplied(newest: number | undefined): void {
    if (newest !== undefined) this.#newestWrite = newest;
  }

  #applied(index: number): void {
    if (this.#stopped !== undefined) return;
    this.#raft.applied(index as LogIndex);
    this.#reads.applied();
    this.#housekeeping.look();
    this.#loop.poke();
    this.#parts.events.progressed?.();
  }

  /** Something broke that must not break: nothing is answered any more, and the owner hears of it. */
  fail(cause: unknown): void {
    if (this.#stopped !== undefined) return;
    const error = cause instanceof Error ? cause : new Error(String(cause));
    this.#stop(`this peer has stopped: ${error.message}`);
    this.#parts.events.fatal?.(error);
  }

  #stop(why: string): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = why;
    this.#stopTicking();
    this.#loop.stop();
    this.#duties.stop();
    this.#space.stop();
    this.#proposals.stop(why);
    this.#reads.stop(why);
    this.#parts.state.hub.stop(why);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #report(): PeerReport {
    const { config, state, log } = this.#parts;
    const { id, role, leader, term, lastIndex, commit, firstIndex, peers, config: membership } = this.#raft.status();
    const problem = this.#stopped ?? this.#space.problem;
    return {
      clusterId: log.identity.clusterId,
      id,
      name: log.identity.name,
      version: config.version,
      role: membership.learners.includes(id) ? 'learner' : role,
      leader,
      term,
      lastIndex,
      commit,
      applied: state.machine.applied,
      firstIndex,
      sizeBytes: state.machine.sizeBytes,
      sizeInUseBytes: state.machine.sizeInUseBytes,
      quotaBytes: config.quotaBytes,
      walBytes: log.journal.sizeBytes,
      noSpace: this.#space.problem !== undefined,
      ...(problem === undefined ? {} : { problem }),
      peers: peers
        .filter((peer) => peer.id !== id)
        .map(({ id, match, state, recentlyActive: active, learner, caughtUp }) => ({
          id,
          match,
          state,
          active,
          learner,
          caughtUp,
        })),
    };
  }

  #metrics(): readonly MetricData[] {
    const { config, state, metrics } = this.#parts;
    const { machine } = state;
    const { id, commit, config: membership } = this.#raft.status();
    return metrics.collect({
      id,
      hasLeader: this.#soft.leader !== NO_PEER,
      isLeader: this.#soft.role === 'leader',
      isLearner: membership.learners.includes(id),
      proposalsPending: this.#proposals.pending,
      commit,
      applied: machine.applied,
      quotaBytes: config.quotaBytes,
      sizeBytes: machine.sizeBytes,
      sizeInUseBytes: machine.sizeInUseBytes,
      compacted: machine.compacted,
      keys: machine.counts.keys,
    });
  }

  /** What was taken is answered, if that does not take too long. */
  async #drain(): Promise<void> {
    let cancel = (): void => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.#parts.world.timers.after(PROPOSAL_LIMITS.drainMs, resolve);
    });
    await Promise.race([this.#proposals.drain('this peer is closing'), late]);
    cancel();
  }

  async #close(): Promise<void> {
    if (this.#stopped === undefined) await this.#drain();
    this.#stop('this peer is closed');
    await this.#network.close();
    await this.#applier.settled();
    await this.#housekeeping.settled();
    await this.#parts.log.journal.close();
    await this.#parts.state.close('this peer is closed');
  }
}

function countChanges({ events }: Applied, metrics: PeerMetrics): void {
  for (const { changes } of events) {
    for (const { kind } of changes) {
      if (kind === 'put') metrics.puts++;
      else metrics.deletes++;
    }
  }
}

function startRaft({ config, world, state, log }: PeerParts): RaftNode {
  const { tail, identity } = log;
  const applied = state.machine.applied;
  if (applied < tail.base().index) {
    throw new LogCorruptError(`The log begins after entry ${tail.base().index}, but the state ends at ${applied}`);
  }
  if (applied > tail.lastIndex()) {
    throw new LogCorruptError(`The state goes up to entry ${applied}, but the log ends at ${tail.lastIndex()}`);
  }
  const limits: RaftLimits = {
    ...DEFAULT_LIMITS,
    electionTicks: Math.max(2, Math.ceil(config.electionMs / config.heartbeatMs)),
    heartbeatTicks: 1,
  };
  // What was applied was committed, whatever the log had heard of it by then.
  const hardState = log.hardState && { ...log.hardState, commit: toLogIndex(Math.max(log.hardState.commit, applied)) };
  return new RaftNode({
    id: toPeerId(identity.peerId),
    storage: tail,
    hardState,
    applied: toLogIndex(applied),
    limits,
    random: () => world.random.float(),
  });
}
