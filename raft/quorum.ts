// Majorities of single and joint configurations. A joint configuration needs a majority of both halves (paper section 6). An
// empty half always agrees, so a single configuration needs no branch.

import type { Configuration, LogIndex, PeerId } from './types.js';

/** True when the peers for which `has` holds are a majority of each half. False when there are no voters. */
export function isQuorum(config: Configuration, has: (id: PeerId) => boolean): boolean {
  return config.voters.length > 0 && majorityHas(config.voters, has) && majorityHas(config.votersOutgoing, has);
}

/** The highest index that a quorum has, where peer p has everything up to indexOf(p). 0 without voters. */
export function quorumIndex(config: Configuration, indexOf: (id: PeerId) => LogIndex): LogIndex {
  const incoming = majorityIndex(config.voters, indexOf);
  if (config.votersOutgoing.length === 0) return incoming;
  return Math.min(incoming, majorityIndex(config.votersOutgoing, indexOf)) as LogIndex;
}

function majorityHas(voters: readonly PeerId[], has: (id: PeerId) => boolean): boolean {
  let count = 0;
  for (const id of voters) if (has(id)) count++;
  return count * 2 > voters.length || voters.length === 0;
}

function majorityIndex(voters: readonly PeerId[], indexOf: (id: PeerId) => LogIndex): LogIndex {
  const indexes = voters.map(indexOf).sort((a, b) => b - a);
  // In descending order, floor(n/2)+1 peers have the entry at floor(n/2): a majority.
  return indexes[indexes.length >> 1] ?? (0 as LogIndex);
}
