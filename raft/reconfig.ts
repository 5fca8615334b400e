// Changes the members of a running cluster (paper section 6, dissertation chapter 4). membership.ts computes configurations. This
// file decides when the leader may append one, and acts on its commit.

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

/** Leader: whether this change may be appended now, and the configuration to append. */
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
  // A configuration that needs a dead peer would never be committed, and would block all later entries.
  if (!isQuorum(plan.config, (id) => rules.mayCountOn(hasAnswered(core, id)))) {
    return refused('quorumAtRisk', 'too few of the voters after the change are alive');
  }
  return { kind: 'ok', config: plan.config };
}

function refused(reason: ProposeRefusal, detail: string): ChangeVerdict {
  return { kind: 'refused', reason, detail };
}

/**
 * A peer is caught up when it is alive and has everything that the leader had one quorum check ago: it is less than an election
 * timeout behind (the last round of dissertation 4.2.1).
 */
export function isCaughtUp(core: Core, id: PeerId): boolean {
  const progress = core.progress.get(id);
  return progress?.state === 'replicate' && isLive(core, id) && progress.match >= core.catchUpIndex;
}

/** Leader, in the drain: acts on the commit of the configuration in force. */
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
  // Dissertation 4.2.2: the others now decide without this leader.
  if (!isVoter(configs.current, core.id)) resign(core);
}

/** Sends the commit of their removal to removed members, once. The cluster does not depend on this message. */
function dropRemoved(core: Core): void {
  flushAppends(core);
  const staying = new Set(members(core.configs.current));
  for (const id of core.progress.keys()) if (!staying.has(id)) core.progress.delete(id);
}
