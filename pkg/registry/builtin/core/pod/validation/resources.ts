import {
  compareQuantities,
  type FieldErrors,
  type FieldPath,
  formatQuantity,
  isDns1123Label,
  isIntegerQuantity,
  isQualifiedName,
  type JsonObject,
  type JsonValue,
  parseQuantity,
  type Quantity,
  type Shaped,
  unitsOf,
  type Value,
  zeroQuantity,
} from '../../../../../api/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { objectAt, objectsAt, textAt } from '../../../access.js';
import { sentences } from '../../../rules.js';
import { isPodLevelResource } from '../aggregate.js';

/** Validation of resource names and quantities of containers, pods and overhead. */

const STANDARD: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'persistentvolumeclaims',
  'configmaps',
  'services.nodeports',
  'services.loadbalancers',
  'storage',
  'requests.storage',
]);

const OF_CONTAINERS: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

const HUGE_PAGES = 'hugepages-';
const isHugePages = (name: string): boolean => name.startsWith(HUGE_PAGES);
export const isStandardResource = (name: string): boolean =>
  STANDARD.has(name) || isHugePages(name) || name.startsWith(`requests.${HUGE_PAGES}`);
export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');

/** `example.com/gpu`: an extended resource. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith('requests.')) return false;
  return isQualifiedName(`requests.${name}`).length === 0;
}

/** Whether the resource may be overcommitted. */
const isOvercommittable = (name: string): boolean => isNativeResource(name) && !isHugePages(name);

export function resourceName(name: string, path: FieldPath, errors: FieldErrors): boolean {
  const wrong = isQualifiedName(name);
  for (const s of wrong) errors.invalid(path, name, s);
  if (wrong.length > 0) return false;
  if (!name.includes('/') && !isStandardResource(name)) {
    errors.invalid(path, name, 'must be a standard resource type or fully qualified');
    return false;
  }
  return true;
}

export function containerResourceName(name: string, path: FieldPath, errors: FieldErrors): void {
  resourceName(name, path, errors);
  if (!name.includes('/')) {
    if (!OF_CONTAINERS.has(name) && !isHugePages(name))
      errors.invalid(path, name, 'must be a standard resource for containers');
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    errors.invalid(path, name, "doesn't follow extended resource name standard");
  }
}

/** Validates a quantity: not negative, and an integer for countable resources. */
export function resourceAmount(name: string, value: JsonValue, path: FieldPath, errors: FieldErrors): void {
  const q = parseQuantity(String(value));
  if (q === undefined) return;
  if (compareQuantities(q, zeroQuantity) < 0) errors.invalid(path, value, 'must be greater than or equal to 0');
  if ((isExtendedResource(name) || COUNTED.has(name)) && !isIntegerQuantity(q))
    errors.invalid(path, value, 'must be an integer');
}

const COUNTED: ReadonlySet<string> = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);

export interface ResourceRules {
  /** Names of the pod's resource claims. */
  readonly claims: ReadonlySet<string>;
  /** For pod-level resources. */
  readonly podLevel?: boolean;
  /** Huge pages may be parts of a page, because those of the stored object are. */
  readonly allowsPartPages: boolean;
}

export function resourceRequirements(
  resources: Shaped<shapes.CoreV1ResourceRequirements>,
  rules: ResourceRules,
  path: FieldPath<shapes.CoreV1ResourceRequirements>,
  errors: FieldErrors,
): void {
  const limits = objectAt(resources, 'limits');
  const requests = objectAt(resources, 'requests');
  const name = rules.podLevel ? podResourceName : containerResourceName;
  let computes = false;
  let hugePages = false;
  const look = (n: string) => {
    if (isHugePages(n)) hugePages = true;
    if (n === 'cpu' || n === 'memory') computes = true;
  };
  for (const [n, v] of Object.entries(limits)) {
    name(n, path.child('limits').key(n), errors);
    resourceAmount(n, v, path.child('limits').key(n), errors);
    if (!rules.allowsPartPages) wholePages(n, v, path.child('limits').key(n), errors);
    look(n);
  }
  for (const [n, v] of Object.entries(requests)) {
    name(n, path.child('requests').key(n), errors);
    resourceAmount(n, v, path.child('requests').key(n), errors);
    look(n);
    requestWithinLimit(n, v, limits, path, errors);
    if (!rules.allowsPartPages) wholePages(n, v, path.child('requests').key(n), errors);
  }
  if (hugePages && !computes) errors.forbidden(path, 'HugePages require cpu or memory');
  claims(resources, rules, path.child('claims'), errors);
}

/** Validates the overhead of a pod. kube-apiserver regards it as the limits of a container without requests. */
export function overhead(amounts: JsonObject, allowsPartPages: boolean, path: FieldPath, errors: FieldErrors): void {
  const shown = path as FieldPath<shapes.CoreV1ResourceRequirements>;
  resourceRequirements({ limits: amounts }, { claims: new Set(), allowsPartPages }, shown, errors);
}

/** Huge pages are whole. The name ends with the size of a page. */
function wholePages(name: string, value: JsonValue, path: FieldPath, errors: FieldErrors): void {
  const amount = parseQuantity(String(value));
  if (amount === undefined || !isHugePages(name) || isWholePages(name, amount)) return;
  const shown = formatQuantity(amount);
  errors.invalid(path, shown, `${shown} is not positive integer multiple of ${name}`);
}

function isWholePages(name: string, amount: Quantity): boolean {
  const page = parseQuantity(name.slice(HUGE_PAGES.length));
  if (page === undefined || compareQuantities(page, zeroQuantity) <= 0 || !isIntegerQuantity(page)) return false;
  return unitsOf(amount) % unitsOf(page) === 0n;
}

/** Reports whether a pod has parts of huge pages. */
export function hasPartPages(spec: Shaped<shapes.CoreV1PodSpec>): boolean {
  const isPart = ([name, value]: readonly [string, JsonValue]): boolean => {
    const amount = isHugePages(name) ? parseQuantity(String(value)) : undefined;
    return amount !== undefined && !isWholePages(name, amount);
  };
  const containers = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
  const amounts = containers.flatMap((c) => [objectAt(c, 'resources', 'limits'), objectAt(c, 'resources', 'requests')]);
  return [...amounts, objectAt(spec, 'overhead')].some((o) => Object.entries(o).some(isPart));
}

function podResourceName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (!resourceName(name, path, errors)) return;
  if (!isPodLevelResource(name)) errors.notSupported(path, name, ['cpu', 'hugepages-', 'memory']);
}

function requestWithinLimit(
  name: string,
  request: JsonValue,
  limits: JsonObject,
  path: FieldPath<shapes.CoreV1ResourceRequirements>,
  errors: FieldErrors,
): void {
  const limit = Object.hasOwn(limits, name) ? parseQuantity(String(limits[name])) : undefined;
  const asked = parseQuantity(String(request));
  if (asked === undefined) return;
  if (limit === undefined) {
    if (!isOvercommittable(name))
      errors.required(path.child('limits'), 'Limit must be set for non overcommitable resources');
    return;
  }
  const order = compareQuantities(asked, limit);
  if (order !== 0 && !isOvercommittable(name))
    errors.invalid(
      path.child('requests'),
      formatQuantity(asked),
      `must be equal to ${name} limit of ${formatQuantity(limit)}`,
    );
  else if (order > 0)
    errors.invalid(
      path.child('requests'),
      formatQuantity(asked),
      `must be less than or equal to ${name} limit of ${formatQuantity(limit)}`,
    );
}

function claims(
  resources: Shaped<shapes.CoreV1ResourceRequirements>,
  rules: ResourceRules,
  path: FieldPath<readonly shapes.CoreV1ResourceClaim[]>,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  const used = new Set<string>();
  errors.each(objectsAt(resources, 'claims'), (claim, i) => {
    const here = path.index(i);
    const name = textAt(claim, 'name');
    if (name === '') {
      errors.required(here);
      return;
    }
    const request = textAt(claim, 'request');
    // A whole claim and one of its requests exclude each other.
    if (seen.has(name) || (request === '' && used.has(name))) errors.duplicate(here, name);
    else {
      if (request !== '') sentences(request, isDns1123Label, here.child('request'), errors);
      const key = request === '' ? name : `${name}/${request}`;
      if (seen.has(key)) errors.duplicate(here, key);
      else seen.add(key);
    }
    used.add(name);
    if (rules.claims.has(name) || errors.full) return;
    const known = [...rules.claims].sort();
    const detail =
      known.length === 0
        ? 'must be one of the names in pod.spec.resourceClaims which is empty'
        : `must be one of the names in pod.spec.resourceClaims: ${known.join(', ')}`;
    errors.add('FieldValueNotFound', here, `Not found: ${JSON.stringify(name)}: ${detail}`);
  });
}

/** Validates resourceFieldRef, which exposes a container's resources in its environment and in files. */
const READABLE = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

const DIVISORS: Readonly<Record<string, readonly string[]>> = {
  cpu: ['1m', '1'],
  memory: ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'],
};

export function resourceFieldSelector(
  ref: Value<shapes.CoreV1ResourceFieldSelector>,
  readable: readonly string[],
  inVolume: boolean,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const resource = textAt(ref, 'resource');
  if (inVolume && textAt(ref, 'containerName') === '') errors.required(path.child('containerName'));
  else if (resource === '') errors.required(path.child('resource'));
  else {
    const huge = /^(limits|requests)\.hugepages-/.test(resource);
    if (!readable.includes(resource) && !huge) errors.notSupportedText(path.child('resource'), resource, readable);
  }
  divisor(ref, resource, path.child('divisor'), errors);
}

export const READABLE_RESOURCES: readonly string[] = READABLE;

function divisor(
  ref: Value<shapes.CoreV1ResourceFieldSelector>,
  resource: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const text = textAt(ref, 'divisor');
  const q = text === '' ? undefined : parseQuantity(text);
  // absent and zero are equal
  if (q === undefined || compareQuantities(q, zeroQuantity) === 0) return;
  const kind = /cpu$/.test(resource)
    ? 'cpu'
    : /(memory|storage)$/.test(resource) || resource.includes(HUGE_PAGES)
      ? 'memory'
      : undefined;
  if (kind === undefined) return;
  const allowed = DIVISORS[kind]!;
  // kube-apiserver compares the text, and keeps some in another notation (`1.`).
  if (allowed.includes(text)) return;
  const what = /memory$/.test(resource)
    ? 'memory resource'
    : /storage$/.test(resource)
      ? 'local ephemeral storage resource'
      : kind === 'cpu'
        ? 'cpu resource'
        : 'hugepages resource';
  errors.invalid(
    path,
    resource,
    `only divisor's values ${allowed.join(kind === 'cpu' ? ' and ' : ', ')} are supported with the ${what}`,
  );
}
