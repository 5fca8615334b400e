import {
  type AdmissionRequest,
  type AdmissionStep,
  at,
  errors,
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  type StoredObjects,
  textAt,
} from '../api/index.js';
import type { World } from '../base/index.js';
import type { CheckedPod, Violation } from './podsecuritycheck.js';
import { PodSecurityMetrics } from './podsecuritymetrics.js';

import {
  compareLevels,
  isPrivileged,
  type LevelVersion,
  levelText,
  MODES,
  policyOf,
  type SecurityPolicy,
  sameLevel,
  setsMode,
  violationsOf,
  violationText,
} from './podsecuritypolicy.js';
import { forbidden } from './step.js';

/** PodSecurityConfiguration, validated. */
export interface PodSecurityConfig {
  readonly defaults: SecurityPolicy;
  readonly exemptions: {
    readonly usernames: ReadonlySet<string>;
    readonly namespaces: ReadonlySet<string>;
    readonly runtimeClasses: ReadonlySet<string>;
  };
}

const LATEST_PRIVILEGED: LevelVersion = { level: 'privileged', minor: Number.POSITIVE_INFINITY };

export const defaultPodSecurity: PodSecurityConfig = {
  defaults: { enforce: LATEST_PRIVILEGED, audit: LATEST_PRIVILEGED, warn: LATEST_PRIVILEGED },
  exemptions: { usernames: new Set(), namespaces: new Set(), runtimeClasses: new Set() },
};

const NAMESPACES = { group: '', resource: 'namespaces' } as const;
const PODS = { group: '', resource: 'pods' } as const;
const ANNOTATION_PREFIX = 'pod-security.kubernetes.io/';

/** The path of the pod template in each kind. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  '/replicationcontrollers': ['spec', 'template'],
  '/podtemplates': ['template'],
  'apps/replicasets': ['spec', 'template'],
  'apps/deployments': ['spec', 'template'],
  'apps/statefulsets': ['spec', 'template'],
  'apps/daemonsets': ['spec', 'template'],
  'batch/jobs': ['spec', 'template'],
  'batch/cronjobs': ['spec', 'jobTemplate', 'spec', 'template'],
};

/** Subresources of pods that cannot change what a pod may do. */
const IGNORED_SUBRESOURCES: ReadonlySet<string> = new Set([
  'exec',
  'attach',
  'binding',
  'eviction',
  'log',
  'portforward',
  'proxy',
  'status',
]);

/** Limits of the check of existing pods when the policy of a namespace changes: the number of pods and milliseconds. */
const EXISTING_PODS_MAX = 3_000;
const EXISTING_PODS_TIME = 1_000;
/** Milliseconds of checking between two yields. */
const SLICE_TIME = 5;

/** Enforces the Pod Security Standards that the labels of a namespace select. */
export function podSecurityStep(
  objects: StoredObjects,
  world: World,
  config = defaultPodSecurity,
  metrics = new PodSecurityMetrics(),
): AdmissionStep {
  const plugin = new PodSecurity(objects, world, config, metrics);
  return { name: 'PodSecurity', validate: (request) => plugin.validate(request) };
}

class PodSecurity {
  readonly #objects: StoredObjects;
  readonly #world: World;
  readonly #config: PodSecurityConfig;
  readonly #metrics: PodSecurityMetrics;

  constructor(objects: StoredObjects, world: World, config: PodSecurityConfig, metrics: PodSecurityMetrics) {
    this.#metrics = metrics;
    this.#objects = objects;
    this.#world = world;
    this.#config = config;
  }

  validate(request: AdmissionRequest): void | Promise<void> {
    const { operation, subresource, groupResource } = request;
    if (operation !== 'create' && operation !== 'update') return;
    const { group, resource } = groupResource;
    if (group === '' && resource === 'namespaces') return subresource === '' ? this.#namespace(request) : undefined;
    if (group === '' && resource === 'pods')
      return IGNORED_SUBRESOURCES.has(subresource) ? undefined : this.#pod(request);
    const path = TEMPLATES[`${group}/${resource}`];
    if (path !== undefined && subresource === '') this.#template(request, path);
  }

  #exempt(request: AdmissionRequest): boolean {
    const { namespaces, usernames } = this.#config.exemptions;
    const { namespace, user } = request;
    const by = namespaces.has(namespace) ? 'namespace' : usernames.has(user.name) ? 'user' : undefined;
    if (by === undefined) return false;
    request.annotate(`${ANNOTATION_PREFIX}exempt`, by);
    this.#metrics.exempted(request);
    return true;
  }

  #policyOfNamespace(request: AdmissionRequest): ReturnType<typeof policyOf> {
    const namespace = this.#objects.cached(NAMESPACES, '', request.namespace);
    if (namespace === undefined) throw errors.internal(`failed to lookup namespace "${request.namespace}"`);
    return policyOf(objectAt(namespace, 'metadata', 'labels'), this.#config.defaults);
  }

  #pod(request: AdmissionRequest): void {
    if (this.#exempt(request)) return;
    const { policy, problems } = this.#policyOfNamespace(request);
    if (problems.length === 0 && isPrivileged(policy)) {
      request.annotate(`${ANNOTATION_PREFIX}enforce-policy`, levelText(LATEST_PRIVILEGED));
      this.#metrics.evaluated('allow', 'enforce', LATEST_PRIVILEGED, request);
      return;
    }
    const { object, old } = request;
    if (object === undefined || (old !== undefined && !changesContainers(object, old))) return;
    this.#evaluate(request, policy, podOf(object), true);
  }

  #template(request: AdmissionRequest, path: readonly string[]): void {
    if (this.#exempt(request)) return;
    const { policy, problems } = this.#policyOfNamespace(request);
    if (problems.length === 0 && policy.warn.level === 'privileged' && policy.audit.level === 'privileged') return;
    const template = at(request.object, ...path);
    if (isObject(template)) this.#evaluate(request, policy, podOf(template), false);
  }

  #evaluate(request: AdmissionRequest, policy: SecurityPolicy, pod: CheckedPod, enforces: boolean): void {
    if (this.#config.exemptions.runtimeClasses.has(textAt(pod.spec, 'runtimeClassName'))) {
      request.annotate(`${ANNOTATION_PREFIX}exempt`, 'runtimeClass');
      this.#metrics.exempted(request);
      return;
    }
    const results = new Map<string, readonly Violation[]>();
    const violations = (at: LevelVersion): readonly Violation[] => {
      const key = levelText(at);
      const found = results.get(key) ?? violationsOf(at, pod);
      results.set(key, found);
      return found;
    };
    const audited = violations(policy.audit);
    if (audited.length > 0) {
      this.#metrics.evaluated('deny', 'audit', policy.audit, request);
      request.annotate(`${ANNOTATION_PREFIX}audit-violations`, `would violate ${described(policy.audit, audited)}`);
    }
    if (enforces) {
      request.annotate(`${ANNOTATION_PREFIX}enforce-policy`, levelText(policy.enforce));
      const found = violations(policy.enforce);
      this.#metrics.evaluated(found.length > 0 ? 'deny' : 'allow', 'enforce', policy.enforce, request);
      if (found.length > 0) throw forbidden(request, `violates ${described(policy.enforce, found)}`);
    }
    const warned = violations(policy.warn);
    if (warned.length === 0) return;
    this.#metrics.evaluated('deny', 'warn', policy.warn, request);
    request.warn(`would violate ${described(policy.warn, warned)}`);
  }

  #namespace(request: AdmissionRequest): void | Promise<void> {
    const { object, old, name } = request;
    const labels = objectAt(object, 'metadata', 'labels');
    const now = policyOf(labels, this.#config.defaults);
    const before = old === undefined ? undefined : policyOf(objectAt(old, 'metadata', 'labels'), this.#config.defaults);
    if (now.problems.length > 0 && JSON.stringify(now.problems) !== JSON.stringify(before?.problems))
      throw errors.invalid({ group: '', kind: 'Namespace' }, name, now.problems);
    const { enforce } = now.policy;
    if (before !== undefined) {
      const was = before.policy.enforce;
      if (sameLevel(enforce, was) || enforce.level === 'privileged') return;
      if (enforce.minor === was.minor && compareLevels(enforce.level, was.level) < 1) return;
    }
    if (this.#config.exemptions.namespaces.has(name)) {
      const warning = this.#exemptWarning(name, now.policy, labels);
      if (warning !== undefined) request.warn(warning);
      return;
    }
    return before === undefined ? undefined : this.#checkExistingPods(request, enforce);
  }

  #exemptWarning(name: string, policy: SecurityPolicy, labels: JsonObject): string | undefined {
    if (isPrivileged(policy) || MODES.every((mode) => sameLevel(policy[mode], this.#config.defaults[mode]))) return;
    const shown = MODES.filter((mode) => policy[mode].level !== 'privileged' && setsMode(labels, mode));
    const text = shown.map((mode) => `${mode}=${levelText(policy[mode])}`).join(', ');
    return `namespace "${name}" is exempt from Pod Security, and the policy (${text}) will be ignored`;
  }

  /** Warns about existing pods of a namespace that violate its new policy. */
  async #checkExistingPods(request: AdmissionRequest, enforce: LevelVersion): Promise<void> {
    const { clock, timers } = this.#world;
    const start = clock.monotonic();
    const pods: CheckedPod[] = [];
    const replicas: CheckedPod[] = [];
    const controllers = new Set<string>();
    let since = start;
    const pause = async (): Promise<void> => {
      if (clock.monotonic() - since < SLICE_TIME) return;
      await new Promise<void>((resolve) => void timers.after(0, resolve));
      since = clock.monotonic();
    };
    for (const o of this.#objects.each(PODS, request.name)) {
      await pause();
      if (this.#config.exemptions.runtimeClasses.has(textAt(o, 'spec', 'runtimeClassName'))) continue;
      const owner = objectsAt(o, 'metadata', 'ownerReferences').find((r) => at(r, 'controller') === true);
      const uid = textAt(owner, 'uid');
      // One pod of each controller comes first.
      if (owner !== undefined && controllers.has(uid)) replicas.push(podOf(o));
      else pods.push(podOf(o));
      if (owner !== undefined) controllers.add(uid);
    }
    const all = [...pods, ...replicas];
    const found = new Map<string, string[]>();
    let checked = 0;
    for (const pod of all.slice(0, EXISTING_PODS_MAX)) {
      await pause();
      checked++;
      const reasons = violationsOf(enforce, pod).map((v) => v.reason);
      if (reasons.length > 0) {
        const names = found.get(reasons.join(', ')) ?? [];
        names.push(textAt(pod.metadata, 'name'));
        found.set(reasons.join(', '), names);
      }
      if (clock.monotonic() - start > EXISTING_PODS_TIME) break;
    }
    if (checked < all.length)
      request.warn(
        `new PodSecurity enforce level only checked against the first ${checked} of ${all.length} existing pods`,
      );
    if (found.size === 0) return;
    request.warn(
      `existing pods in namespace "${request.name}" violate the new PodSecurity enforce level "${levelText(enforce)}"`,
    );
    for (const warning of [...found].map(([reasons, names]) => `${namesText(names)}: ${reasons}`).sort())
      request.warn(warning);
  }
}

const described = (at: LevelVersion, violations: readonly Violation[]): string =>
  `PodSecurity "${levelText(at)}": ${violationText(violations)}`;

const podOf = (o: JsonObject): CheckedPod => ({ metadata: objectAt(o, 'metadata'), spec: objectAt(o, 'spec') });

function namesText(names: readonly string[]): string {
  const first = [...names].sort()[0] ?? '';
  if (names.length === 1) return first;
  return `${first} (and ${names.length - 1} other ${names.length === 2 ? 'pod' : 'pods'})`;
}

/** Whether an update needs a check: it adds containers or changes an image. */
function changesContainers(pod: JsonObject, old: JsonObject): boolean {
  for (const list of ['containers', 'initContainers']) {
    const now = objectsAt(pod, 'spec', list);
    const before = objectsAt(old, 'spec', list);
    if (now.length !== before.length) return true;
    if (now.some((c, i) => textAt(c, 'image') !== textAt(before[i], 'image'))) return true;
  }
  const before = objectsAt(old, 'spec', 'ephemeralContainers');
  return objectsAt(pod, 'spec', 'ephemeralContainers').some((c) => {
    const was = before.find((b) => textAt(b, 'name') === textAt(c, 'name'));
    return was === undefined || textAt(was, 'image') !== textAt(c, 'image');
  });
}
