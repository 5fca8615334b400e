import {
  addQuantities,
  compareQuantities,
  type JsonObject,
  parseQuantity,
  type Quantity,
  type Shaped,
  zeroQuantity,
} from '../../../../api/index.js';
import type { shapes } from '../../../../schema/index.js';
import { objectAt, objectsAt } from '../../access.js';

/** The resources that determine the QoS class. */
const COMPUTE = ['cpu', 'memory'] as const;

type Amounts = Partial<Record<(typeof COMPUTE)[number], Quantity>>;

/**
 * The QoS class of a pod: `Guaranteed` when its requests equal its limits, `BestEffort` when it requests
 * nothing, else `Burstable`. Pod-level resources take precedence over those of the containers.
 */
export function qosClass(spec: Shaped<shapes.CoreV1PodSpec>): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const whole = objectAt(spec, 'resources');
  const parts =
    Object.keys(objectAt(whole, 'requests')).length > 0 || Object.keys(objectAt(whole, 'limits')).length > 0
      ? [whole]
      : [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')].map((c) => objectAt(c, 'resources'));
  const requests: Amounts = {};
  const limits: Amounts = {};
  let limited = true;
  for (const resources of parts) {
    add(requests, objectAt(resources, 'requests'));
    const own = add(limits, objectAt(resources, 'limits'));
    if (own < COMPUTE.length) limited = false;
  }
  if (Object.keys(requests).length === 0 && Object.keys(limits).length === 0) return 'BestEffort';
  const equal = COMPUTE.every((name) => {
    const request = requests[name];
    const limit = limits[name];
    return request === undefined ? limit === undefined : limit !== undefined && compareQuantities(request, limit) === 0;
  });
  return limited && equal ? 'Guaranteed' : 'Burstable';
}

/** Adds the quantities of one list; returns how many of the QoS resources it has. */
function add(to: Amounts, list: JsonObject): number {
  let counted = 0;
  for (const name of COMPUTE) {
    const amount = Object.hasOwn(list, name) ? parseQuantity(String(list[name])) : undefined;
    if (amount === undefined || compareQuantities(amount, zeroQuantity) <= 0) continue;
    counted++;
    to[name] = addQuantities(to[name] ?? zeroQuantity, amount);
  }
  return counted;
}
