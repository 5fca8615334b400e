// The state of one peer, and the two ways to send a message. The other files are functions on this record, one file per
// concern. Only RaftNode (node.ts) owns one.
//
// A step only records a fact (a match index, a vote, an acknowledged read round). The drain (drain.ts) runs when the
// caller requests a Ready and computes the consequences: commit, membership, messages. All input between two Readys
// therefore shares one append message per follower, one read round and one write.

import { ConfigHistory } from './confighistory.js';
import { invariant } from './invariant.js';
import { RaftLog } from './log.js';
import type { Message, MessageKind } from './messages.js';
import type { Progress } from './progress.js';
import type { ReadOutcome } from './ready.js';
import type { SafetyRules } from './rules.js';
import type { HardState, LogIndex, LogStorage, PeerId, RaftLimits, Role, Term } from './types.js';
import { NO_PEER } from './types.js';

/** A read that waits on the leader: from its own client, or from a follower for all of its waiting reads. */
export type PendingRead =
  | { readonly kind: 'local'; readonly context: number }
  | { readonly kind: 'remote'; readonly from: PeerId; readonly incarnation: number; readonly sequence: number };

/** One round of heartbeats. It confirms leadership for all reads that waited when it began. */
export interface ReadRound {
  readonly number: number;
  readonly index: LogIndex;
  readonly reads: readonly PendingRead[];
  readonly acked: Set<PeerId>;
}

/** A follower's ReadIndex request, for all reads that waited when it was sent. */
export interface ForwardedReads {
  readonly sequence: number;
  readonly contexts: readonly number[];
  ticks: number;
}

/** A leadership transfer in progress (dissertation 3.10). */
export interface Transfer {
  readonly to: PeerId;
  /** Ticks since the transfer began or, later, since the successor was sent TimeoutNow. */
  ticks: number;
  /** The successor is up to date and was sent TimeoutNow. */
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
  /** The last term and vote that are durable. */
  durable: HardState;
  /** Ticks for which writes have been pending and none has completed. */
  diskTicks: number;

  /** Ticks since the last message from a leader or, on the leader, since its last quorum check. */
  electionElapsed: number;
  /** The tick at which to campaign: drawn again at every change of role or term (paper 5.2). */
  electionTimeout: number;
  heartbeatElapsed: number;
  /** Candidate: the votes by peer. */
  votes: Map<PeerId, boolean>;

  /** Leader: all peers to replicate to, without this peer. */
  progress: Map<PeerId, Progress>;
  /** Leader: index of the first entry of its term. */
  termStart: LogIndex;
  /** Leader: last index at the previous quorum check. A learner that has it is caught up. */
  catchUpIndex: LogIndex;
  /** Leader: entry bytes of its own term that were not yet returned as committed. */
  uncommittedBytes: number;
  /** Leader: whether the commit of the configuration in force still has to be processed. */
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
  /** Messages that depend on the next write being durable. */
  promises: Message[];
  /** Messages that depend on writes in progress, in order. */
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

/** Uniform in [n, 2n): the spread makes it likely that one peer campaigns alone (paper 5.2, 9.3). */
export function drawElectionTimeout(core: Pick<Core, 'limits' | 'random'>): number {
  const { electionTicks } = core.limits;
  return electionTicks + Math.floor(core.random() * electionTicks);
}

/** True on a leader that has committed an entry of its own term. */
export function committedInTerm(core: Core): boolean {
  return core.role === 'leader' && core.log.commit >= core.termStart;
}

type Body<M> = M extends Message ? Omit<M, 'from' | 'to' | 'term'> & { readonly term?: Term } : never;

/** A message without its envelope; `term` only where it differs from the sender's term. */
export type MessageBody = Body<Message>;

/** Sends a message with the next Ready. A promise is sent only when everything it depends on is durable (invariant 8). */
export function send(core: Core, to: PeerId, body: MessageBody): void {
  const message = { term: core.term, ...body, from: core.id, to } as Message;
  if (!core.rules.waitsForDisk(message.kind) || isMereQuestion(message)) core.outbox.push(message);
  else if (!replacesLast(core.promises, message)) core.promises.push(message);
}

/** Pre-votes are not promises. */
function isMereQuestion(message: Message): boolean {
  return (message.kind === 'voteRequest' || message.kind === 'voteReply') && message.preVote;
}

/** An acknowledgement of 12 replaces one of 10 to the same leader in the same term. */
function replacesLast(promises: Message[], message: Message): boolean {
  const last = promises.at(-1);
  if (message.kind !== 'appendAccepted' || last?.kind !== 'appendAccepted') return false;
  if (last.to !== message.to || last.term !== message.term) return false;
  if (message.index > last.index) promises[promises.length - 1] = message;
  return true;
}

/** The kinds of messages that only a leader sends. */
const LEADER_KINDS: ReadonlySet<MessageKind> = new Set(['append', 'heartbeat', 'snapshot']);

export function isFromLeader(message: Message): boolean {
  return LEADER_KINDS.has(message.kind);
}
