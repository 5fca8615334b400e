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

type Amounts = ReadonlyMap<string, Quantity>;

/**
 * The effective requests or limits of a pod by resource, in one pass: the sum of its running containers, or the maximum of its init containers
 * if that is greater. What a container does not state counts as zero.
 */
export function aggregates(spec: Shaped<shapes.CoreV1PodSpec>, field: 'requests' | 'limits'): Amounts {
  const running = new Map<string, Quantity>();
  for (const c of objectsAt(spec, 'containers')) addAll(running, amountsOf(c, field));
  const sidecars = new Map<string, Quantity>();
  const starting = new Map<string, Quantity>();
  for (const c of objectsAt(spec, 'initContainers')) {
    const stated = amountsOf(c, field);
    if (textAt(c, 'restartPolicy') === 'Always') addAll(sidecars, stated);
    else
      for (const [name, amount] of stated)
        raise(starting, name, addQuantities(amount, sidecars.get(name) ?? zeroQuantity));
  }
  addAll(running, sidecars);
  for (const [name, amount] of starting) raise(running, name, amount);
  return running;
}

function amountsOf(container: Shaped<shapes.CoreV1Container>, field: 'requests' | 'limits'): Amounts {
  const stated = Object.entries(objectAt(container, 'resources', field));
  return new Map(stated.map(([name, amount]) => [name, parseQuantity(String(amount)) ?? zeroQuantity]));
}

function addAll(total: Map<string, Quantity>, more: Amounts): void {
  for (const [name, amount] of more) total.set(name, addQuantities(total.get(name) ?? zeroQuantity, amount));
}

function raise(most: Map<string, Quantity>, name: string, amount: Quantity): void {
  const before = most.get(name);
  if (before === undefined || compareQuantities(amount, before) > 0) most.set(name, amount);
}

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
  const stating = statements(spec, 'limits');
  const containers = startedContainers(spec).length;
  for (const [name, together] of aggregates(spec, 'limits')) {
    if (!isPodLevelResource(name) || given('limits')[name] !== undefined) continue;
    if (!isHugePages(name) && stating.get(name) !== containers) continue;
    const request = parseQuantity(textAt(resources, 'requests', name)) ?? zeroQuantity;
    const limit = compareQuantities(request, together) > 0 ? request : together;
    setOwn(objectIn(resources, 'limits'), name, formatQuantity(limit));
  }
  for (const [name, together] of aggregates(spec, 'requests')) {
    if (!isPodLevelResource(name) || given('requests')[name] !== undefined || isHugePages(name)) continue;
    setOwn(objectIn(resources, 'requests'), name, formatQuantity(together));
  }
  for (const [name, limit] of Object.entries(given('limits')))
    if (isPodLevelResource(name) && given('requests')[name] === undefined)
      setOwn(objectIn(resources, 'requests'), name, limit);
}

const startedContainers = (spec: Shaped<shapes.CoreV1PodSpec>): readonly Shaped<shapes.CoreV1Container>[] => [
  ...objectsAt(spec, 'containers'),
  ...objectsAt(spec, 'initContainers'),
];

/** How many containers state each resource. */
function statements(spec: Shaped<shapes.CoreV1PodSpec>, field: 'requests' | 'limits'): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const c of startedContainers(spec))
    for (const name of Object.keys(objectAt(c, 'resources', field))) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
