// The limits of the core and the relations between them.

import type { RaftLimits } from './types.js';

/** With ticks of 100 ms: heartbeat 100 ms, election timeout 1 to 2 s. */
export const DEFAULT_LIMITS: RaftLimits = {
  electionTicks: 10,
  heartbeatTicks: 1,
  appendBytesMax: 1024 * 1024,
  inflightMessagesMax: 256,
  inflightBytesMax: 16 * 1024 * 1024,
  uncommittedBytesMax: 64 * 1024 * 1024,
  committedBytesPerReadyMax: 4 * 1024 * 1024,
  applyingBytesMax: 32 * 1024 * 1024,
  inflightWritesMax: 4,
  pendingReadsMax: 16_384,
};

/** Throws RangeError when a limit is not a positive safe integer or contradicts another. */
export function checkLimits(limits: RaftLimits): RaftLimits {
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new RangeError(`raft limit ${name} must be >= 1, got ${value}`);
  }
  if (limits.electionTicks <= limits.heartbeatTicks) {
    throw new RangeError('electionTicks must exceed heartbeatTicks, or a healthy leader is deposed');
  }
  if (limits.inflightBytesMax < limits.appendBytesMax) {
    throw new RangeError('inflightBytesMax must hold at least one append message');
  }
  if (limits.applyingBytesMax < limits.committedBytesPerReadyMax) {
    throw new RangeError('applyingBytesMax must hold at least one Ready');
  }
  return limits;
}
