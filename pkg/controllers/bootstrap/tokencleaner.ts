import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { metaOf } from '../meta.js';
import { keyOf, observing, placeOf } from '../observe.js';
import { WorkQueue } from '../queue.js';
import { endOf, isToken, isTokenName } from './tokens.js';

const NAME = 'token-cleaner-controller';

/** Deletes bootstrap tokens when they expire. */
export function tokenCleaner({ cluster, world, log }: ControllerContext): Controller {
  const queue = new WorkQueue({
    world,
    workers: 1,
    sync,
    failed: (key, error) => log(`${NAME}: will retry`, { secret: key, error: String(error) }),
  });

  async function sync(key: string): Promise<void> {
    const place = placeOf(cluster, 'secrets', key);
    const secret = place === undefined ? undefined : await cluster.get(place);
    if (place === undefined || secret === undefined || !isToken(secret)) return;
    const left = endOf(secret) - world.clock.now();
    if (left > 0) {
      if (Number.isFinite(left)) queue.addAfter(key, left);
      return;
    }
    const { uid, resourceVersion } = metaOf(secret);
    await cluster.delete(place, { uid, resourceVersion });
  }

  const observer = observing({
    secrets: (_, after) => {
      if (after !== undefined && isTokenName(after)) queue.add(keyOf(after));
    },
  });
  return controllerOf(NAME, cluster, queue, observer);
}
