// Handles a message: first its term (paper 5.1), then its kind.

import type { Core } from './core.js';
import { isFromLeader, send } from './core.js';
import { handleVoteReply, handleVoteRequest, trustsLeader } from './election.js';
import { handleAppend, handleHeartbeat } from './following.js';
import { handleTimeoutNow } from './handover.js';
import { invariant } from './invariant.js';
import type { Message, MessageKind } from './messages.js';
import { handleReadReply, handleReadRequest, noteReadAck } from './readindex.js';
import { handleAppendAccepted, handleAppendRejected, handleHeartbeatReply } from './replication.js';
import { becomeFollower } from './roles.js';
import { handleSnapshot } from './snapshot.js';
import { NO_PEER } from './types.js';

export function step(core: Core, message: Message): void {
  invariant(message.to === core.id, 12, `a message to ${message.to} was given to ${core.id}`);
  if (message.term > core.term && !takeUpTerm(core, message)) return;
  if (core.rules.isStale(message, core.term)) {
    answerStale(core, message);
    return;
  }
  if (isFromLeader(message)) followSender(core, message);
  HANDLERS[message.kind](core, message as never);
}

/** Handles a later term. Returns false when the message is to be ignored. */
function takeUpTerm(core: Core, message: Message): boolean {
  if (message.kind === 'voteRequest') {
    if (trustsLeader(core) && !message.transfer) return false;
    if (message.preVote) return true;
  }
  // The reply to a pre-vote carries the term of the request, which no peer has entered.
  if (message.kind === 'voteReply' && message.preVote && message.granted) return true;
  becomeFollower(core, message.term, isFromLeader(message) ? message.from : NO_PEER);
  return true;
}

/**
 * A message of an earlier term. Requests are answered with the current term. So are messages of a leader: otherwise a peer whose
 * term advanced while it was partitioned would never follow again, because its vote requests are ignored while there is a leader.
 */
function answerStale(core: Core, message: Message): void {
  if (message.kind === 'voteRequest') {
    send(core, message.from, { kind: 'voteReply', preVote: message.preVote, granted: false });
  } else if (isFromLeader(message)) {
    send(core, message.from, { kind: 'staleTerm' });
  }
}

/** Handles a message from the leader of this term. */
function followSender(core: Core, message: Message): void {
  invariant(core.role !== 'leader', 2, `peer ${message.from} and this one both lead term ${core.term}`);
  invariant(
    core.leader === NO_PEER || core.leader === message.from,
    2,
    `peers ${core.leader} and ${message.from} both lead term ${core.term}`,
  );
  if (core.role !== 'follower' || core.leader === NO_PEER) becomeFollower(core, core.term, message.from);
  core.electionElapsed = 0;
}

type Handlers = { readonly [K in MessageKind]: (core: Core, message: Extract<Message, { kind: K }>) => void };

/** Handles a message of the current term (or a pre-vote and its response). */
const HANDLERS: Handlers = {
  voteRequest: handleVoteRequest,
  voteReply: handleVoteReply,
  append: handleAppend,
  appendAccepted: onlyLeader(handleAppendAccepted),
  appendRejected: onlyLeader(handleAppendRejected),
  heartbeat: handleHeartbeat,
  heartbeatReply: onlyLeader((core, message) => {
    handleHeartbeatReply(core, message);
    noteReadAck(core, message);
  }),
  // Only its term matters.
  staleTerm: () => {},
  snapshot: handleSnapshot,
  timeoutNow: handleTimeoutNow,
  readRequest: handleReadRequest,
  readReply: handleReadReply,
};

function onlyLeader<M extends Message>(handle: (core: Core, message: M) => void): (core: Core, message: M) => void {
  return (core, message) => {
    if (core.role === 'leader') handle(core, message);
  };
}
