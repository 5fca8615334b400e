import { DEFAULT_LIMITS, RaftNode, toLogIndex, toPeerId } from '../../../raft/index.js';
import type { World } from '../../base/index.js';
import type { PeerConfig } from '../common/index.js';
import { LogCorruptError, type OpenedLog } from '../durability/index.js';

/** Creates the consensus core from log and state. Throws `LogCorruptError` if the two cannot belong together. */
export function startRaft(config: PeerConfig, world: World, applied: number, log: OpenedLog): RaftNode {
  const { tail, identity } = log;
  if (applied < tail.base().index) {
    throw new LogCorruptError(`The log begins after entry ${tail.base().index}, but the state ends at ${applied}`);
  }
  if (applied > tail.lastIndex()) {
    throw new LogCorruptError(`The state goes up to entry ${applied}, but the log ends at ${tail.lastIndex()}`);
  }
  // What was applied was committed, even if the log does not record it yet.
  const hardState = log.hardState && { ...log.hardState, commit: toLogIndex(Math.max(log.hardState.commit, applied)) };
  return new RaftNode({
    id: toPeerId(identity.peerId),
    storage: tail,
    hardState,
    applied: toLogIndex(applied),
    limits: {
      ...DEFAULT_LIMITS,
      electionTicks: Math.max(2, Math.ceil(config.electionMs / config.heartbeatMs)),
      heartbeatTicks: 1,
    },
    random: () => world.random.float(),
  });
}
