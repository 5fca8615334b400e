// Deliberate changes of leadership: transfer to a chosen successor (dissertation 3.10), and a leader that resigns.

import type { Core } from './core.js';
import { send } from './core.js';
import { campaignForReal, mayCampaign } from './election.js';
import { isLive } from './liveness.js';
import type { TimeoutNow } from './messages.js';
import type { TransferResult } from './ready.js';
import { becomeFollower } from './roles.js';
import type { PeerId } from './types.js';
import { NO_PEER } from './types.js';

export function transferLeadership(core: Core, to: PeerId): TransferResult {
  const { leader } = core;
  if (core.role !== 'leader') return { kind: 'refused', reason: 'notLeader', leader };
  if (to === core.id) return { kind: 'refused', reason: 'alreadyLeader', leader };
  if (!core.configs.current.voters.includes(to)) return { kind: 'refused', reason: 'notVoter', leader };
  // Two successors that campaign at once would split the vote.
  if (core.transfer?.to !== to && !mayAppoint(core)) return { kind: 'refused', reason: 'transferring', leader };
  // A repeated request for the same successor does not extend its time.
  if (core.transfer?.to !== to) core.transfer = { to, ticks: 0, asked: false };
  return { kind: 'started' };
}

/** Leader, in the drain: sends TimeoutNow to a successor that is up to date. */
export function settleTransfer(core: Core): void {
  const { transfer, log, progress } = core;
  if (transfer === undefined || transfer.asked) return;
  if (progress.get(transfer.to)?.match !== log.lastIndex) return;
  transfer.asked = true;
  // It has a whole election timeout from here on, so that no other successor is asked meanwhile.
  transfer.ticks = 0;
  send(core, transfer.to, { kind: 'timeoutNow' });
}

/** Handles TimeoutNow on the successor. */
export function handleTimeoutNow(core: Core, message: TimeoutNow): void {
  // Only the current leader may appoint a successor. The vote needs no pre-vote, because the leader itself requests it.
  if (core.leader === message.from && mayCampaign(core)) campaignForReal(core, true);
}

/** Steps down and asks the best other peer to campaign at once, so that the cluster does not wait for an election timeout. */
export function resign(core: Core): void {
  // The requested successor already campaigns; a second one would split the vote.
  const successor = mayAppoint(core) ? bestSuccessor(core) : NO_PEER;
  if (successor !== NO_PEER) send(core, successor, { kind: 'timeoutNow' });
  becomeFollower(core, core.term, NO_PEER);
}

function mayAppoint({ rules, transfer }: Core): boolean {
  return rules.mayAppoint(transfer?.asked === true);
}

/** Returns the voter with the longest log, among those alive if there are any. NO_PEER when there is no other voter. */
function bestSuccessor(core: Core): PeerId {
  const others = core.configs.current.voters.filter((id) => core.progress.has(id));
  const live = others.filter((id) => isLive(core, id));
  const match = (id: PeerId) => core.progress.get(id)!.match;
  return [...(live.length > 0 ? live : others)].sort((a, b) => match(b) - match(a))[0] ?? NO_PEER;
}
