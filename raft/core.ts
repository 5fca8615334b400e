// The state of one peer, and the two ways a message leaves it. The other files are functions on this record, one
// file a concern; only RaftNode (node.ts) owns one.
//
// The style of the whole: a step records a fact (a match index, a vote, an acknowledged read round), and the drain
// (drain.ts), which runs when the caller asks for a Ready, draws the conclusions: commit, membership, what to send.
// So whatever arrives between two Readys shares one append message a follower, one read round and one write.

import { ConfigHistory } from './confighistory.js';
import { invariant } from './invariant.js';
import { RaftLog } from './log.js';
import type { Message, MessageKind } from './messages.js';
import type { Progress } from './progress.js';
import type { ReadOutcome } from './ready.js';
import type { SafetyRules } from './rules.js';
import type { HardState, LogIndex, LogStorage, PeerId, RaftLimits, Role, Term } from './types.js';
import { NO_PEER } from './types.js';

/** A read waiting on the leader: asked here, or by a follower for all of its waiting reads. */
export type PendingRead =
  | { readonly kind: 'local'; readonly context: number }
  | { readonly kind: 'remote'; readonly from: PeerId; readonly incarnation: number; readonly sequence: number };

/** One round of heartbeats that confirms leadership for all reads that waited when it began. */
export interface ReadRound {
  readonly number: number;
  readonly index: LogIndex;
  readonly reads: readonly PendingRead[];
  readonly acked: Set<PeerId>;
}

/** A follower's question on its way to the leader, for all reads that waited when it was asked. */
export interface ForwardedReads {
  readonly sequence: number;
  readonly contexts: readonly number[];
  ticks: number;
}

/** Leadership on its way to a chosen successor (dissertation 3.10). */
export interface Transfer {
  readonly to: PeerId;
  /** Since it was asked for. */
  ticks: number;
  /** The successor had everything, and was told to campaign. */
  asked: boolean;
}

export interface Core {
  readonly id: PeerId;
  readonly limits: RaftLimits;
  readonly rules: SafetyRules;
  readonly random: () => number;
  readonly log: RaftLog;
  readonly configs: ConfigHistory;

  role: Role;
  term: Term;
  vote: PeerId;
  leader: PeerId;
  /** Term and vote as last made durable. */
  durable: HardState;
  /** Ticks for which writes have waited and none was finished. */
  diskTicks: number;

  /** Ticks since the last sign of a leader, or since the leader's last quorum check. */
  electionElapsed: number;
  /** When to campaign: drawn anew at every change of role or term (paper 5.2). */
  electionTimeout: number;
  heartbeatElapsed: number;
  /** Of a candidate: the votes by peer. */
  votes: Map<PeerId, boolean>;

  /** Leader: everyone to replicate to, this peer not included. */
  progress: Map<PeerId, Progress>;
  /** Leader: index of the first entry of its own term. */
  termStart: LogIndex;
  /** Leader: last index at the quorum check before this one; a learner that has it is caught up. */
  catchUpIndex: LogIndex;
  /** Leader: entry bytes of its own term that were not yet handed out as committed. */
  uncommittedBytes: number;
  /** Leader: the configuration in force still has consequences to come when it is committed. */
  membershipUnsettled: boolean;
  /** Leader. */
  transfer: Transfer | undefined;

  /** Leader: reads. */
  readRound: ReadRound | undefined;
  readRoundNumber: number;
  waitingReads: PendingRead[];
  /** Follower: reads. */
  readonly incarnation: number;
  forwarded: ForwardedReads | undefined;
  forwardSequence: number;
  unforwarded: number[];

  /** Outputs since the last Ready. */
  outbox: Message[];
  /** Messages that promise what the next write makes durable. */
  promises: Message[];
  /** Promises of writes handed out, in order. */
  held: { readonly write: number; readonly message: Message }[];
  outcomes: ReadOutcome[];
  configChanged: boolean;
}

export interface CoreOptions {
  readonly id: PeerId;
  readonly storage: LogStorage;
  readonly hardState: HardState | undefined;
  readonly applied: LogIndex;
  readonly limits: RaftLimits;
  readonly random: () => number;
  readonly rules: SafetyRules;
}

export function createCore(options: CoreOptions): Core {
  const { storage, hardState } = options;
  const durable = hardState ?? { term: storage.base().term, vote: NO_PEER, commit: storage.base().index };
  const log = new RaftLog(storage, { commit: durable.commit, applied: options.applied });
  invariant(log.lastTerm <= durable.term, 1, `the log ends in term ${log.lastTerm}, the hard state in ${durable.term}`);
  return {
    id: options.id,
    limits: options.limits,
    rules: options.rules,
    random: options.random,
    log,
    configs: new ConfigHistory(storage),
    role: 'follower',
    term: durable.term,
    vote: durable.vote,
    leader: NO_PEER,
    durable,
    diskTicks: 0,
    electionElapsed: 0,
    electionTimeout: drawElectionTimeout(options),
    heartbeatElapsed: 0,
    votes: new Map(),
    progress: new Map(),
    termStart: 0 as LogIndex,
    catchUpIndex: 0 as LogIndex,
    uncommittedBytes: 0,
    membershipUnsettled: false,
    transfer: undefined,
    readRound: undefined,
    readRoundNumber: 0,
    waitingReads: [],
    incarnation: Math.floor(options.random() * Number.MAX_SAFE_INTEGER),
    forwarded: undefined,
    forwardSequence: 0,
    unforwarded: [],
    outbox: [],
    promises: [],
    held: [],
    outcomes: [],
    configChanged: false,
  };
}

/** Uniform in [n, 2n): spread wide enough that one peer mostly campaigns alone (paper 5.2, 9.3). */
export function drawElectionTimeout(core: Pick<Core, 'limits' | 'random'>): number {
  const { electionTicks } = core.limits;
  return electionTicks + Math.floor(core.random() * electionTicks);
}

/** True on a leader that has committed an entry of its own term. */
export function committedInTerm(core: Core): boolean {
  return core.role === 'leader' && core.log.commit >= core.termStart;
}

type Body<M> = M extends Message ? Omit<M, 'from' | 'to' | 'term'> & { readonly term?: Term } : never;

/** A message without its envelope; `term` only where it is not the sender's own. */
export type MessageBody = Body<Message>;

/** Sends: with the next Ready, or, for a promise, when everything it rests on is durable (invariant 8). */
export function send(core: Core, to: PeerId, body: MessageBody): void {
  const message = { term: core.term, ...body, from: core.id, to } as Message;
  if (!core.rules.waitsForDisk(message.kind) || isMereQuestion(message)) core.outbox.push(message);
  else if (!replacesLast(core.promises, message)) core.promises.push(message);
}

/** Pre-votes promise nothing. */
function isMereQuestion(message: Message): boolean {
  return (message.kind === 'voteRequest' || message.kind === 'voteReply') && message.preVote;
}

/** Acknowledging 12 after 10 to the same leader in the same term: the 12 says it all. */
function replacesLast(promises: Message[], message: Message): boolean {
  const last = promises.at(-1);
  if (message.kind !== 'appendAccepted' || last?.kind !== 'appendAccepted') return false;
  if (last.to !== message.to || last.term !== message.term) return false;
  if (message.index > last.index) promises[promises.length - 1] = message;
  return true;
}

/** Kinds of messages that only a leader of their term sends. */
const LEADER_KINDS: ReadonlySet<MessageKind> = new Set(['append', 'heartbeat', 'snapshot']);

export function isFromLeader(message: Message): boolean {
  return LEADER_KINDS.has(message.kind);
}
