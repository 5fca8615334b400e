// Leader election: time-outs, campaigns, votes (paper 5.2, 5.4.1), pre-vote and quorum checks (dissertation 9.6, 6.2),
// leadership transfer (dissertation 3.10).

import type { Core } from './core.js';
import { send } from './core.js';
import { isVoter, members } from './membership.js';
import type { TimeoutNow, VoteReply, VoteRequest } from './messages.js';
import { tickForwardedReads } from './readindex.js';
import type { TransferResult } from './ready.js';
import { sendHeartbeats } from './replication.js';
import { becomeCandidate, becomeFollower, becomeLeader, becomePreCandidate } from './roles.js';
import type { LogIndex, PeerId, Term } from './types.js';
import { NO_PEER } from './types.js';

export function tick(core: Core): void {
  core.electionElapsed++;
  if (core.role === 'leader') tickLeader(core);
  else tickOther(core);
}

function tickLeader(core: Core): void {
  if (core.electionElapsed >= core.limits.electionTicks) {
    core.electionElapsed = 0;
    // A successor that did not take over within an election timeout will not; serve again.
    core.transferee = NO_PEER;
    core.transferAsked = false;
    if (!hasLiveQuorum(core)) {
      becomeFollower(core, core.term, NO_PEER);
      return;
    }
    for (const progress of core.progress.values()) progress.quorumChecked();
    core.catchUpIndex = core.log.lastIndex;
  }
  core.heartbeatElapsed++;
  if (core.heartbeatElapsed >= core.limits.heartbeatTicks) {
    core.heartbeatElapsed = 0;
    sendHeartbeats(core);
  }
}

function tickOther(core: Core): void {
  tickForwardedReads(core);
  if (core.electionElapsed < core.electionTimeout) return;
  if (mayCampaign(core)) campaign(core);
  else becomeFollower(core, core.term, NO_PEER);
}

/** Dissertation 6.2: a leader that has not heard of a quorum for an election timeout may have been replaced. */
function hasLiveQuorum(core: Core): boolean {
  return core.rules.isQuorum(core.configs.current, (id) => isLive(core, id));
}

/** Said something since the last quorum check. */
export function isLive(core: Core, id: PeerId): boolean {
  return id === core.id || core.progress.get(id)?.recentlyActive === true;
}

/**
 * Voters may campaign. So may a peer whose removal is in its log but not known to be committed: the others may need its
 * log to elect anyone at all (dissertation 4.2.2, figure 4.6). While a snapshot is being installed, nobody.
 */
export function mayCampaign(core: Core): boolean {
  const { configs, log } = core;
  if (core.role === 'leader' || log.installing) return false;
  if (isVoter(configs.current, core.id)) return true;
  return configs.currentIndex > log.commit && isVoter(configs.previous, core.id);
}

/** Dissertation 9.6: ask first, so that a peer that cannot win does not raise everybody's term. */
export function campaign(core: Core): void {
  becomePreCandidate(core);
  askForVotes(core, { preVote: true, transfer: false });
  countVote(core, core.id, true);
}

/** Paper 5.2. The vote for itself is counted when it is durable (noteDurable). */
function campaignForReal(core: Core, transfer: boolean): void {
  becomeCandidate(core);
  askForVotes(core, { preVote: false, transfer });
  if (core.rules.ownVoteCounts(false)) countVote(core, core.id, true);
}

function askForVotes(core: Core, how: { readonly preVote: boolean; readonly transfer: boolean }): void {
  const term = (how.preVote ? core.term + 1 : core.term) as Term;
  const { lastIndex, lastTerm } = core.log;
  for (const to of members(core.configs.current)) {
    if (to === core.id || !isVoter(core.configs.current, to)) continue;
    send(core, to, { kind: 'voteRequest', term, ...how, lastIndex, lastTerm });
  }
}

/** Term and vote of `core.durable` are on disk now. */
export function noteDurable(core: Core): void {
  const { durable } = core;
  if (core.role === 'candidate' && durable.term === core.term && durable.vote === core.id) {
    countVote(core, core.id, true);
  }
}

/**
 * True while a leader was heard of within the shortest election timeout: then whoever campaigns is wrong or removed, and
 * is not listened to (paper section 6, last problem; dissertation 4.2.3).
 */
export function trustsLeader(core: Core): boolean {
  return core.leader !== NO_PEER && core.electionElapsed < core.limits.electionTicks;
}

/** A request of the current term, or a pre-vote for a later one. */
export function handleVoteRequest(core: Core, message: VoteRequest): void {
  const { from, preVote, term } = message;
  const { log, rules } = core;
  const free = preVote ? term > core.term : rules.voteIsFree(core.vote, from);
  const upToDate = rules.isUpToDate(
    { index: message.lastIndex, term: message.lastTerm },
    { index: log.lastIndex, term: log.lastTerm },
  );
  const granted = free && upToDate;
  // A granted pre-vote speaks of the term asked for, a denied one tells ours, so that the asker can catch up with it.
  send(core, from, { kind: 'voteReply', preVote, granted, ...(granted ? { term } : {}) });
  if (granted && !preVote) {
    core.vote = from;
    core.electionElapsed = 0;
  }
}

export function handleVoteReply(core: Core, message: VoteReply): void {
  if (core.role === (message.preVote ? 'preCandidate' : 'candidate')) {
    countVote(core, message.from, message.granted);
  }
}

function countVote(core: Core, voter: PeerId, granted: boolean): void {
  if (!core.votes.has(voter)) core.votes.set(voter, granted);
  const { rules, votes } = core;
  const config = core.configs.current;
  if (rules.isQuorum(config, (id) => votes.get(id) === true)) {
    if (core.role === 'preCandidate') campaignForReal(core, false);
    else becomeLeader(core);
  } else if (!rules.isQuorum(config, (id) => votes.get(id) !== false)) {
    // Not even all who have not answered could help any more.
    becomeFollower(core, core.term, NO_PEER);
  }
}

export function handleTimeoutNow(core: Core, message: TimeoutNow): void {
  // Only the leader followed may appoint; and a vote for a real term needs no pre-vote: the leader itself wants it.
  if (core.leader === message.from && mayCampaign(core)) campaignForReal(core, true);
}

export function transferLeadership(core: Core, to: PeerId): TransferResult {
  const { leader } = core;
  if (core.role !== 'leader') return { kind: 'refused', reason: 'notLeader', leader };
  if (to === core.id) return { kind: 'refused', reason: 'alreadyLeader', leader };
  if (!core.configs.current.voters.includes(to)) return { kind: 'refused', reason: 'notVoter', leader };
  core.transferee = to;
  core.transferAsked = false;
  // The quorum check ends the attempt: give it a whole election timeout.
  core.electionElapsed = 0;
  return { kind: 'started' };
}

/** Leader, in the drain: the successor that has everything is asked to campaign. */
export function settleTransfer(core: Core): void {
  if (core.transferee === NO_PEER || core.transferAsked) return;
  if (core.progress.get(core.transferee)?.match !== core.log.lastIndex) return;
  core.transferAsked = true;
  send(core, core.transferee, { kind: 'timeoutNow' });
}

/** The voter with most of the log, to hand over to. NO_PEER when there is none. */
export function bestSuccessor(core: Core): PeerId {
  let best = NO_PEER;
  let bestMatch = -1;
  for (const id of core.configs.current.voters) {
    const match: LogIndex | undefined = core.progress.get(id)?.match;
    if (match !== undefined && match > bestMatch) {
      best = id;
      bestMatch = match;
    }
  }
  return best;
}
