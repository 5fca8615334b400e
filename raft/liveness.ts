// Liveness: what a leader knows about the other peers, and every peer about its own disk.

import type { Core } from './core.js';
import type { PeerId } from './types.js';

/** Sent a message within an election timeout. */
export function isLive(core: Core, id: PeerId): boolean {
  return id === core.id || core.progress.get(id)?.isLive(core.limits.electionTicks) === true;
}

/**
 * Alive, and has accepted an entry from this leader. `isLive` alone is not enough: a new leader assumes at first that every peer
 * is alive, and a decision that needs a peer which died before the election would block.
 */
export function hasAnswered(core: Core, id: PeerId): boolean {
  return id === core.id || (isLive(core, id) && (core.progress.get(id)?.match ?? 0) > 0);
}

/** Dissertation 6.2: a leader without responses from a quorum for an election timeout may have been replaced. */
export function hasLiveQuorum(core: Core): boolean {
  return core.rules.isQuorum(core.configs.current, (id) => isLive(core, id));
}

/** Whether the others could elect a leader. If they could not, a leader with a slow disk is better than none. */
export function othersAreQuorum(core: Core): boolean {
  return core.rules.isQuorum(core.configs.current, (id) => id !== core.id && hasAnswered(core, id));
}

/**
 * Whether the disk has completed no write for an election timeout. This does not matter on a follower or a candidate, whose
 * messages wait for the disk. A leader must step down: the others can commit without its disk, but it cannot apply anything, so
 * its clients wait while its heartbeats prevent the election of a working leader.
 */
export function diskStalls(core: Core): boolean {
  return core.rules.diskStalls(core.diskTicks, core.limits.electionTicks);
}
