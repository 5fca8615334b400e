import { equalJson, listAt, textAt } from '../../api/index.js';
import { conditionOf, withCondition } from '../conditions.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { metaOf } from '../meta.js';
import { observing, placeOf } from '../observe.js';
import { WorkQueue } from '../queue.js';

const NAME = 'default-service-cidr-controller';
const SERVICE_CIDRS = 'servicecidrs.networking.k8s.io';
const DEFAULT = 'kubernetes';

/**
 * Keeps the ServiceCIDR `kubernetes` with the ranges of `--service-cluster-ip-range`. A second range that is added later is added to
 * the object; any other difference is logged, and the object stays.
 */
export function defaultServiceCidr({ cluster, world, log }: ControllerContext, ranges: readonly string[]): Controller {
  const queue = new WorkQueue({
    world,
    workers: 1,
    sync,
    failed: (_, error) => log(`${NAME}: will retry`, { error: String(error) }),
  });
  let reported = false;

  async function sync(): Promise<void> {
    const place = placeOf(cluster, SERVICE_CIDRS, DEFAULT);
    if (place === undefined) return;
    const present =
      (await cluster.get(place)) ??
      (await cluster.create(place.resource, '', {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'ServiceCIDR',
        metadata: { name: DEFAULT },
        spec: { cidrs: [...ranges] },
      }));
    if (metaOf(present).deleting) return;
    const cidrs = listAt(present, 'spec', 'cidrs');
    const { resourceVersion } = metaOf(present);
    if (ranges.length === 2 && cidrs.length === 1 && cidrs[0] === ranges[0]) {
      await cluster.patch(place, '', { metadata: { resourceVersion }, spec: { cidrs: [...ranges] } });
      return;
    }
    if (!equalJson([...cidrs], [...ranges])) {
      if (!reported)
        log('the ServiceCIDR kubernetes has other ranges than --service-cluster-ip-range', { cidrs: [...cidrs] });
      reported = true;
      return;
    }
    const status = textAt(conditionOf(present, 'Ready'), 'status');
    if (status === 'True' || status === 'False') return;
    const message = 'Kubernetes default Service CIDR is ready';
    const ready = { type: 'Ready', status: 'True', reason: '', message } as const;
    const conditions = [...withCondition(present, ready, world.clock.now())];
    await cluster.patch(place, 'status', { metadata: { resourceVersion }, status: { conditions } });
  }

  const observer = observing({
    [SERVICE_CIDRS]: (before, after) => {
      if ((after ?? before)!.name === DEFAULT) queue.add(DEFAULT);
    },
  });
  return controllerOf(NAME, cluster, queue, observer, [DEFAULT]);
}
