import { equalJson, formatTime, listAt, textAt } from '../../api/index.js';
import type { Cluster } from '../cluster.js';
import { conditionOf } from '../conditions.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { metaOf } from '../meta.js';
import { observing, placeOf } from '../observe.js';
import { WorkQueue } from '../queue.js';
import { eventRecorder } from '../recorder.js';

const NAME = 'default-service-cidr-controller';
/** The name of its events and, in kube-apiserver, of the owner of the condition. */
export const SERVICE_CIDR_MANAGER = 'kubernetes-service-cidr-controller';
const SERVICE_CIDRS = 'servicecidrs.networking.k8s.io';
const DEFAULT = 'kubernetes';

export interface DefaultServiceCidrOptions {
  /** `--service-cluster-ip-range` */
  readonly ranges: readonly string[];
  /** The cluster as seen by `SERVICE_CIDR_MANAGER`, which applies the condition. */
  readonly status: Cluster;
}

/**
 * Keeps the ServiceCIDR `kubernetes` with the ranges of `--service-cluster-ip-range`. A second range that is added later is added to
 * the object; any other difference is logged and reported in an event, once, and the object stays. So is a condition that says that the
 * ServiceCIDR is not ready, which this controller does not overwrite.
 */
export function defaultServiceCidr(context: ControllerContext, options: DefaultServiceCidrOptions): Controller {
  const { cluster, world, log } = context;
  const { ranges } = options;
  const record = eventRecorder(context, SERVICE_CIDR_MANAGER);
  const queue = new WorkQueue({
    world,
    workers: 1,
    sync,
    failed: (_, error) => log(`${NAME}: will retry`, { error: String(error) }),
  });
  let reportedRanges = false;
  let reportedCondition = false;

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
      if (reportedRanges) return;
      reportedRanges = true;
      log('the ServiceCIDR kubernetes has other ranges than --service-cluster-ip-range', { cidrs: [...cidrs] });
      const message = `The default ServiceCIDR [${cidrs.join(' ')}] does not match the controller flag configurations [${ranges.join(' ')}]`;
      record(present, { type: 'Warning', reason: 'KubernetesDefaultServiceCIDRInconsistent', message });
      return;
    }
    const condition = conditionOf(present, 'Ready');
    const status = textAt(condition, 'status');
    if (status === 'False' && !reportedCondition) {
      reportedCondition = true;
      const message = `Configuration matches, but ${textAt(condition, 'message')}`;
      record(present, { type: 'Warning', reason: textAt(condition, 'reason'), message });
    }
    if (status === 'True' || status === 'False') return;
    const message = 'Kubernetes default Service CIDR is ready';
    const lastTransitionTime = formatTime(world.clock.now());
    await options.status.apply(place, 'status', {
      metadata: { resourceVersion },
      status: { conditions: [{ type: 'Ready', status: 'True', message, lastTransitionTime }] },
    });
  }

  const observer = observing({
    [SERVICE_CIDRS]: (before, after) => {
      if ((after ?? before)!.name === DEFAULT) queue.add(DEFAULT);
    },
  });
  return controllerOf(NAME, cluster, queue, observer, [DEFAULT]);
}
