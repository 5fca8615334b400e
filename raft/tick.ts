// The effects of time: the leader's heartbeats and quorum checks (dissertation 6.2), the campaigns of the others (paper 5.2).

import type { Core } from './core.js';
import { campaign, mayCampaign } from './election.js';
import { resign } from './handover.js';
import { diskStalls, hasLiveQuorum, othersAreQuorum } from './liveness.js';
import { tickForwardedReads } from './readindex.js';
import { sendHeartbeats } from './replication.js';
import { becomeFollower } from './roles.js';
import { NO_PEER } from './types.js';

export function tick(core: Core): void {
  core.electionElapsed++;
  core.diskTicks = core.log.inflightWrites > 0 ? core.diskTicks + 1 : 0;
  if (core.role === 'leader') tickLeader(core);
  else tickOther(core);
}

function tickLeader(core: Core): void {
  for (const progress of core.progress.values()) progress.silentTicks++;
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
    core.catchUpIndex = core.log.lastIndex;
  }
  // A successor that has not taken over within an election timeout will not do so: serve again.
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
