import {
  ApiError,
  errors,
  FieldErrors,
  FieldPath,
  formatTime,
  isObject,
  type JsonObject,
} from '../../../../api/index.js';
import { checkDryRun, checkPropagation } from '../../../deleteoptions.js';
import type { Objects, Subresource, VirtualRequest } from '../../../resource.js';
import { at, listAt, numberAt, objectAt, objectIn, objectsAt, textAt } from '../../access.js';
import { putCondition } from '../../conditions.js';
import { selects } from '../../rules.js';
import { SUCCESS } from '../../success.js';

/** The eviction subresource deletes a pod if its disruption budgets allow it. Clients use it to drain nodes. */
export const evictionSubresource: Subresource = {
  verbs: ['create'],
  kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
  behaviour: { kind: 'action', run: evict },
};

const PODS = { group: '', resource: 'pods' } as const;
const BUDGETS = { group: 'policy', resource: 'poddisruptionbudgets' } as const;
/** As kube-apiserver names a budget in an error. */
const NAMED_BUDGET = { group: 'policy', resource: 'poddisruptionbudget' } as const;
const IGNORE_ERROR = 'ignoreStoreReadErrorWithClusterBreakingPotential';
const REFUSED = "Cannot evict pod as it would violate the pod's disruption budget.";
/** The limit on evictions that a budget records until its controller observes them. */
const DISRUPTED_PODS_MAX = 2000;
const SECONDS_UNTIL_OBSERVED = 10;
/** kube-apiserver changes the budget by a request to itself. */
const MANAGER = 'kube-apiserver';

const TOO_MANY_BUDGETS =
  'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';

async function evict({ name, namespace, body, objects, context }: VirtualRequest): Promise<JsonObject> {
  if (textAt(body, 'metadata', 'name') !== name)
    throw errors.badRequest('name in URL does not match name in Eviction object');
  const options = objectAt(body, 'deleteOptions');
  // Any value of dryRun enables dry run.
  const dryRun = context.dryRun || listAt(options, 'dryRun').length > 0;
  const place = { ...PODS, namespace, name };
  const pod = await objects.get(place);
  if (pod === undefined) throw errors.notFound(PODS, name);
  const propagation = checkOptions(options, name);
  const now = formatTime(context.world.clock.now());
  const budgets = needsNoBudget(pod) ? [] : budgetsOf(pod, objects, namespace);
  if (budgets.length > 1) throw errors.unexpected(TOO_MANY_BUDGETS);
  const budget = budgets[0];
  if (budget !== undefined && !unhealthyMayGo(pod, budget)) {
    await objects.change(
      { ...BUDGETS, namespace, name: textAt(budget, 'metadata', 'name') },
      { dryRun, subresource: 'status', fieldManager: MANAGER, ownRequest: true, edit: (b) => take(b, name, now) },
    );
  }
  const preconditions = preconditionsOf(options);
  if (!dryRun) {
    const edit = (p: JsonObject): void => markDisrupted(p, now);
    const marked = await objects.change(place, {
      dryRun,
      strategy: { update: { generation: 'none' } },
      preconditions,
      edit,
    });
    // The condition created a new resource version; the deletion refers to that one.
    if (preconditions.resourceVersion !== undefined)
      preconditions.resourceVersion = textAt(marked, 'metadata', 'resourceVersion');
  }
  await objects.remove(place, { dryRun, ...graceOf(options), ...propagation, preconditions });
  return SUCCESS;
}

type Propagation = Pick<Parameters<Objects['remove']>[1], 'propagationPolicy' | 'orphanDependents'>;

/** Returns what the options say about dependents. */
function checkOptions(options: JsonObject, name: string): Propagation {
  if (options[IGNORE_ERROR] === true) {
    const found = new FieldErrors();
    const path = FieldPath.of('deleteOptions').child(IGNORE_ERROR);
    found.invalid(path, true, 'can not be set for pod eviction, try after removing the option');
    throw errors.invalid({ group: 'policy', kind: 'Eviction' }, name, found.list);
  }
  const found = new FieldErrors();
  const orphan = options['orphanDependents'];
  const policy = at(options, 'propagationPolicy');
  const orphanDependents = typeof orphan === 'boolean' ? orphan : undefined;
  const propagationPolicy = checkPropagation(typeof policy === 'string' ? policy : undefined, orphanDependents, found);
  checkDryRun(listAt(options, 'dryRun').map(String), found);
  refuse(found);
  return {
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
  };
}

function refuse(found: FieldErrors): void {
  if (!found.empty) throw errors.invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', found.list);
}

/** A pod that is terminated, pending or being deleted may be evicted regardless of budgets. */
function needsNoBudget(pod: JsonObject): boolean {
  const phase = textAt(pod, 'status', 'phase');
  return ['Succeeded', 'Failed', 'Pending'].includes(phase) || textAt(pod, 'metadata', 'deletionTimestamp') !== '';
}

function budgetsOf(pod: JsonObject, objects: Objects, namespace: string): readonly JsonObject[] {
  const labels = objectAt(pod, 'metadata', 'labels');
  return objects.list({ ...BUDGETS, namespace }).filter((b) => {
    const selector = at(b, 'spec', 'selector');
    return isObject(selector) && selects(selector, labels) === true;
  });
}

/** An unready pod may be evicted if the budget's policy allows it, or if enough pods are healthy. */
function unhealthyMayGo(pod: JsonObject, budget: JsonObject): boolean {
  const ready = objectsAt(pod, 'status', 'conditions').some(
    (c) => textAt(c, 'type') === 'Ready' && textAt(c, 'status') === 'True',
  );
  if (ready) return false;
  if (textAt(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const desired = numberAt(budget, 'status', 'desiredHealthy');
  return desired > 0 && numberAt(budget, 'status', 'currentHealthy') >= desired;
}

/** Takes one disruption from the budget's status, in place, or throws. */
function take(budget: JsonObject, pod: string, now: string): void {
  const name = textAt(budget, 'metadata', 'name');
  const status = objectIn(budget, 'status');
  const generation = numberAt(budget, 'metadata', 'generation');
  if (numberAt(status, 'observedGeneration') < generation)
    throw refused(`The disruption budget ${name} is still being processed by the server.`, SECONDS_UNTIL_OBSERVED);
  const allowed = numberAt(status, 'disruptionsAllowed');
  const forbidden = (why: string, cause: string): ApiError => {
    const { code, reason, message = '', details } = errors.forbidden(NAMED_BUDGET, name, why).status;
    const text = `The disruption budget ${name} does not allow evicting pods currently: ${cause}`;
    return new ApiError(code, reason, message, { ...details, causes: [{ reason: 'DisruptionBudget', message: text }] });
  };
  if (allowed < 0) throw forbidden('pdb disruptions allowed is negative', 'pdb disruptions allowed is negative');
  if (Object.keys(objectAt(status, 'disruptedPods')).length > DISRUPTED_PODS_MAX)
    throw forbidden(
      'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
      'too many pending evictions not confirmed by PDB controller',
    );
  if (allowed === 0) throw refused(whyNone(name, status), 0);
  status['disruptionsAllowed'] = allowed - 1;
  objectIn(status, 'disruptedPods')[pod] = now;
  if (allowed === 1) noneLeft(status, generation, now);
}

function whyNone(name: string, status: JsonObject): string {
  const desired = numberAt(status, 'desiredHealthy');
  const current = numberAt(status, 'currentHealthy');
  const none = `The disruption budget ${name} does not allow evicting pods currently`;
  const refusal = objectsAt(status, 'conditions').find(
    (c) => textAt(c, 'type') === 'DisruptionAllowed' && textAt(c, 'status') === 'False' && textAt(c, 'message') !== '',
  );
  const [reason, message] = [textAt(refusal, 'reason'), textAt(refusal, 'message')];
  // The counts of a budget that could not be computed mean nothing.
  if (reason === 'SyncFailed') return `${none} because it failed sync: ${message}`;
  if (current <= desired)
    return `The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`;
  return refusal === undefined ? none : `${none} (${reason}): ${message}`;
}

function refused(why: string, retryAfterSeconds: number): ApiError {
  return new ApiError(429, 'TooManyRequests', REFUSED, {
    causes: [{ reason: 'DisruptionBudget', message: why }],
    ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
  });
}

function noneLeft(status: JsonObject, observedGeneration: number, now: string): void {
  const condition: JsonObject = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration,
    lastTransitionTime: now,
    reason: 'InsufficientPods',
    message: '',
  };
  putCondition(status, condition);
}

function markDisrupted(pod: JsonObject, now: string): void {
  const condition: JsonObject = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: now,
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  putCondition(objectIn(pod, 'status'), condition);
}

function graceOf(options: JsonObject): { readonly gracePeriodSeconds?: number } {
  const seconds = options['gracePeriodSeconds'];
  return typeof seconds === 'number' ? { gracePeriodSeconds: seconds } : {};
}

function preconditionsOf(options: JsonObject): { uid?: string; resourceVersion?: string } {
  const given = objectAt(options, 'preconditions');
  const uid = textAt(given, 'uid');
  const resourceVersion = textAt(given, 'resourceVersion');
  return { ...(uid === '' ? {} : { uid }), ...(resourceVersion === '' ? {} : { resourceVersion }) };
}
