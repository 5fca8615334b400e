import { type PeerId, type SnapshotMeta, toLogIndex, toPeerId } from '../../../raft/index.js';
import { invariant, type World } from '../../base/index.js';
import type { Engine } from '../../storage/index.js';
import { Applier, HashChecks, type ReplicatedState } from '../apply/index.js';
import { BackgroundTasks } from '../background/index.js';
import {
  foundingId,
  type NoteLevel,
  type PeerConfig,
  type PeerEvents,
  type PeerMetrics,
  type PeerRules,
} from '../common/index.js';
import { DrivenRaft, startRaft } from '../consensus/index.js';
import { type PeerControls, peerControls } from '../control/index.js';
import { Backpressure, FullDisk, LogCompactor, type OpenedLog, type PeerDisk, Space } from '../durability/index.js';
import { Admission, isBlank, type LoadTransport, Members } from '../membership/index.js';
import { LateTransport } from '../network/index.js';
import {
  ENVELOPE_FORM_MAX,
  type EnvelopeForm,
  type PeerKeyspace,
  Proposals,
  peerKeyspace,
  Reads,
  SoleMember,
} from '../requests/index.js';
import { SnapshotReceiver } from '../snapshot/index.js';
import type { Connections } from './connections.js';

/** The inputs from which a peer is composed. */
export interface PeerBase {
  readonly config: PeerConfig;
  readonly world: World;
  readonly events: PeerEvents;
  readonly metrics: PeerMetrics;
  readonly disk: PeerDisk | undefined;
  readonly state: ReplicatedState;
  readonly log: OpenedLog;
  readonly loadTransport: LoadTransport;
  readonly rules: PeerRules;
}

/** What the parts need from the whole peer. */
export interface Owner {
  readonly connections: Pick<Connections, 'askLeader'>;
  fail(error: unknown): void;
  /** The state differs from the state of most peers. */
  differs(message: string): void;
  /** Why this peer has stopped serving; undefined while it serves. */
  stopped(): string | undefined;
  close(): Promise<void>;
}

/** The parts of a peer. */
export interface Parts {
  readonly raft: DrivenRaft;
  readonly journal: Backpressure;
  readonly transport: LateTransport;
  readonly proposals: Proposals;
  readonly reads: Reads;
  readonly sole: SoleMember;
  readonly space: Space;
  readonly fullDisk: FullDisk;
  readonly admission: Admission;
  readonly members: Members;
  readonly checks: HashChecks;
  readonly applier: Applier;
  readonly compactor: LogCompactor;
  readonly receiver: SnapshotReceiver;
  readonly tasks: BackgroundTasks;
  readonly keyspace: PeerKeyspace;
  readonly controls: PeerControls;
}

/** Makes the parts, each from those before it, and connects the outputs of the consensus core to them. */
export function assemble(base: PeerBase, owner: Owner): Parts {
  const durability = durabilityParts(base, owner);
  const raft = drivenRaft(base, durability, owner);
  const transport = new LateTransport();
  const requests = requestParts(base, raft, transport, durability, () => members.entryForm as EnvelopeForm);
  const members: Members = membersOf(base, raft, requests.proposals, transport, owner);
  const checks = checksOf(base, raft, transport, members, owner);
  const compactor = compactorOf(base, raft, durability, owner);
  const admission = admissionOf(base, raft, owner);
  const core = { raft, transport, admission, members, checks, compactor, ...durability, ...requests };
  const applier = applierOf(base, core, owner);
  const receiver = receiverOf(base, { ...core, applier });
  const parts = { ...core, applier, receiver };
  return {
    ...parts,
    tasks: tasksOf(base, parts),
    keyspace: keyspaceOf(base, parts, owner),
    controls: controlsOf(base, parts, owner),
  };
}

type Durability = ReturnType<typeof durabilityParts>;
type Requests = ReturnType<typeof requestParts>;
type Core = Durability &
  Requests &
  Pick<Parts, 'raft' | 'transport' | 'admission' | 'members' | 'checks' | 'compactor'>;

const noteOf = ({ events }: PeerBase): ((level: NoteLevel, message: string) => void) => events.note ?? (() => {});

function durabilityParts(base: PeerBase, owner: Owner) {
  const { config, world, disk, state, log } = base;
  const journal = new Backpressure(log.journal);
  const space = new Space({
    world,
    disk,
    quotaBytes: config.quotaBytes,
    reserveBytes: config.diskReserveBytes,
    stateBytes: () => state.machine.sizeInUseBytes,
    stateBytesOnDisk: () => state.machine.sizeBytes,
    logHasRoom: () => journal.hasRoom,
    lost: owner.fail,
  });
  return { journal, space, fullDisk: new FullDisk({ space, journal, note: noteOf(base) }) };
}

function drivenRaft({ config, world, state, log }: PeerBase, { journal }: Durability, { fail }: Owner): DrivenRaft {
  const raft = startRaft(config, world, state.machine.applied, log);
  return new DrivenRaft({ raft, tail: log.tail, journal, timers: world.timers, fail });
}

function requestParts(
  base: PeerBase,
  raft: DrivenRaft,
  transport: LateTransport,
  { space }: Durability,
  entryForm: () => EnvelopeForm,
) {
  const { config, world, state } = base;
  const timing = { now: () => world.clock.monotonic(), electionTimeoutMs: config.electionMs };
  const proposals = new Proposals(
    {
      ...timing,
      propose: (data) => raft.propose(data),
      forward: (leader, proposal) => transport.forward(leader, proposal),
      leadership: () => raft.soft,
      form: () => entryForm(),
      ...(config.entryForms === undefined ? {} : { reads: config.entryForms.reads }),
      malformed: (why) => malformedEntry(base, why),
    },
    Buffer.from(world.random.bytes(6)).readUIntLE(0, 6),
  );
  const sole = new SoleMember({
    self: toPeerId(base.log.identity.peerId),
    configuration: () => raft.config,
    leadsByCommitted: () => raft.status().configIsCommitted,
  });
  const reads = new Reads({
    ...timing,
    readIndex: (open) => raft.readIndex(open),
    sole: () => sole.period(),
    applied: () => state.machine.applied,
    standstill: () => space.standstill,
  });
  return { proposals, reads, sole };
}

function membersOf(
  base: PeerBase,
  raft: DrivenRaft,
  proposals: Proposals,
  transport: LateTransport,
  owner: Owner,
): Members {
  const { config, world, metrics, log, rules, disk } = base;
  const members: Members = new Members({
    world,
    self: toPeerId(log.identity.peerId),
    clusterId: log.identity.clusterId,
    files: disk?.files,
    founders: config.initialCluster.map((member) => ({
      ...member,
      id: foundingId(member, config.initialClusterToken),
    })),
    rules,
    entryForms: config.entryForms ?? { reads: ENVELOPE_FORM_MAX, writes: ENVELOPE_FORM_MAX },
    isLeader: () => raft.isLeader,
    term: () => raft.soft.term,
    configurationIsCommitted: () => !rules.recordsCommittedRemovals || raft.status().configIsCommitted,
    configuration: () => raft.config,
    caughtUp: (member) => raft.status().peers.some((peer) => peer.id === member && peer.caughtUp),
    change: (change) => raft.proposeConfigChange({ changes: [change] }),
    propose: (command, options) => proposals.submit(command, rules.recordsCommittedRemovals ? options : {}),
    malformed: (why) => malformedEntry(base, why),
    fail: owner.fail,
    changed: () => connectMembers(members, transport),
    promoted: () => {
      metrics.learnerPromotions++;
    },
    note: noteOf(base),
  });
  return members;
}

function admissionOf(base: PeerBase, raft: DrivenRaft, { fail }: Owner): Admission {
  const { config, world, log, rules } = base;
  return new Admission({
    config,
    world,
    identity: log.identity,
    isBlank: rules.admitsFounders && isBlank(raft.status()),
    fail,
    note: noteOf(base),
  });
}

/** A malformed entry changes nothing; it is counted and logged. */
function malformedEntry({ metrics, events, rules }: PeerBase, why: string): void {
  invariant(rules.ignoresMalformed, why);
  metrics.malformedEntries++;
  events.note?.('error', `an entry of the log changes nothing: ${why}`);
}

/** Connects this peer with all members. */
export function connectMembers(members: Members, transport: LateTransport): void {
  const peers = new Map<PeerId, readonly string[]>();
  for (const { id, peerUrls } of members.list()) peers.set(toPeerId(id), peerUrls);
  transport.setPeers(peers);
}

function checksOf(
  base: PeerBase,
  raft: DrivenRaft,
  transport: LateTransport,
  members: Members,
  owner: Owner,
): HashChecks {
  return new HashChecks({
    self: toPeerId(base.log.identity.peerId),
    rules: base.rules,
    voters: () => raft.config.voters,
    describe: (peer) => members.describe(peer),
    send: (at, hashes) => transport.sendHashes(at, hashes),
    differs: (message) => owner.differs(message),
    note: noteOf(base),
  });
}

function compactorOf(base: PeerBase, raft: DrivenRaft, { journal }: Durability, { fail }: Owner): LogCompactor {
  const { config, world, metrics, state, log } = base;
  return new LogCompactor({
    raft,
    tail: log.tail,
    journal,
    metrics,
    machine: () => state.machine,
    now: () => world.clock.monotonic(),
    snapshotCount: config.snapshotCount,
    fail,
  });
}

function applierOf(base: PeerBase, core: Core, owner: Owner): Applier {
  const { world, metrics, state, events } = base;
  const { raft, proposals, journal, reads, compactor, checks, members } = core;
  return new Applier(state.machine, {
    proposals,
    metrics,
    now: () => world.clock.monotonic(),
    applied: (index) => {
      if (owner.stopped() !== undefined) return;
      raft.applied(toLogIndex(index));
      journal.applied(index);
      reads.applied();
      compactor.look();
      events.progressed?.();
    },
    checked: (at, hashes) => checks.own(at, hashes),
    malformed: (why) => malformedEntry(base, why),
    memberEntry: (entry) => members.committed(entry),
    fail: owner.fail,
  });
}

function receiverOf(base: PeerBase, parts: Core & { readonly applier: Applier }): SnapshotReceiver {
  const { rules, world, metrics, disk, state, log } = base;
  const { raft, space, fullDisk, applier, compactor } = parts;
  return new SnapshotReceiver({
    world,
    metrics,
    home: state.home,
    clusterId: log.identity.clusterId,
    self: toPeerId(log.identity.peerId),
    rules,
    files: disk?.files,
    offer: (message) => raft.offerSnapshot(message),
    quiesced: async () => {
      await applier.settled();
      await compactor.settled();
    },
    noRoom: () => space.snapshotProblem,
    waitsForRoom: (waits) => fullDisk.snapshotWaits(waits),
    replace: (engine, snapshot) => replaceState(base, parts, engine, snapshot),
  });
}

/** Continues with the state of a snapshot. */
async function replaceState(
  { state, events }: PeerBase,
  parts: Core & { readonly applier: Applier },
  engine: Engine,
  { index, term }: SnapshotMeta,
): Promise<void> {
  const { applier, fullDisk, journal, proposals, members, reads } = parts;
  await state.replace(engine);
  const { applied } = state.machine;
  invariant(toLogIndex(applied) === index, `a snapshot of ${index} holds the state of ${applied}`);
  applier.replace(state.machine);
  // The new state does not need the space that the old one waited for.
  fullDisk.stateWritten();
  journal.applied(index);
  proposals.overtaken(term);
  members.giveUp();
  reads.applied();
  events.progressed?.();
  await members.load(state.machine);
}

function tasksOf({ config, world, state, rules }: PeerBase, { raft, proposals, checks, space }: Core): BackgroundTasks {
  return new BackgroundTasks({
    world,
    isLeader: () => raft.isLeader,
    hasLeader: () => raft.hasLeader,
    voters: () => raft.config.voters.length,
    comparesExpired: rules.comparesExpired,
    machine: () => state.machine,
    newestWrite: () => state.newestWrite,
    shortOfSpace: () => space.problem !== undefined,
    freeBytes: () => space.freeBytes,
    propose: (command) => proposals.submit(command),
    compactionRetentionMs: config.compactionRetentionMs,
    hashCheckMs: config.hashCheckMs,
    checked: () => checks.confirmed,
    suspended: () => checks.suspended !== undefined,
  });
}

function keyspaceOf(
  { state, metrics }: PeerBase,
  { raft, proposals, reads, sole, space, checks }: Core,
  owner: Owner,
): PeerKeyspace {
  return peerKeyspace({
    proposals,
    reads,
    soleCell: sole.cell,
    space,
    state,
    metrics,
    suspended: () => checks.suspended,
    leadership: () => ({ isLeader: raft.isLeader, hasLeader: raft.hasLeader }),
    close: () => owner.close(),
  });
}

function controlsOf({ config, world, metrics, state, log, rules }: PeerBase, core: Core, owner: Owner): PeerControls {
  const { raft, journal, members, proposals, reads, space, checks } = core;
  return peerControls({
    config,
    confirmsJoins: rules.confirmsJoins,
    world,
    identity: log.identity,
    raft,
    state,
    journal,
    metrics,
    members,
    proposals,
    reads,
    space,
    problem: () => owner.stopped() ?? checks.suspended ?? space.problem,
    askLeader: (name, argument) => owner.connections.askLeader(name, argument),
  });
}
