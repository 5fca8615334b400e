import {
  type AdmissionRequest,
  addQuantities,
  at,
  compareQuantities,
  formatQuantity,
  type GroupResourceName,
  isObject,
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  parseQuantity,
  parseTime,
  type Quantity,
  quantityOf,
  subtractQuantities,
  textAt,
  unitsOf,
  zeroQuantity,
} from '../api/index.js';
import { type Amounts, amountsAt, podAmounts } from './podamounts.js';

/** Usage of objects in resource quotas, shared by the admission step and the quota controller. */

/** How one resource is counted. */
export interface QuotaEvaluator {
  /** Whether a request can change the usage. */
  handles(request: Pick<AdmissionRequest, 'operation' | 'subresource' | 'object' | 'old'>): boolean;
  /** Whether a name of `spec.hard` counts this resource. */
  counts(name: string): boolean;
  matchesScope(scope: ScopeRequirement, object: JsonObject): boolean;
  /** Returns the error of an object under a quota on these names, or undefined. */
  constraint(names: readonly string[], object: JsonObject): string | undefined;
  /** `now` in milliseconds. */
  usage(object: JsonObject, now: number): Map<string, Quantity>;
}

export interface ScopeRequirement {
  readonly scope: string;
  readonly operator: string;
  readonly values: readonly string[];
}

const ONE = quantityOf(1);

/** Names of core resources that count objects without the prefix `count/`. */
const ALIASES: Readonly<Record<string, string>> = {
  configmaps: 'configmaps',
  resourcequotas: 'resourcequotas',
  replicationcontrollers: 'replicationcontrollers',
  secrets: 'secrets',
};

/** Virtual resources and events, which quotas do not count. */
const IGNORED: ReadonlySet<string> = new Set([
  '/bindings',
  '/componentstatuses',
  'authentication.k8s.io/tokenreviews',
  'authentication.k8s.io/selfsubjectreviews',
  'authorization.k8s.io/subjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  '/events',
  'events.k8s.io/events',
]);

/** `count/deployments.apps`. */
const countName = ({ group, resource }: GroupResourceName): string =>
  group === '' ? `count/${resource}` : `count/${resource}.${group}`;

const evaluators = new Map<string, QuotaEvaluator>();

/** Returns the evaluator of a resource; undefined for resources that quotas ignore. */
export function evaluatorOf(resource: GroupResourceName): QuotaEvaluator | undefined {
  const key = `${resource.group}/${resource.resource}`;
  if (IGNORED.has(key)) return undefined;
  return SPECIAL[key] ?? evaluators.get(key) ?? remember(key, objectCount(resource));
}

function remember(key: string, evaluator: QuotaEvaluator): QuotaEvaluator {
  if (evaluators.size < EVALUATORS_MAX) evaluators.set(key, evaluator);
  return evaluator;
}

/** The maximum number of cached evaluators. */
const EVALUATORS_MAX = 1_000;

function objectCount(resource: GroupResourceName): QuotaEvaluator {
  const names = [countName(resource)];
  if (resource.group === '' && ALIASES[resource.resource] !== undefined) names.push(ALIASES[resource.resource]!);
  return {
    handles: ({ operation, subresource }) => operation === 'create' && subresource === '',
    counts: (name) => names.includes(name),
    matchesScope: () => false,
    constraint: () => undefined,
    usage: () => new Map(names.map((name) => [name, ONE])),
  };
}

const isWritten = ({ operation, subresource }: Pick<AdmissionRequest, 'operation' | 'subresource'>): boolean =>
  subresource === '' && (operation === 'create' || operation === 'update');

const POD_NAMES: ReadonlySet<string> = new Set([
  'count/pods',
  'pods',
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
]);
/** A quota on one of these requires every container to set it. */
const REQUIRED: readonly string[] = ['cpu', 'limits.cpu', 'limits.memory', 'memory', 'requests.cpu', 'requests.memory'];
const HUGE_PAGES = 'hugepages-';
const DEVICE_CLASS = 'deviceclass.resource.kubernetes.io/';

/** Whether a resource is an extended resource: its name has a domain outside kubernetes.io. */
export const isExtendedResource = (name: string): boolean =>
  name.startsWith(DEVICE_CLASS) || (name.includes('/') && !name.includes('kubernetes.io/'));

const pods: QuotaEvaluator = {
  handles: ({ operation, subresource, object, old }) => {
    if (subresource === 'resize') return operation === 'update';
    if (subresource !== '') return false;
    if (operation === 'update') return hasDeadline(object) !== hasDeadline(old);
    return operation === 'create';
  },
  counts: (name) =>
    POD_NAMES.has(name) ||
    name.startsWith(HUGE_PAGES) ||
    (name.startsWith('requests.') &&
      (name.startsWith(`requests.${HUGE_PAGES}`) || isExtendedResource(name.slice('requests.'.length)))),
  matchesScope: podMatchesScope,
  constraint: (names, pod) => {
    if (Object.keys(objectAt(pod, 'spec', 'resources')).length > 0) return undefined;
    const missing: string[] = [];
    for (const name of REQUIRED) {
      if (!names.includes(name)) continue;
      const without = new Set<string>();
      for (const list of ['containers', 'initContainers'])
        for (const c of objectsAt(pod, 'spec', list)) {
          const usage = computeUsage(amountsAt(c, 'resources', 'requests'), amountsAt(c, 'resources', 'limits'));
          if (!usage.has(name)) without.add(textAt(c, 'name'));
        }
      if (without.size > 0) missing.push(`${name} for: ${[...without].sort().join(',')}`);
    }
    return missing.length === 0 ? undefined : `must specify ${missing.join('; ')}`;
  },
  usage: (pod, now) => {
    const usage = new Map([['count/pods', ONE]]);
    if (hasEnded(pod, now)) return usage;
    for (const [name, amount] of computeUsage(podAmounts(pod, 'requests'), podAmounts(pod, 'limits')))
      usage.set(name, amount);
    return usage;
  },
};

function computeUsage(requests: Amounts, limits: Amounts): Map<string, Quantity> {
  const usage = new Map([['pods', ONE]]);
  for (const name of ['cpu', 'memory', 'ephemeral-storage']) {
    const request = requests.get(name);
    const limit = limits.get(name);
    if (request !== undefined) usage.set(name, request).set(`requests.${name}`, request);
    if (limit !== undefined) usage.set(`limits.${name}`, limit);
  }
  for (const [name, request] of requests) {
    if (name.startsWith(HUGE_PAGES)) usage.set(name, request).set(`requests.${name}`, request);
    if (isExtendedResource(name)) usage.set(`requests.${name}`, request);
  }
  return usage;
}

/** Whether a pod no longer uses resources: it is terminated, or its grace period is over. */
function hasEnded(pod: JsonObject, now: number): boolean {
  const phase = textAt(pod, 'status', 'phase');
  if (phase === 'Failed' || phase === 'Succeeded') return true;
  const deletion = parseTime(textAt(pod, 'metadata', 'deletionTimestamp'));
  const grace = at(pod, 'metadata', 'deletionGracePeriodSeconds');
  return deletion !== undefined && typeof grace === 'number' && now > deletion + grace * 1000;
}

const hasDeadline = (pod: JsonObject | undefined): boolean =>
  at(pod, 'spec', 'activeDeadlineSeconds') !== undefined && numberAt(pod, 'spec', 'activeDeadlineSeconds') >= 0;

function podMatchesScope({ scope, operator, values }: ScopeRequirement, pod: JsonObject): boolean {
  switch (scope) {
    case 'Terminating':
      return hasDeadline(pod);
    case 'NotTerminating':
      return !hasDeadline(pod);
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass':
      return matchesValues(operator, values, [textAt(pod, 'spec', 'priorityClassName')]);
    case 'CrossNamespacePodAffinity':
      return crossesNamespaces(pod);
    default:
      return false;
  }
}

function matchesValues(operator: string, values: readonly string[], given: readonly string[]): boolean {
  const set = given.filter((v) => v !== '');
  switch (operator) {
    case 'Exists':
      return set.length > 0;
    case 'DoesNotExist':
      return set.length === 0;
    case 'In':
      return set.some((v) => values.includes(v));
    case 'NotIn':
      return set.length === 0 || set.some((v) => !values.includes(v));
    default:
      return false;
  }
}

function isBestEffort(pod: JsonObject): boolean {
  const spec = objectAt(pod, 'spec');
  const whole = objectAt(spec, 'resources');
  const sets = (o: JsonObject): boolean =>
    ['requests', 'limits'].some((kind) =>
      ['cpu', 'memory'].some((name) => {
        const amount = parseQuantity(String(at(o, kind, name) ?? ''));
        return amount !== undefined && compareQuantities(amount, zeroQuantity) > 0;
      }),
    );
  if (sets(whole)) return false;
  return ![...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')].some((c) =>
    sets(objectAt(c, 'resources')),
  );
}

const REQUIRED_TERMS = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED_TERMS = 'preferredDuringSchedulingIgnoredDuringExecution';

function crossesNamespaces(pod: JsonObject): boolean {
  const crosses = (term: JsonObject): boolean =>
    at(term, 'namespaceSelector') !== undefined || listAt(term, 'namespaces').length > 0;
  return ['podAffinity', 'podAntiAffinity'].some((kind) => {
    const affinity = objectAt(pod, 'spec', 'affinity', kind);
    return (
      objectsAt(affinity, REQUIRED_TERMS).some(crosses) ||
      objectsAt(affinity, PREFERRED_TERMS).some((t) => crosses(objectAt(t, 'podAffinityTerm')))
    );
  });
}

const services: QuotaEvaluator = {
  handles: isWritten,
  counts: (name) => ['count/services', 'services', 'services.nodeports', 'services.loadbalancers'].includes(name),
  matchesScope: () => false,
  constraint: () => undefined,
  usage: (service) => {
    const ports = objectsAt(service, 'spec', 'ports');
    const type = textAt(service, 'spec', 'type');
    const balanced = type === 'LoadBalancer';
    const allocates = at(service, 'spec', 'allocateLoadBalancerNodePorts') !== false;
    let nodePorts = type === 'NodePort' || balanced ? ports.length : 0;
    if (balanced && !allocates) nodePorts = ports.filter((p) => numberAt(p, 'nodePort') !== 0).length;
    return new Map([
      ['count/services', ONE],
      ['services', ONE],
      ['services.loadbalancers', quantityOf(balanced ? 1 : 0)],
      ['services.nodeports', quantityOf(nodePorts)],
    ]);
  },
};

const CLAIM_NAMES = ['persistentvolumeclaims', 'requests.storage'];
const CLASS_INFIX = '.storageclass.storage.k8s.io/';

const volumeClaims: QuotaEvaluator = {
  handles: (request) => isWritten(request) || (request.subresource === 'status' && request.operation === 'update'),
  counts: (name) =>
    name === 'count/persistentvolumeclaims' ||
    CLAIM_NAMES.some((n) => name === n || name.endsWith(`${CLASS_INFIX}${n}`)),
  matchesScope: ({ scope, operator, values }, claim) =>
    scope === 'VolumeAttributesClass' &&
    matchesValues(operator, values, [
      textAt(claim, 'spec', 'volumeAttributesClassName'),
      textAt(claim, 'status', 'currentVolumeAttributesClassName'),
      textAt(claim, 'status', 'modifyVolumeStatus', 'targetVolumeAttributesClassName'),
    ]),
  constraint: () => undefined,
  usage: (claim) => {
    const usage = new Map([
      ['count/persistentvolumeclaims', ONE],
      ['persistentvolumeclaims', ONE],
    ]);
    const annotation = at(claim, 'metadata', 'annotations', 'volume.beta.kubernetes.io/storage-class');
    const storageClass = typeof annotation === 'string' ? annotation : textAt(claim, 'spec', 'storageClassName');
    if (storageClass !== '') usage.set(`${storageClass}${CLASS_INFIX}persistentvolumeclaims`, ONE);
    const storage = claimedStorage(claim);
    if (storage === undefined) return usage;
    usage.set('requests.storage', storage);
    if (storageClass !== '') usage.set(`${storageClass}${CLASS_INFIX}requests.storage`, storage);
    return usage;
  },
};

/** The storage that a claim requests, or has been allocated if that is more. */
function claimedStorage(claim: JsonObject): Quantity | undefined {
  const requested = parseQuantity(textAt(claim, 'spec', 'resources', 'requests', 'storage'));
  if (requested === undefined) return undefined;
  const allocated = parseQuantity(textAt(claim, 'status', 'allocatedResources', 'storage'));
  const more = allocated !== undefined && compareQuantities(allocated, requested) > 0;
  const counted = more ? allocated : requested;
  return quantityOf(unitsOf(counted), counted.notation);
}

const DEVICES_SUFFIX = '.deviceclass.resource.k8s.io/devices';
/** The number of devices that a request for all devices counts as. */
const DEVICES_MAX = 32;

const resourceClaims: QuotaEvaluator = {
  handles: isWritten,
  counts: (name) => name === 'count/resourceclaims.resource.k8s.io' || name.endsWith(DEVICES_SUFFIX),
  matchesScope: () => false,
  constraint: () => undefined,
  usage: (claim) => {
    const usage = new Map([['count/resourceclaims.resource.k8s.io', ONE]]);
    const add = (name: string, devices: number): void =>
      void usage.set(name, addQuantities(usage.get(name) ?? zeroQuantity, quantityOf(devices)));
    for (const request of objectsAt(claim, 'spec', 'devices', 'requests')) {
      const exactly = at(request, 'exactly');
      if (isObject(exactly)) add(textAt(exactly, 'deviceClassName') + DEVICES_SUFFIX, devicesOf(exactly));
      // Of alternative subrequests, the maximum of each class counts.
      const most = new Map<string, number>();
      for (const sub of objectsAt(request, 'firstAvailable')) {
        const name = textAt(sub, 'deviceClassName') + DEVICES_SUFFIX;
        most.set(name, Math.max(most.get(name) ?? 0, devicesOf(sub)));
      }
      for (const [name, devices] of most) add(name, devices);
    }
    return usage;
  },
};

function devicesOf(request: JsonObject): number {
  const mode = textAt(request, 'allocationMode');
  return mode === 'All' ? DEVICES_MAX : mode === 'ExactCount' ? numberAt(request, 'count') : 0;
}

const SPECIAL: Readonly<Record<string, QuotaEvaluator>> = {
  '/pods': pods,
  '/services': services,
  '/persistentvolumeclaims': volumeClaims,
  'resource.k8s.io/resourceclaims': resourceClaims,
};

/** The scopes of a quota, as requirements. */
export function scopesOf(quota: JsonObject): readonly ScopeRequirement[] {
  const scopes = at(quota, 'spec', 'scopes');
  const plain = (Array.isArray(scopes) ? scopes : []).map((scope) => ({
    scope: String(scope),
    operator: 'Exists',
    values: [],
  }));
  const selected = objectsAt(quota, 'spec', 'scopeSelector', 'matchExpressions').map((e) => ({
    scope: textAt(e, 'scopeName'),
    operator: textAt(e, 'operator'),
    values: Array.isArray(e['values']) ? e['values'].map(String) : [],
  }));
  return [...plain, ...selected];
}

/** Whether an object matches the scopes of a quota. */
export const isInScope = (quota: JsonObject, object: JsonObject, evaluator: QuotaEvaluator): boolean =>
  scopesOf(quota).every((scope) => evaluator.matchesScope(scope, object));

export function sumUsage(into: Map<string, Quantity>, more: Amounts): void {
  for (const [name, amount] of more) {
    const before = into.get(name);
    into.set(name, before === undefined ? amount : addQuantities(before, amount));
  }
}

/** Returns the increase from `before` to `now`, without negative values. */
export function usageIncrease(now: Amounts, before: Amounts): Map<string, Quantity> {
  const out = new Map<string, Quantity>();
  for (const [name, amount] of now) {
    const was = before.get(name);
    const more = was === undefined ? amount : subtractQuantities(amount, was);
    if (compareQuantities(more, zeroQuantity) > 0) out.set(name, more);
  }
  return out;
}

/** `cpu=1,pods=2`. */
export function usageText(amounts: Amounts): string {
  return [...amounts.keys()]
    .sort()
    .map((name) => `${name}=${formatQuantity(amounts.get(name)!)}`)
    .join(',');
}

/** Formats quantities as an object, sorted by name. */
export function usageObject(amounts: Amounts): JsonObject {
  return Object.fromEntries([...amounts.keys()].sort().map((name) => [name, formatQuantity(amounts.get(name)!)]));
}
