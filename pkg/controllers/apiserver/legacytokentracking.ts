import { textAt } from '../../api/index.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { observing, placeOf } from '../observe.js';
import { WorkQueue } from '../queue.js';

const NAMESPACE = 'kube-system';
const CONFIG_MAP = 'kube-apiserver-legacy-service-account-token-tracking';
const NAME = 'legacy-service-account-token-tracking';
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Keeps the ConfigMap that says since which day the last use of service account tokens in secrets is recorded. Tokens that were not
 * used since a day long ago may be removed. A day that is not one is replaced by today.
 */
export function legacyTokenTracking({ cluster, world, log }: ControllerContext): Controller {
  const key = `${NAMESPACE}/${CONFIG_MAP}`;
  const queue = new WorkQueue({
    world,
    workers: 1,
    sync,
    failed: (_, error) => log(`${NAME}: will retry`, { error: String(error) }),
  });

  async function sync(): Promise<void> {
    const place = placeOf(cluster, 'configmaps', key)!;
    const present = await cluster.get(place);
    if (DAY.test(textAt(present, 'data', 'since'))) return;
    const data = { since: new Date(world.clock.now()).toISOString().slice(0, 10) };
    if (present !== undefined) await cluster.replace(place, '', { ...present, data });
    else
      await cluster.create(place.resource, NAMESPACE, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: CONFIG_MAP, namespace: NAMESPACE },
        data,
      });
  }

  const observer = observing({
    configmaps: (before, after) => {
      const { namespace, name } = (after ?? before)!;
      if (namespace === NAMESPACE && name === CONFIG_MAP) queue.add(key);
    },
  });
  return controllerOf(NAME, cluster, queue, observer, [key]);
}
