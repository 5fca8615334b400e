// Changing the members of a running cluster (paper section 6, dissertation chapter 4). The pure arithmetic of
// configurations is in membership.ts; here is when the leader may append one, and what follows from its commitment.

import type { Core } from './core.js';
import { committedInTerm } from './core.js';
import { resign } from './handover.js';
import { hasAnswered, isLive } from './liveness.js';
import { encodeConfigEntry, isJoint, isVoter, leaveJoint, members, planChange } from './membership.js';
import { isQuorum } from './quorum.js';
import type { ProposeRefusal } from './ready.js';
import { appendEntry, flushAppends } from './replication.js';
import type { ConfigChange, Configuration, PeerId } from './types.js';

export type ChangeVerdict =
  | { readonly kind: 'ok'; readonly config: Configuration }
  | { readonly kind: 'refused'; readonly reason: ProposeRefusal; readonly detail: string };

/** Leader: may this change be appended now, and as which configuration? */
export function judgeChange(core: Core, change: ConfigChange): ChangeVerdict {
  const { configs, log, rules } = core;
  if (!rules.mayChangeConfig(committedInTerm(core))) {
    return refused('noCommitInTerm', 'nothing of the current term is committed yet');
  }
  if (!rules.mayAppendConfig(configs.currentIndex, log.commit) || isJoint(configs.current)) {
    return refused('configPending', `the change at ${configs.currentIndex} is not complete`);
  }
  const plan = planChange(configs.current, change.changes);
  if (plan.kind === 'invalid') return refused('invalidChange', plan.detail);
  for (const { kind, id } of change.changes) {
    if (kind === 'addVoter' && configs.current.learners.includes(id) && !isCaughtUp(core, id)) {
      return refused('learnerBehind', `learner ${id} has not caught up`);
    }
  }
  // One that counts on a dead peer would never be committed, nor would anything after it.
  if (!isQuorum(plan.config, (id) => rules.mayCountOn(hasAnswered(core, id)))) {
    return refused('quorumAtRisk', 'too few of the voters after the change are alive');
  }
  return { kind: 'ok', config: plan.config };
}

function refused(reason: ProposeRefusal, detail: string): ChangeVerdict {
  return { kind: 'refused', reason, detail };
}

/**
 * A peer is caught up when it is alive and has everything the leader had one quorum check ago: it lags less than an
 * election timeout behind (the last round of dissertation 4.2.1).
 */
export function isCaughtUp(core: Core, id: PeerId): boolean {
  const progress = core.progress.get(id);
  return progress?.state === 'replicate' && isLive(core, id) && progress.match >= core.catchUpIndex;
}

/** Leader, in the drain: what follows when the configuration in force is committed. */
export function settleMembership(core: Core): void {
  if (!core.membershipUnsettled) return;
  const { configs, log, rules } = core;
  if (isJoint(configs.current)) {
    if (!rules.mayLeaveJoint(configs.currentIndex, log.commit)) return;
    appendEntry(core, 'config', encodeConfigEntry(leaveJoint(configs.current)));
  }
  if (configs.currentIndex > log.commit) return;
  core.membershipUnsettled = false;
  dropRemoved(core);
  // Dissertation 4.2.2: the others decide without this leader now.
  if (!isVoter(configs.current, core.id)) resign(core);
}

/** Sends the commit of their removal to removed members, once. If the message is lost, the cluster does not depend on it. */
function dropRemoved(core: Core): void {
  flushAppends(core);
  const staying = new Set(members(core.configs.current));
  for (const id of core.progress.keys()) if (!staying.has(id)) core.progress.delete(id);
}
