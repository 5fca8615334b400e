// Leader election: campaigns and votes (paper 5.2, 5.4.1), with pre-votes (dissertation 9.6).

import type { Core } from './core.js';
import { send } from './core.js';
import { diskStalls } from './liveness.js';
import { isVoter, members } from './membership.js';
import type { VoteReply, VoteRequest } from './messages.js';
import { becomeCandidate, becomeFollower, becomeLeader, becomePreCandidate } from './roles.js';
import type { PeerId, Term } from './types.js';
import { NO_PEER } from './types.js';

/**
 * Voters may campaign. So may a peer whose removal is in its log but not known to be committed: the others may need its
 * log to elect a leader (dissertation 4.2.2, figure 4.6). A peer does not campaign while it installs a snapshot, nor while its
 * disk accepts no writes: it could not vote for itself, and its term would disturb the others.
 */
export function mayCampaign(core: Core): boolean {
  const { configs, log } = core;
  if (core.role === 'leader' || log.installing || diskStalls(core)) return false;
  if (isVoter(configs.current, core.id)) return true;
  return configs.currentIndex > log.commit && isVoter(configs.previous, core.id);
}

/** Dissertation 9.6: a pre-vote first, so that a peer that cannot win does not raise the term of the others. */
export function campaign(core: Core): void {
  becomePreCandidate(core);
  askForVotes(core, { preVote: true, transfer: false });
  countVote(core, core.id, true);
}

/** Paper 5.2. The candidate's own vote counts when it is durable (noteDurable). */
export function campaignForReal(core: Core, transfer: boolean): void {
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

/** `core.durable` holds the term and vote that are now on disk. */
export function noteDurable(core: Core): void {
  const { durable } = core;
  if (core.role === 'candidate' && durable.term === core.term && durable.vote === core.id) {
    countVote(core, core.id, true);
  }
}

/**
 * True if a message from a leader arrived within the shortest election timeout. A candidate is then mistaken or was
 * removed, and is ignored (paper section 6, last problem; dissertation 4.2.3).
 */
export function trustsLeader(core: Core): boolean {
  return core.leader !== NO_PEER && core.electionElapsed < core.limits.electionTicks;
}

/** Answers a request of the current term, or a pre-vote for a later one. */
export function handleVoteRequest(core: Core, message: VoteRequest): void {
  const { from, preVote, term } = message;
  const { log, rules } = core;
  const free = preVote ? term > core.term : rules.voteIsFree(core.vote, from);
  const upToDate = rules.isUpToDate(
    { index: message.lastIndex, term: message.lastTerm },
    { index: log.lastIndex, term: log.lastTerm },
  );
  const granted = free && upToDate;
  // A granted pre-vote carries the requested term. A denied one carries this peer's term, so that the candidate can catch up.
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
    // A majority is no longer possible, even with all outstanding votes.
    becomeFollower(core, core.term, NO_PEER);
  }
}
