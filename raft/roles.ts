// The four roles and the transitions between them (paper figure 4, with the pre-candidate of dissertation 9.6). Every change of
// role or term happens here.

import type { Core } from './core.js';
import { drawElectionTimeout } from './core.js';
import { invariant } from './invariant.js';
import { dropReads } from './readindex.js';
import { appendEntry, trackMembers } from './replication.js';
import type { LogIndex, PeerId, Term } from './types.js';
import { NO_PEER } from './types.js';

const NO_BYTES = new Uint8Array(0);

/** Follows `leader` (`NO_PEER` if unknown) in `term`, which is not older than the current one. */
export function becomeFollower(core: Core, term: Term, leader: PeerId): void {
  enter(core, 'follower', term, leader);
}

/** Asks for pre-votes. Term and vote do not change. */
export function becomePreCandidate(core: Core): void {
  invariant(core.role !== 'leader', 2, 'a leader does not campaign');
  enter(core, 'preCandidate', core.term, NO_PEER);
}

/** Paper 5.2: increments the term and votes for itself. */
export function becomeCandidate(core: Core): void {
  invariant(core.role !== 'leader', 2, 'a leader does not campaign');
  enter(core, 'candidate', (core.term + 1) as Term, NO_PEER);
  core.vote = core.id;
}

/** Leads the current term, after a quorum voted for this peer. */
export function becomeLeader(core: Core): void {
  invariant(core.role === 'candidate' && core.vote === core.id, 2, `a ${core.role} cannot become leader`);
  enter(core, 'leader', core.term, core.id);
  core.termStart = (core.log.lastIndex + 1) as LogIndex;
  core.catchUpIndex = core.log.lastIndex;
  trackMembers(core);
  if (core.rules.startsTermWithNoop()) appendEntry(core, 'noop', NO_BYTES);
}

function enter(core: Core, role: Core['role'], term: Term, leader: PeerId): void {
  invariant(term >= core.term, 1, `term went back from ${core.term} to ${term}`);
  if (role !== core.role || term !== core.term || leader !== core.leader) dropReads(core);
  if (term !== core.term) core.vote = NO_PEER;
  core.role = role;
  core.term = term;
  core.leader = leader;
  core.electionElapsed = 0;
  core.heartbeatElapsed = 0;
  core.electionTimeout = drawElectionTimeout(core);
  core.votes = new Map();
  core.progress = new Map();
  core.uncommittedBytes = 0;
  core.transfer = undefined;
  core.readRoundNumber = 0;
}
