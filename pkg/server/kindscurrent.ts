import type { World } from '../base/index.js';
import type { ServedDefinitions } from '../controllers/index.js';
import type { Registry } from '../registry/index.js';

/** Milliseconds. Without a leader, a peer then serves the kinds that it knows. */
const WAIT_MS = 1_000;

/**
 * Waits, for a short time, until this peer serves the kinds of all definitions that were established before the call, through whichever
 * peer: the client may have seen one of them there.
 */
export async function kindsCurrent(
  world: World,
  { cache }: Pick<Registry, 'cache'>,
  definitions: Pick<ServedDefinitions, 'settled'>,
): Promise<void> {
  const current = cache.fresh(world.clock.monotonic() + WAIT_MS).then(() => definitions.settled());
  let cancel = (): void => {};
  const late = new Promise<void>((resolve) => {
    cancel = world.timers.after(WAIT_MS, resolve);
  });
  await Promise.race([current.catch(() => {}), late]);
  cancel();
}
