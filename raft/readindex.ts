// Linearizable reads without writing to the log (dissertation 6.4). The leader records its commit index and confirms with one
// round of heartbeats that it still leads. The read is served once that index is applied.
//
//   leader     reads that wait when a round ends begin the next one together; a read never joins a round that had begun
//              before it came, because answers to that round may be older than the read
//   follower   asks the leader once for all reads that wait; the next question leaves when the answer is here

import type { Core, PendingRead } from './core.js';
import { committedInTerm, send } from './core.js';
import type { HeartbeatReply, ReadRefusal, ReadReply, ReadRequest } from './messages.js';
import { sendHeartbeats } from './replication.js';
import type { LogIndex } from './types.js';
import { NO_PEER } from './types.js';

/** A read of this peer's caller. */
export function readIndex(core: Core, context: number): void {
  if (core.role === 'leader') {
    addRead(core, { kind: 'local', context });
  } else if (core.leader === NO_PEER) {
    core.outcomes.push({ kind: 'refused', context, reason: 'noLeader' });
  } else if (core.unforwarded.length >= core.limits.pendingReadsMax) {
    core.outcomes.push({ kind: 'refused', context, reason: 'tooManyReads' });
  } else {
    core.unforwarded.push(context);
  }
}

export function handleReadRequest(core: Core, message: ReadRequest): void {
  const { from, incarnation, sequence } = message;
  addRead(core, { kind: 'remote', from, incarnation, sequence });
}

function addRead(core: Core, read: PendingRead): void {
  if (core.role !== 'leader') refuse(core, read, 'noLeader');
  else if (!core.rules.mayServeReads(committedInTerm(core))) refuse(core, read, 'noCommitInTerm');
  else if (core.waitingReads.length >= core.limits.pendingReadsMax) refuse(core, read, 'tooManyReads');
  else core.waitingReads.push(read);
}

/** Leader, in the drain: ends a confirmed round and begins the next. */
export function flushReads(core: Core): void {
  endRound(core);
  if (core.readRound !== undefined || core.waitingReads.length === 0) return;
  core.readRound = {
    number: ++core.readRoundNumber,
    index: core.log.commit,
    reads: core.waitingReads,
    acked: new Set([core.id]),
  };
  core.waitingReads = [];
  sendHeartbeats(core);
  // With one voter the round is confirmed at once.
  endRound(core);
}

function endRound(core: Core): void {
  const round = core.readRound;
  if (round === undefined) return;
  if (!core.rules.readConfirmed(core.configs.current, (id) => round.acked.has(id))) return;
  core.readRound = undefined;
  for (const read of round.reads) answer(core, read, round.index);
}

export function noteReadAck(core: Core, message: HeartbeatReply): void {
  const round = core.readRound;
  if (round !== undefined && core.rules.readAckCounts(message.readRound, round.number)) round.acked.add(message.from);
}

/** Follower, in the drain: sends a request for the waiting reads when none is in flight. */
export function forwardReads(core: Core): void {
  if (core.forwarded !== undefined || core.unforwarded.length === 0 || core.leader === NO_PEER) return;
  core.forwarded = { sequence: ++core.forwardSequence, contexts: core.unforwarded, ticks: 0 };
  core.unforwarded = [];
  askLeader(core, core.forwarded.sequence);
}

/** Follower: repeats a request that may be lost, and gives up after an election timeout. */
export function tickForwardedReads(core: Core): void {
  const { forwarded, limits } = core;
  if (forwarded === undefined) return;
  forwarded.ticks++;
  if (forwarded.ticks >= limits.electionTicks) refuseForwarded(core, 'timeout');
  else if (forwarded.ticks % limits.heartbeatTicks === 0) askLeader(core, forwarded.sequence);
}

export function handleReadReply(core: Core, message: ReadReply): void {
  const { forwarded } = core;
  if (message.incarnation !== core.incarnation || message.sequence !== forwarded?.sequence) return;
  if (message.index === undefined) {
    refuseForwarded(core, message.refused ?? 'noLeader');
    return;
  }
  core.forwarded = undefined;
  for (const context of forwarded.contexts) core.outcomes.push({ kind: 'ready', context, index: message.index });
}

/** Role, term or leader changed: the waiting reads fail (invariant 11). */
export function dropReads(core: Core): void {
  const reads = [...(core.readRound?.reads ?? []), ...core.waitingReads];
  core.readRound = undefined;
  core.waitingReads = [];
  for (const read of reads) refuse(core, read, 'leaderChanged');
  refuseForwarded(core, 'leaderChanged');
  for (const context of core.unforwarded) core.outcomes.push({ kind: 'refused', context, reason: 'leaderChanged' });
  core.unforwarded = [];
}

function askLeader(core: Core, sequence: number): void {
  send(core, core.leader, { kind: 'readRequest', incarnation: core.incarnation, sequence });
}

function refuseForwarded(core: Core, reason: ReadRefusal): void {
  const contexts = core.forwarded?.contexts ?? [];
  core.forwarded = undefined;
  for (const context of contexts) core.outcomes.push({ kind: 'refused', context, reason });
}

function answer(core: Core, read: PendingRead, index: LogIndex): void {
  if (read.kind === 'local') core.outcomes.push({ kind: 'ready', context: read.context, index });
  else reply(core, read, index, undefined);
}

function refuse(core: Core, read: PendingRead, reason: ReadRefusal): void {
  if (read.kind === 'local') core.outcomes.push({ kind: 'refused', context: read.context, reason });
  else reply(core, read, undefined, reason);
}

function reply(
  core: Core,
  read: PendingRead & { readonly kind: 'remote' },
  index: LogIndex | undefined,
  refused: ReadRefusal | undefined,
): void {
  const { from, incarnation, sequence } = read;
  send(core, from, { kind: 'readReply', incarnation, sequence, index, refused });
}
