import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  type JsonObject,
  parseQuantity,
  type Quantity,
  type Shaped,
  setOwn,
  zeroQuantity,
} from '../../../../api/index.js';
import type { shapes } from '../../../../schema/index.js';
import { objectAt, objectIn, objectsAt, textAt } from '../../access.js';

/** The effective request of a pod: the sum of its running containers, or the maximum of its init containers if that is greater. */
export const aggregateRequests = (spec: Shaped<shapes.CoreV1PodSpec>, name: string): Quantity =>
  aggregate(spec, 'requests', name);

/** The effective request or limit of a pod; what a container does not state counts as zero. */
export function aggregate(spec: Shaped<shapes.CoreV1PodSpec>, field: 'requests' | 'limits', name: string): Quantity {
  const of = (c: Shaped<shapes.CoreV1Container>): Quantity =>
    parseQuantity(textAt(c, 'resources', field, name)) ?? zeroQuantity;
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
export const isPodLevelResource = (name: string): boolean => name === 'cpu' || name === 'memory' || isHugePages(name);

const isHugePages = (name: string): boolean => name.startsWith('hugepages-');

/**
 * Completes the resources of a new pod as a whole, if it states any, as kube-apiserver 1.37 does. A limit that is absent is that of the
 * containers together, if all of them have one (of huge pages: if any has), and at least the pod's request. A request
 * that is absent is that of the containers together, or the pod's limit if they have none or it is of huge pages.
 */
export function completePodResources(spec: Shaped<shapes.CoreV1PodSpec>): void {
  const given = (field: 'requests' | 'limits'): JsonObject => objectAt(spec, 'resources', field);
  if (Object.keys(given('limits')).length + Object.keys(given('requests')).length === 0) return;
  const resources = objectIn(spec, 'resources');
  for (const name of namesIn(spec, 'limits')) {
    if (given('limits')[name] !== undefined || !(isHugePages(name) || allState(spec, 'limits', name))) continue;
    const together = aggregate(spec, 'limits', name);
    const request = parseQuantity(textAt(resources, 'requests', name)) ?? zeroQuantity;
    const limit = compareQuantities(request, together) > 0 ? request : together;
    setOwn(objectIn(resources, 'limits'), name, formatQuantity(limit));
  }
  for (const name of namesIn(spec, 'requests')) {
    if (given('requests')[name] !== undefined || isHugePages(name)) continue;
    setOwn(objectIn(resources, 'requests'), name, formatQuantity(aggregateRequests(spec, name)));
  }
  for (const [name, limit] of Object.entries(given('limits')))
    if (isPodLevelResource(name) && given('requests')[name] === undefined)
      setOwn(objectIn(resources, 'requests'), name, limit);
}

const startedContainers = (spec: Shaped<shapes.CoreV1PodSpec>): readonly Shaped<shapes.CoreV1Container>[] => [
  ...objectsAt(spec, 'containers'),
  ...objectsAt(spec, 'initContainers'),
];

/** The pod-level resources that containers state. */
function namesIn(spec: Shaped<shapes.CoreV1PodSpec>, field: 'requests' | 'limits'): ReadonlySet<string> {
  const names = startedContainers(spec).flatMap((c) => Object.keys(objectAt(c, 'resources', field)));
  return new Set(names.filter(isPodLevelResource));
}

const allState = (spec: Shaped<shapes.CoreV1PodSpec>, field: 'requests' | 'limits', name: string): boolean =>
  startedContainers(spec).every((c) => Object.hasOwn(objectAt(c, 'resources', field), name));
