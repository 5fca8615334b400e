import type { World } from '../../base/index.js';
import { SNAPSHOT_LIMITS } from '../common/index.js';

/** Calls `stalled` once if `progressed` has not been called for too long. */
export function stallTimer(world: World, stalled: () => void): { progressed(): void; stop(): void } {
  let last = world.clock.monotonic();
  const stop = world.timers.every(SNAPSHOT_LIMITS.stallMs / 4, () => {
    if (world.clock.monotonic() - last < SNAPSHOT_LIMITS.stallMs) return;
    stop();
    stalled();
  });
  return {
    progressed: () => {
      last = world.clock.monotonic();
    },
    stop,
  };
}
