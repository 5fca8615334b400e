import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  type Shaped,
  zeroQuantity,
} from '../../../../api/index.js';
import type { shapes } from '../../../../schema/index.js';
import { objectAt, objectsAt, textAt } from '../../access.js';

/** The effective request of a pod: the sum of its running containers, or the maximum of its init containers if that is greater. */
export function aggregateRequests(spec: Shaped<shapes.CoreV1PodSpec>, name: string): Quantity {
  const of = (c: Shaped<shapes.CoreV1Container>): Quantity =>
    parseQuantity(textAt(c, 'resources', 'requests', name)) ?? zeroQuantity;
  let running = zeroQuantity;
  for (const c of objectsAt(spec, 'containers')) running = addQuantities(running, of(c));
  let sidecars = zeroQuantity;
  let starting = zeroQuantity;
  for (const c of objectsAt(spec, 'initContainers')) {
    if (textAt(c, 'restartPolicy') === 'Always') {
      sidecars = addQuantities(sidecars, of(c));
      continue;
    }
    const needs = addQuantities(of(c), sidecars);
    if (compareQuantities(needs, starting) > 0) starting = needs;
  }
  running = addQuantities(running, sidecars);
  return compareQuantities(starting, running) > 0 ? starting : running;
}

/** Whether a container states a request of this name. */
export const containersRequest = (spec: Shaped<shapes.CoreV1PodSpec>, name: string): boolean =>
  (['containers', 'initContainers'] as const).some((list) =>
    objectsAt(spec, list).some((c) => Object.hasOwn(objectAt(c, 'resources', 'requests'), name)),
  );

/** Whether requests and limits of the pod as a whole can have this name. */
export const isPodLevelResource = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
