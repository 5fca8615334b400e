import { NO_PEER, toLogIndex, toPeerId } from '../../../raft/index.js';
import type { World } from '../../base/index.js';
import type { ReplicatedState } from '../apply/index.js';
import type { Identity, PeerConfig, PeerMetrics } from '../common/index.js';
import type { DrivenRaft } from '../consensus/index.js';
import type { Journal, Space } from '../durability/index.js';
import {
  type AddMember,
  type ControlResult,
  HAS_STARTED,
  HAS_STARTED_CONFIRMED,
  type HasStarted,
  hasStartedIn,
  isBlank,
  type ListMembers,
  type MemberReport,
  type Members,
  type UpdateMember,
} from '../membership/index.js';
import type { Proposals, Reads } from '../requests/index.js';
import { type SavedSnapshot, saveSnapshot } from '../snapshot/index.js';
import type { PeerControl, PeerReport } from './control.js';

export interface ControlParts {
  readonly config: PeerConfig;
  readonly world: World;
  /** Whether a joining peer is answered after a linearizable read (`PeerRules`). */
  readonly confirmsJoins: boolean;
  readonly identity: Identity;
  readonly raft: Pick<DrivenRaft, 'status' | 'soft' | 'configAt' | 'transferLeadership'>;
  readonly state: ReplicatedState;
  readonly journal: Journal;
  readonly metrics: PeerMetrics;
  readonly members: Members;
  readonly proposals: Proposals;
  readonly reads: Reads;
  readonly space: Space;
  /** Why this peer does not serve, or takes no writes; undefined when healthy. */
  problem(): string | undefined;
  askLeader(name: string, argument: unknown): Promise<unknown>;
}

/** The calls that only a leader runs and that other peers forward to it. */
const LEADER_CALLS = ['addMember', 'updateMember', 'promoteMember', 'removeMember', 'moveLeader'] as const;

/** The answer of a peer that received a call for the leader but does not lead. It has changed nothing. */
const NOT_LEADER = 'the leader has changed: try again';

export interface PeerControls {
  readonly control: PeerControl;
  /** A call that another peer forwarded. */
  forwarded(name: string, argument: unknown): Promise<unknown>;
}

export function peerControls(parts: ControlParts): PeerControls {
  const { members } = parts;
  const here: Pick<PeerControl, (typeof LEADER_CALLS)[number]> = {
    addMember: (request) => members.add(request),
    updateMember: (request) => members.update(request),
    promoteMember: (id) => members.promote(id),
    removeMember: (id) => members.remove(id),
    moveLeader: (id) => moveLeader(parts, id),
  };
  const atLeader = async <T>(name: (typeof LEADER_CALLS)[number], argument: unknown): Promise<ControlResult<T>> => {
    const { world, config } = parts;
    const deadline = world.clock.monotonic() + 2 * config.electionMs;
    for (;;) {
      const { role, leader } = parts.raft.soft;
      if (role === 'leader') return runHere(here, name, argument) as Promise<ControlResult<T>>;
      const late = world.clock.monotonic() > deadline;
      if (leader === NO_PEER && late) return { kind: 'refused', message: 'no leader is known: try again' };
      if (leader !== NO_PEER) {
        try {
          const result = (await parts.askLeader(name, argument)) as ControlResult<T>;
          // The other peer changed nothing, so the call may be repeated on the new leader.
          if (result.kind !== 'refused' || result.message !== NOT_LEADER || late) return result;
        } catch (error) {
          return { kind: 'unknown', message: `the leader did not answer: ${(error as Error).message}` };
        }
      }
      await new Promise<void>((resolve) => world.timers.after(config.heartbeatMs, resolve));
    }
  };
  return {
    control: {
      report: async () => report(parts),
      metrics: async () => metricsOf(parts),
      members: (request) => listMembers(parts, request),
      addMember: (request) => atLeader('addMember', request),
      updateMember: (request) => atLeader('updateMember', request),
      promoteMember: (id) => atLeader('promoteMember', id),
      removeMember: (id) => atLeader('removeMember', id),
      moveLeader: (id) => atLeader('moveLeader', id),
      saveSnapshot: (file) => save(parts, file),
    },
    forwarded: async (name, argument) => {
      if (name === HAS_STARTED) {
        const answer: HasStarted = {
          clusterId: parts.identity.clusterId,
          started: members.mayHavePromised(Number(argument)),
          blank: isBlank(parts.raft.status()),
        };
        return answer;
      }
      if (name === HAS_STARTED_CONFIRMED) return hasStartedConfirmed(parts, Number(argument));
      const known = LEADER_CALLS.find((call) => call === name);
      if (known === undefined) throw new Error(`unknown control call ${name}`);
      if (parts.raft.soft.role !== 'leader') return { kind: 'refused', message: NOT_LEADER };
      return runHere(here, known, argument);
    },
  };
}

/**
 * Waits until this peer has applied everything that was committed before the call. Entries may be committed because the member has
 * acknowledged them, before its own record of taking part is: the leader that counted on it knows.
 */
async function hasStartedConfirmed(parts: ControlParts, id: number): Promise<HasStarted> {
  const { reads, state, identity, raft, members, askLeader, confirmsJoins } = parts;
  if (!confirmsJoins) return { clusterId: identity.clusterId, started: members.hasStarted(id) };
  const read = await reads.submit();
  if (read.kind !== 'ok') throw new Error(read.message);
  // Read the state, because the records in memory are updated only after a snapshot has replaced the state.
  const { started, removed } = await hasStartedIn(state.machine, id);
  const { clusterId } = identity;
  if (started) return { clusterId, started, removed };
  const promised =
    raft.soft.role === 'leader'
      ? members.mayHavePromised(id)
      : ((await askLeader(HAS_STARTED, id)) as HasStarted).started;
  return { clusterId, started: promised, removed };
}

/**
 * Lists the members as of the applied state. The configuration in force may be newer, but a change that is not committed may still be
 * undone.
 */
async function listMembers(
  { members, raft, reads, state }: ControlParts,
  { linearizable = true }: ListMembers = {},
): Promise<ControlResult<readonly MemberReport[]>> {
  if (linearizable) {
    const read = await reads.submit();
    if (read.kind !== 'ok') return { kind: 'refused', message: read.message };
  }
  const config = raft.configAt(toLogIndex(state.machine.applied));
  // A joining peer begins with a log that does not say who the members are.
  if (config.voters.length === 0) return { kind: 'refused', message: 'this peer does not know the members yet' };
  return { kind: 'ok', value: members.list(config) };
}

function runHere(
  here: Pick<PeerControl, (typeof LEADER_CALLS)[number]>,
  name: (typeof LEADER_CALLS)[number],
  argument: unknown,
): Promise<ControlResult<unknown>> {
  if (name === 'addMember') return here.addMember(argument as AddMember);
  if (name === 'updateMember') return here.updateMember(argument as UpdateMember);
  return here[name](Number(argument));
}

async function moveLeader(parts: ControlParts, id: number): Promise<ControlResult<null>> {
  const { raft, world, config } = parts;
  const { id: self, transferringTo, peers } = raft.status();
  const best = [...peers]
    .filter((peer) => peer.id !== self && !peer.learner && peer.recentlyActive)
    .sort((a, b) => b.match - a.match)[0];
  // The leader is the target already: nothing to do, as in etcd.
  if (id === self) return { kind: 'ok', value: null };
  // Joins a transfer that is under way, unless it has another target.
  const any = transferringTo === NO_PEER ? best?.id : transferringTo;
  const to = id === 0 ? any : toPeerId(id);
  if (to === undefined) return { kind: 'refused', message: 'there is no other voter to transfer leadership to' };
  const result = raft.transferLeadership(to);
  if (result.kind === 'refused')
    return { kind: 'refused', message: `leadership cannot be transferred: ${result.reason}` };
  const deadline = world.clock.monotonic() + 2 * config.electionMs;
  while (parts.raft.soft.leader !== to) {
    if (world.clock.monotonic() > deadline)
      return { kind: 'refused', message: 'the other peer did not take over in time' };
    await new Promise<void>((resolve) => world.timers.after(config.heartbeatMs, resolve));
  }
  return { kind: 'ok', value: null };
}

async function save({ state, world }: ControlParts, file: string): Promise<ControlResult<SavedSnapshot>> {
  try {
    return { kind: 'ok', value: await saveSnapshot(state.machine, file, world.random) };
  } catch (error) {
    return { kind: 'refused', message: `the snapshot could not be saved: ${(error as Error).message}` };
  }
}

function report(parts: ControlParts): PeerReport {
  const { config, identity, raft, state, journal, space } = parts;
  const { id, role, leader, term, lastIndex, commit, firstIndex, peers, config: membership } = raft.status();
  const problem = parts.problem();
  return {
    clusterId: identity.clusterId,
    id,
    name: identity.name,
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
    walBytes: journal.sizeBytes,
    noSpace: space.problem !== undefined,
    ...(problem === undefined ? {} : { problem }),
    peers: peers
      .filter((peer) => peer.id !== id)
      .map((peer) => ({
        id: peer.id,
        match: peer.match,
        state: peer.state,
        active: peer.recentlyActive,
        learner: peer.learner,
        caughtUp: peer.caughtUp,
      })),
  };
}

function metricsOf({ config, raft, state, metrics, proposals }: ControlParts) {
  const { machine } = state;
  const { id, commit, config: membership } = raft.status();
  return metrics.collect({
    id,
    hasLeader: raft.soft.leader !== NO_PEER,
    isLeader: raft.soft.role === 'leader',
    isLearner: membership.learners.includes(id),
    proposalsPending: proposals.pending,
    commit,
    applied: machine.applied,
    quotaBytes: config.quotaBytes,
    sizeBytes: machine.sizeBytes,
    sizeInUseBytes: machine.sizeInUseBytes,
    compacted: machine.compacted,
    keys: machine.counts.keys,
  });
}
