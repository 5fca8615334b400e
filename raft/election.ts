// Leader election: time-outs, campaigns, votes (paper 5.2, 5.4.1), pre-vote and quorum checks (dissertation 9.6, 6.2),
// leadership transfer (dissertation 3.10), and the leader that its own disk has left.

import type { Core } from './core.js';
import { send } from './core.js';
import { isVoter, members } from './membership.js';
import type { TimeoutNow, VoteReply, VoteRequest } from './messages.js';
import { tickForwardedReads } from './readindex.js';
import type { TransferResult } from './ready.js';
import { sendHeartbeats } from './replication.js';
import { becomeCandidate, becomeFollower, becomeLeader, becomePreCandidate } from './roles.js';
import type { PeerId, Term } from './types.js';
import { NO_PEER } from './types.js';

export function tick(core: Core): void {
  core.electionElapsed++;
  core.diskTicks = core.log.inflightWrites > 0 ? core.diskTicks + 1 : 0;
  if (core.role === 'leader') tickLeader(core);
  else tickOther(core);
}

function tickLeader(core: Core): void {
  if (core.electionElapsed >= core.limits.electionTicks) {
    core.electionElapsed = 0;
    if (!hasLiveQuorum(core)) {
      becomeFollower(core, core.term, NO_PEER);
      return;
    }
    if (diskStalls(core) && othersAreQuorum(core)) {
      resign(core);
      return;
    }
    for (const progress of core.progress.values()) progress.quorumChecked();
    core.catchUpIndex = core.log.lastIndex;
  }
  // A successor that did not take over within an election timeout will not; serve again.
  if (core.transfer !== undefined && ++core.transfer.ticks >= core.limits.electionTicks) core.transfer = undefined;
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

/**
 * Nothing was written for an election timeout. A follower does not get far like this and neither does a candidate, whose requests
 * wait for the disk. A leader does: the others' disks can commit without its own, but it may apply nothing itself, so whoever
 * asked it waits, while its heartbeats keep everybody from electing one who could answer.
 */
function diskStalls(core: Core): boolean {
  return core.diskTicks >= core.limits.electionTicks;
}

/** They could elect one of them. When they could not, a leader with a slow disk is better than none. */
function othersAreQuorum(core: Core): boolean {
  return core.rules.isQuorum(core.configs.current, (id) => id !== core.id && hasAnswered(core, id));
}

/** Said something since the last quorum check. */
export function isLive(core: Core, id: PeerId): boolean {
  return id === core.id || core.progress.get(id)?.recentlyActive === true;
}

/**
 * Alive, and not only by the benefit of the doubt that a new leader gives: it has taken an entry from this leader. What is
 * staked on a peer that died before the election would be lost.
 */
export function hasAnswered(core: Core, id: PeerId): boolean {
  return id === core.id || (isLive(core, id) && (core.progress.get(id)?.match ?? 0) > 0);
}

/**
 * Voters may campaign. So may a peer whose removal is in its log but not known to be committed: the others may need its
 * log to elect anyone at all (dissertation 4.2.2, figure 4.6). While a snapshot is being installed, nobody; nor who can not
 * write, as it could not even vote for itself, and its term would only disturb the others.
 */
export function mayCampaign(core: Core): boolean {
  const { configs, log } = core;
  if (core.role === 'leader' || log.installing || diskStalls(core)) return false;
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
  // Asked again for the same: it is under way, and is not given more time for that.
  if (core.transfer?.to !== to) core.transfer = { to, ticks: 0, asked: false };
  return { kind: 'started' };
}

/** Leader, in the drain: the successor that has everything is asked to campaign. */
export function settleTransfer(core: Core): void {
  const { transfer, log, progress } = core;
  if (transfer === undefined || transfer.asked) return;
  if (progress.get(transfer.to)?.match !== log.lastIndex) return;
  transfer.asked = true;
  send(core, transfer.to, { kind: 'timeoutNow' });
}

/** Stops leading, and does not make the others wait for a timeout: the best of them is to campaign at once. */
export function resign(core: Core): void {
  const successor = bestSuccessor(core);
  if (successor !== NO_PEER) send(core, successor, { kind: 'timeoutNow' });
  becomeFollower(core, core.term, NO_PEER);
}

/** Of the voters that are alive (or else of all) the one with most of the log. NO_PEER when there is no other. */
function bestSuccessor(core: Core): PeerId {
  const others = core.configs.current.voters.filter((id) => core.progress.has(id));
  const live = others.filter((id) => isLive(core, id));
  const match = (id: PeerId) => core.progress.get(id)!.match;
  return [...(live.length > 0 ? live : others)].sort((a, b) => match(b) - match(a))[0] ?? NO_PEER;
}
