import type { World } from '../../base/index.js';
import { CONTROL_LIMITS, type Identity, type PeerConfig } from '../common/index.js';
import type { TransportProvider } from '../network/index.js';
import { othersOf } from './join.js';
import { HAS_STARTED_CONFIRMED, type HasStarted } from './types.js';

/**
 * Whether this peer was removed before any member reached it. A member that joins has no configuration until the leader sends it one, so
 * it has no connections; if it is removed before that, no member ever connects to it. It asks the members of its flags.
 */
export async function wasRemovedUnreached(
  { config, world }: { readonly config: PeerConfig; readonly world: World },
  { peerId, clusterId }: Identity,
  { callControl }: Pick<TransportProvider, 'callControl'>,
): Promise<boolean> {
  const deadline = world.clock.now() + CONTROL_LIMITS.callMs;
  const answers = await Promise.all(
    othersOf(config).map((url) =>
      callControl(url, deadline, HAS_STARTED_CONFIRMED, peerId).then(
        (answer) => answer as HasStarted,
        () => undefined,
      ),
    ),
  );
  return answers.some((answer) => answer?.clusterId === clusterId && answer.removed === true);
}
