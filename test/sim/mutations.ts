// Cores with one broken rule each. The simulation must detect all of them; otherwise its checkers prove nothing.

import type { LogIndex, PeerId, SafetyRules } from '../../raft/index.js';
import { DEFAULT_LIMITS } from '../../raft/index.js';
import type { HostFaults } from './host.js';
import type { Profile } from './profile.js';

export interface Mutation {
  readonly name: string;
  /** The rule and its source. */
  readonly breaks: string;
  readonly rules?: Partial<SafetyRules>;
  readonly hostFaults?: HostFaults;
  /** The parts of the profile that make the fault likely. The seed draws the others. */
  readonly profile?: Partial<Profile>;
}

const NO_ACTS: Profile['acts'] = {
  crash: 0,
  bounce: 0,
  crashAll: 0,
  restart: 0,
  split: 0,
  isolateLeader: 0,
  cutOneWay: 0,
  heal: 0,
  pause: 0,
  pauseLeader: 0,
  slowDisk: 0,
  hangDisk: 0,
  transfer: 0,
  campaign: 0,
  change: 0,
  changeAndSplit: 0,
  alter: 0,
  burst: 0,
};

/** One entry per message and one message at a time, so that faults interrupt half-done work. */
const SMALL_STEPS: Profile['limits'] = {
  ...DEFAULT_LIMITS,
  electionTicks: 4,
  appendBytesMax: 1,
  inflightMessagesMax: 1,
};

/** Frequent changes of leader, slow disks and power failures. */
const CRASHES: Partial<Profile> = {
  voters: 3,
  spares: 0,
  syncMax: 300,
  nemesisTicks: 2,
  acts: { ...NO_ACTS, crash: 3, bounce: 4, crashAll: 1, restart: 6, campaign: 4, burst: 2, isolateLeader: 2, heal: 4 },
};

/** Leaders are cut off and replaced while they continue. */
const PARTITIONS: Partial<Profile> = {
  voters: 3,
  spares: 0,
  nemesisTicks: 4,
  acts: { ...NO_ACTS, isolateLeader: 4, split: 3, cutOneWay: 2, heal: 4, burst: 2, campaign: 2, pause: 2 },
};

/** Frequent membership changes, several at once, with partitions in between. */
const MEMBERSHIP: Partial<Profile> = {
  voters: 3,
  spares: 3,
  nemesisTicks: 3,
  acts: { ...NO_ACTS, change: 10, isolateLeader: 3, split: 3, heal: 5, campaign: 2, crash: 1, restart: 3, burst: 1 },
};

/** Large membership changes, each with a partition before all peers have received it. */
const SPLIT_CHANGES: Partial<Profile> = {
  ...MEMBERSHIP,
  spares: 4,
  changesAtOnce: [3, 4],
  nemesisTicks: 4,
  chaosTicks: 200,
  delayMax: 30,
  loss: 0,
  stragglers: 0,
  syncMax: 1,
  busyMax: 0,
  reads: 0,
  operationUnits: 100,
  acts: { ...NO_ACTS, changeAndSplit: 8, heal: 8 },
};

/** Frequent compactions, and followers that fall behind. */
const SNAPSHOTS: Partial<Profile> = {
  ...PARTITIONS,
  compaction: 0.5,
  trailing: 0,
  applyMax: 1,
  duplication: 0.2,
  stragglers: 0.2,
  stragglerMax: 1500,
  acts: { ...NO_ACTS, isolateLeader: 4, split: 3, heal: 5, burst: 4, campaign: 2, crash: 1, restart: 3 },
};

function hasMajority(ids: readonly PeerId[], has: (id: PeerId) => boolean): boolean {
  return ids.filter(has).length * 2 > ids.length;
}

function majorityIndex(ids: readonly PeerId[], indexOf: (id: PeerId) => LogIndex): LogIndex {
  return ids.map(indexOf).sort((a, b) => b - a)[ids.length >> 1] ?? (0 as LogIndex);
}

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'votes twice in a term',
    breaks: 'paper 5.2: at most one vote a term, first come first served',
    rules: { voteIsFree: () => true },
    profile: CRASHES,
  },
  {
    name: 'does not compare logs when voting',
    breaks: 'paper 5.4.1: the voter denies its vote if its own log is more up-to-date',
    rules: { isUpToDate: () => true },
  },
  {
    name: 'compares only the length of logs when voting',
    breaks: 'paper 5.4.1: the later last term is more up-to-date, whatever the length',
    rules: { isUpToDate: (candidate, mine) => candidate.index >= mine.index },
    profile: PARTITIONS,
  },
  {
    name: 'half of the voters are a majority',
    breaks: 'paper 5.2: votes from a majority',
    rules: {
      isQuorum: (config, has) => config.voters.filter(has).length * 2 >= config.voters.length,
    },
    profile: { ...PARTITIONS, voters: 4 },
  },
  {
    name: 'commits what any one follower has',
    breaks: 'paper 5.3: stored on a majority',
    rules: {
      quorumIndex: (config, indexOf) =>
        config.voters.map(indexOf).sort((a, b) => b - a)[Math.min(1, config.voters.length - 1)]!,
    },
    profile: { ...PARTITIONS, voters: 5 },
  },
  {
    name: 'counts replicas of older terms',
    breaks: 'paper 5.4.2, figure 8: only entries of the current term are committed by counting',
    rules: { mayCommitByCounting: () => true },
    profile: {
      ...PARTITIONS,
      limits: SMALL_STEPS,
      chaosTicks: 300,
      delayMax: 90,
      syncMax: 1,
      applyMax: 1,
      busyMax: 0,
      operationUnits: 150,
      reads: 0,
    },
  },
  {
    name: 'takes entries without the consistency check',
    breaks: 'paper 5.3: refuses entries when the preceding one is not there',
    rules: { followsOn: (termHere) => termHere !== undefined },
    profile: PARTITIONS,
  },
  {
    name: 'cuts off its log at every append',
    breaks: 'figure 2, AppendEntries 3: only an existing entry that conflicts is deleted',
    rules: { conflicts: () => true },
  },
  {
    name: 'keeps entries that conflict',
    breaks: 'figure 2, AppendEntries 3: an existing entry that conflicts is deleted',
    rules: { conflicts: () => false },
    profile: PARTITIONS,
  },
  {
    name: 'follower commits whatever the leader committed',
    breaks: 'figure 2, AppendEntries 5: min(leaderCommit, index of last new entry)',
    rules: { commitAsFollower: (leaderCommit) => leaderCommit },
  },
  {
    name: 'votes before the vote is durable',
    breaks: 'figure 2: updated on stable storage before responding',
    rules: { waitsForDisk: (kind) => kind === 'appendAccepted' || kind === 'voteRequest' },
    profile: { ...CRASHES, chaosTicks: 250 },
  },
  {
    name: 'acknowledges entries before they are durable',
    breaks: 'figure 2: updated on stable storage before responding',
    rules: { waitsForDisk: (kind) => kind === 'voteReply' || kind === 'voteRequest' },
    profile: CRASHES,
  },
  {
    name: 'asks for votes with a log that is not durable',
    breaks: 'rules.ts: a request for votes claims a log position that a crash must not take away',
    rules: { waitsForDisk: (kind) => kind === 'voteReply' || kind === 'appendAccepted' },
    // A peer whose disk hangs campaigns, gets votes, loses power, and receives the responses again after its restart.
    profile: {
      ...CRASHES,
      limits: { ...SMALL_STEPS, appendBytesMax: 200, electionTicks: 10 },
      chaosTicks: 300,
      nemesisTicks: 3,
      delayMax: 30,
      loss: 0,
      duplication: 0,
      stragglers: 0,
      syncMax: 1,
      busyMax: 0,
      crashAtOnce: 0.8,
      echo: 1,
      operationUnits: 60,
      reads: 0,
      acts: { ...NO_ACTS, hangDisk: 6, campaign: 6, isolateLeader: 4, heal: 3, burst: 2, restart: 1 },
    },
  },
  {
    name: 'leader counts its own log before it is durable',
    breaks: 'dissertation 10.2.1: the leader may commit before its own sync only if a majority of others have synced',
    rules: { ownMatch: (_stable, last) => last },
    profile: CRASHES,
  },
  {
    name: 'candidate counts its own vote before it is durable',
    breaks: 'figure 2: votedFor is persistent state',
    rules: { ownVoteCounts: () => true },
    // With several voters the vote requests, which wait for the same write, would hide it: one voter, and learners.
    profile: {
      ...CRASHES,
      voters: 1,
      spares: 2,
      chaosTicks: 200,
      delayMax: 10,
      loss: 0,
      crashAtOnce: 0.5,
      operationUnits: 20,
      reads: 0,
      acts: { ...NO_ACTS, bounce: 4, change: 4, hangDisk: 4, slowDisk: 2, restart: 2 },
    },
  },
  {
    name: 'forgets its vote in a crash',
    breaks: 'figure 2: votedFor is persistent state',
    hostFaults: { forgetsVote: true },
    // Two peers campaign in one term; a voter for the first restarts before the delayed request of the second arrives.
    profile: {
      ...CRASHES,
      limits: SMALL_STEPS,
      nemesisTicks: 1,
      chaosTicks: 300,
      syncMax: 1,
      applyMax: 1,
      busyMax: 0,
      delayMax: 300,
      loss: 0,
      duplication: 0,
      stragglers: 0,
      drift: 0,
      echo: 0,
      splitAtOnce: 0,
      crashAtOnce: 0,
      compaction: 0,
      reads: 0,
      operationUnits: 1000,
      acts: { ...NO_ACTS, bounce: 8, campaign: 8, crashAll: 1 },
    },
  },
  {
    name: 'syncs nothing',
    breaks: 'figure 2: the log is persistent state',
    hostFaults: { syncsNothing: true },
    profile: { ...CRASHES, compaction: 0 },
  },
  {
    name: 'starts a term without an entry of its own',
    breaks: 'paper 8: a leader commits a blank no-op at the start of its term',
    rules: { startsTermWithNoop: () => false },
  },
  {
    name: 'serves reads before a commit in its term',
    breaks: 'paper 8: before that it may not know which entries are committed',
    rules: { mayServeReads: () => true },
  },
  {
    name: 'serves reads without asking a quorum',
    breaks: 'paper 8: exchanges heartbeats with a majority before it answers',
    rules: { readConfirmed: () => true },
    profile: PARTITIONS,
  },
  {
    name: 'counts responses to an older read round',
    breaks: 'dissertation 6.4: the round begins after the read arrived',
    rules: { readAckCounts: () => true },
    // A leader is paused and replaced, then resumes: new reads precede responses to its old requests.
    profile: {
      ...PARTITIONS,
      limits: { ...SMALL_STEPS, appendBytesMax: 200 },
      chaosTicks: 200,
      nemesisTicks: 3,
      loss: 0,
      duplication: 0.5,
      delayMax: 30,
      stragglers: 0.3,
      stragglerMax: 1500,
      drift: 0.25,
      operationUnits: 20,
      reads: 0.7,
      acts: { ...NO_ACTS, pauseLeader: 6, isolateLeader: 4, heal: 4 },
    },
  },
  {
    name: 'accepts a response to a read of an earlier incarnation',
    breaks: 'messages.ts, ReadRequest: the incarnation is drawn at start',
    hostFaults: { sameLuck: true },
    profile: {
      ...CRASHES,
      chaosTicks: 200,
      syncMax: 1,
      applyMax: 1,
      loss: 0,
      duplication: 0.5,
      stragglers: 0.4,
      stragglerMax: 1500,
      operationUnits: 20,
      reads: 0.7,
      acts: { ...NO_ACTS, bounce: 8, restart: 2 },
    },
  },
  {
    name: 'changes members before a commit in its term',
    breaks: 'erratum to dissertation 4.1: two leaders could each hold a one-server change with disjoint majorities',
    rules: { mayChangeConfig: () => true, mayCountOn: () => true },
    // Four voters, and each of two leaders removes one: {1,2} and {3,4} can both decide.
    profile: {
      ...MEMBERSHIP,
      limits: SMALL_STEPS,
      voters: 4,
      spares: 0,
      chaosTicks: 300,
      nemesisTicks: 6,
      delayMax: 30,
      loss: 0,
      stragglers: 0,
      syncMax: 1,
      busyMax: 0,
      changeAtOnce: 0.9,
      splitAtOnce: 0.9,
      crashAtOnce: 0,
      reads: 0,
      operationUnits: 500,
      acts: { ...NO_ACTS, campaign: 4, heal: 1 },
    },
  },
  {
    name: 'changes members while a change is not committed',
    breaks: 'dissertation 4.1: one change at a time',
    rules: { mayAppendConfig: () => true },
    profile: {
      ...SPLIT_CHANGES,
      spares: 3,
      changesAtOnce: [1],
      acts: { ...NO_ACTS, changeAndSplit: 8, change: 4, heal: 8 },
    },
  },
  {
    name: 'leaves the joint phase before it is committed',
    breaks: 'paper section 6: C_new only after C_old,new is committed',
    rules: { mayLeaveJoint: () => true },
    profile: SPLIT_CHANGES,
  },
  {
    name: 'counts votes given in an earlier term',
    breaks: 'paper 5.1: a message with an earlier term is rejected',
    rules: { isStale: (message, term) => message.kind !== 'voteReply' && message.term < term },
    // A vote arrives after its candidate has lost and campaigns again, in a term in which another peer was elected.
    profile: {
      ...PARTITIONS,
      delayMax: 90,
      stragglers: 0.6,
      stragglerMax: 1500,
      duplication: 0.3,
      echo: 1,
      acts: { ...NO_ACTS, campaign: 8, split: 3, heal: 3 },
    },
  },
  {
    name: 'counts acknowledgements of an earlier term',
    breaks: 'paper 5.1: a message with an earlier term is rejected',
    rules: { isStale: (message, term) => message.kind !== 'appendAccepted' && message.term < term },
    // Five voters: with three, any single acknowledgement commits, and its content cannot become wrong later.
    profile: { ...PARTITIONS, voters: 5, limits: SMALL_STEPS, operationUnits: 20, reads: 0, echo: 1, splitAtOnce: 0.5 },
  },
  {
    name: 'tells followers to commit what they may not have',
    breaks: 'figure 2, AppendEntries 5, for heartbeats: no further than the follower shares the log',
    rules: { commitToTell: (commit) => commit },
  },
  {
    name: 'installs a snapshot of what it has committed already',
    breaks: 'paper 7: a snapshot of a prefix of the log does not replace it',
    rules: { snapshotIsNews: () => true, sharesSnapshot: () => false },
    profile: SNAPSHOTS,
  },
  {
    name: 'commits up to a snapshot without comparing its term',
    breaks: 'figure 13, InstallSnapshot 6: retained is only a log that has the same index and term',
    rules: { sharesSnapshot: (termHere) => termHere !== undefined },
    profile: SNAPSHOTS,
  },
  {
    name: 'keeps the members of an entry that was cut off',
    breaks: 'paper section 6: the configuration in force is the latest in the log',
    rules: { cutTakesConfig: () => false },
    profile: { ...MEMBERSHIP, voters: 4, compaction: 0.3, splitAtOnce: 0.5, nemesisTicks: 4 },
  },
  {
    name: 'lets learners vote and be counted',
    breaks: 'dissertation 4.2.1: a new server is not counted towards majorities until it is promoted',
    rules: {
      isQuorum: (config, has) => hasMajority([...config.voters, ...config.learners], has),
      quorumIndex: (config, indexOf) => majorityIndex([...config.voters, ...config.learners], indexOf),
    },
    profile: MEMBERSHIP,
  },
  {
    name: 'treats both halves of a joint configuration as one',
    breaks: 'paper section 6: separate majorities from both the old and the new configuration',
    rules: {
      isQuorum: (config, has) => hasMajority([...new Set([...config.voters, ...config.votersOutgoing])], has),
      quorumIndex: (config, indexOf) =>
        majorityIndex([...new Set([...config.voters, ...config.votersOutgoing])], indexOf),
    },
    profile: SPLIT_CHANGES,
  },
  {
    name: 'does not notice that its committed entries differ from those of the leader',
    breaks: 'invariant 5: an entry that is committed is in the log of every later leader, with the same term',
    rules: { committedDiffers: () => false },
    profile: {
      ...CRASHES,
      chaosTicks: 200,
      syncMax: 1,
      applyMax: 1,
      compaction: 0,
      hungMinority: false,
      acts: { ...NO_ACTS, alter: 3, bounce: 1, campaign: 3, restart: 6, isolateLeader: 2, heal: 4 },
    },
  },
  {
    name: 'asks a second successor to campaign while the first may',
    breaks: 'dissertation 3.10: the leader hands over to one chosen server; two would split the vote',
    rules: { mayAppoint: () => true },
    profile: { ...PARTITIONS, acts: { ...NO_ACTS, transfer: 6, hangDisk: 2, split: 2, heal: 4, restart: 2 } },
  },
  {
    name: 'continues to lead while its disk hangs',
    breaks: 'liveness.ts: its heartbeats would prevent the others from electing a leader that can respond',
    rules: { diskStalls: () => false },
    profile: { ...PARTITIONS, hungMinority: true },
  },
  {
    name: 'tears writes: term, vote and commit index without the entries',
    breaks: 'ready.ts, Write: one write is atomic',
    hostFaults: { tearsWrites: true },
    profile: CRASHES,
  },
  {
    name: 'decides by the new half of a joint configuration alone',
    breaks: 'paper section 6: separate majorities from both the old and the new configuration',
    rules: {
      isQuorum: (config, has) => hasMajority(config.voters, has),
      quorumIndex: (config, indexOf) => majorityIndex(config.voters, indexOf),
    },
    profile: SPLIT_CHANGES,
  },
];
