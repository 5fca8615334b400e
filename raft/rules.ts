// The rules that Raft's safety depends on, each as one predicate. The rest of the core moves data and keeps time, and consults
// them before every irreversible step.
//
// They are a value and not free functions, so that the simulation in test/sim can break one at a time and show that its checkers
// notice. Production code uses exactly one set: RULES.

import type { Message, MessageKind } from './messages.js';
import { isQuorum, quorumIndex } from './quorum.js';
import type { Configuration, Entry, LogIndex, PeerId, Term } from './types.js';
import { NO_PEER } from './types.js';

/** The end of a log: index and term of its last entry. */
export interface LogPosition {
  readonly index: LogIndex;
  readonly term: Term;
}

export interface SafetyRules {
  /** Paper 5.1: messages of an earlier term have no effect: no vote, no acknowledgement, no entry. */
  isStale(message: Message, currentTerm: Term): boolean;

  /** Paper 5.2: a vote goes to one candidate a term, first come first served. */
  voteIsFree(vote: PeerId, candidate: PeerId): boolean;

  /** Paper 5.4.1: a voter checks that the candidate's log is at least as up-to-date as its own. */
  isUpToDate(candidate: LogPosition, mine: LogPosition): boolean;

  /** Paper 5.1, 5.3: a majority (in joint consensus one of each half, section 6). */
  isQuorum(config: Configuration, has: (id: PeerId) => boolean): boolean;

  /** Paper 5.3, 6: the highest index stored by a quorum. */
  quorumIndex(config: Configuration, indexOf: (id: PeerId) => LogIndex): LogIndex;

  /** Paper 5.4.2, figure 8: only entries of the leader's own term are committed by counting replicas. */
  mayCommitByCounting(entryTerm: Term, currentTerm: Term): boolean;

  /** Paper 5.3, the consistency check: a follower accepts entries only after an entry that it shares with the leader. */
  followsOn(termHere: Term | undefined, prevTerm: Term): boolean;

  /** Paper 5.3: an entry that conflicts with the leader's is removed, but only if it really differs. */
  conflicts(termHere: Term, entry: Entry): boolean;

  /** Invariant 5: an entry that is committed here has the same term in the log of every later leader. */
  committedDiffers(termHere: Term | undefined, termOfLeader: Term): boolean;

  /** Figure 2, AppendEntries 5: a follower commits no further than it knows its log to equal the leader's. */
  commitAsFollower(leaderCommit: LogIndex, lastShared: LogIndex): LogIndex;

  /** The same for heartbeats: no further than the follower is known to share the log. */
  commitToTell(commit: LogIndex, match: LogIndex): LogIndex;

  /** Paper 7, figure 13: a snapshot replaces the log only if it covers more than is known to be committed ... */
  snapshotIsNews(index: LogIndex, commit: LogIndex): boolean;

  /** ... and only if the log does not contain its last entry; otherwise it only advances the commit index. */
  sharesSnapshot(termHere: Term | undefined, snapshotTerm: Term): boolean;

  /**
   * Figure 2, "updated on stable storage before responding": which messages wait for the disk. A vote request waits as well: it
   * claims a log position, which its sender must not lose in a crash while the responses are in flight.
   */
  waitsForDisk(kind: MessageKind): boolean;

  /** The leader's own log counts for commit only as far as it is durable (dissertation 10.2.1). */
  ownMatch(stable: LogIndex, last: LogIndex): LogIndex;

  /** A candidate's vote for itself counts when it is durable. */
  ownVoteCounts(durable: boolean): boolean;

  /** Paper 8: a leader starts its term by appending an entry of it. */
  startsTermWithNoop(): boolean;

  /** Paper 8: before an entry of its term is committed a leader does not know the commit index, so it serves no read. */
  mayServeReads(committedInTerm: boolean): boolean;

  /** Dissertation 6.4: a leader still leads if a quorum answered a round of heartbeats that began after the read arrived. */
  readAckCounts(ackRound: number, round: number): boolean;
  readConfirmed(config: Configuration, acked: (id: PeerId) => boolean): boolean;

  /** Paper section 6: a configuration is in force while it is in the log. Truncating it restores the previous one. */
  cutTakesConfig(configIndex: LogIndex, from: LogIndex): boolean;

  /** Erratum to dissertation 4.1: no change of members before the leader has committed an entry of its term. */
  mayChangeConfig(committedInTerm: boolean): boolean;

  /**
   * For availability, not safety: a change counts only voters that have responded to this leader. It also hides most violations of the
   * rule above, so the simulation breaks both together.
   */
  mayCountOn(answered: boolean): boolean;

  /** For availability as well: a peer that has written nothing for an election timeout neither campaigns nor leads (liveness.ts). */
  diskStalls(diskTicks: number, electionTicks: number): boolean;

  /** For availability: a leader asks one successor to campaign at a time, because two would split the vote. */
  mayAppoint(asked: boolean): boolean;

  /** Dissertation 4.1: one change at a time; the one in force must be committed before the next is appended. */
  mayAppendConfig(configIndex: LogIndex, commit: LogIndex): boolean;

  /** Paper section 6: C_new may be appended once C_old,new is committed. */
  mayLeaveJoint(configIndex: LogIndex, commit: LogIndex): boolean;
}

const DISK_FIRST: ReadonlySet<MessageKind> = new Set(['voteRequest', 'voteReply', 'appendAccepted']);

export const RULES: SafetyRules = {
  isStale: (message, currentTerm) => message.term < currentTerm,
  voteIsFree: (vote, candidate) => vote === NO_PEER || vote === candidate,
  isUpToDate: (candidate, mine) =>
    candidate.term > mine.term || (candidate.term === mine.term && candidate.index >= mine.index),
  isQuorum,
  quorumIndex,
  mayCommitByCounting: (entryTerm, currentTerm) => entryTerm === currentTerm,
  followsOn: (termHere, prevTerm) => termHere === prevTerm,
  conflicts: (termHere, entry) => termHere !== entry.term,
  committedDiffers: (termHere, termOfLeader) => termHere !== undefined && termHere !== termOfLeader,
  commitAsFollower: (leaderCommit, lastShared) => Math.min(leaderCommit, lastShared) as LogIndex,
  commitToTell: (commit, match) => Math.min(commit, match) as LogIndex,
  snapshotIsNews: (index, commit) => index > commit,
  sharesSnapshot: (termHere, snapshotTerm) => termHere === snapshotTerm,
  waitsForDisk: (kind) => DISK_FIRST.has(kind),
  ownMatch: (stable) => stable,
  ownVoteCounts: (durable) => durable,
  startsTermWithNoop: () => true,
  mayServeReads: (committedInTerm) => committedInTerm,
  readAckCounts: (ackRound, round) => ackRound === round,
  readConfirmed: isQuorum,
  cutTakesConfig: (configIndex, from) => configIndex >= from,
  mayChangeConfig: (committedInTerm) => committedInTerm,
  mayCountOn: (answered) => answered,
  diskStalls: (diskTicks, electionTicks) => diskTicks >= electionTicks,
  mayAppoint: (asked) => !asked,
  mayAppendConfig: (configIndex, commit) => configIndex <= commit,
  mayLeaveJoint: (configIndex, commit) => configIndex <= commit,
};
