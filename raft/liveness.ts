// Who can be counted on: what a leader knows of the others' lives, and every peer of its own disk.

import type { Core } from './core.js';
import type { PeerId } from './types.js';

/** Said something within an election timeout. */
export function isLive(core: Core, id: PeerId): boolean {
  return id === core.id || core.progress.get(id)?.isLive(core.limits.electionTicks) === true;
}

/**
 * Alive, and not only by the benefit of the doubt that a new leader gives: it has taken an entry from this leader. What is
 * staked on a peer that died before the election would be lost.
 */
export function hasAnswered(core: Core, id: PeerId): boolean {
  return id === core.id || (isLive(core, id) && (core.progress.get(id)?.match ?? 0) > 0);
}

/** Dissertation 6.2: a leader without answers from a quorum for an election timeout may have been replaced. */
export function hasLiveQuorum(core: Core): boolean {
  return core.rules.isQuorum(core.configs.current, (id) => isLive(core, id));
}

/** The others could elect one of them. While they could not, a leader with a slow disk is better than none. */
export function othersAreQuorum(core: Core): boolean {
  return core.rules.isQuorum(core.configs.current, (id) => id !== core.id && hasAnswered(core, id));
}

/**
 * The disk has written nothing for an election timeout. This does not matter for a follower or a candidate, whose messages wait for
 * the disk. A leader must step down: the others can commit without its disk, but it cannot apply anything itself, so its clients
 * wait while its heartbeats prevent the election of a leader that could answer.
 */
export function diskStalls(core: Core): boolean {
  return core.rules.diskStalls(core.diskTicks, core.limits.electionTicks);
}
