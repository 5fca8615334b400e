import { equalJson, formatTime, isObject, type JsonObject, type Shaped } from '../../../../api/index.js';
import type { shapes } from '../../../../schema/index.js';
import type { WriteContext } from '../../../resource.js';
import { at, listAt, numberAt, objectAt, objectIn, objectsAt, textAt } from '../../access.js';
import { keep } from '../../form.js';
import { completePodResources } from './aggregate.js';
import { CONTAINER_LISTS } from './defaults.js';
import { qosClass } from './qos.js';
import { APP_ARMOR, appArmorProfile } from './validation/annotations.js';
import { APP_ARMOR_NOW } from './validation/containerwarnings.js';

/** Prepares a new pod before validation. */
export function prepareNewPod(pod: Shaped<shapes.CoreV1Pod>, context: WriteContext): void {
  const spec = objectIn(pod, 'spec');
  fieldsOfAppArmor(pod, context);
  completePodResources(spec);
  const status: JsonObject = { phase: 'Pending', qosClass: qosClass(spec) };
  if (listAt(spec, 'schedulingGates').length > 0) {
    status['conditions'] = [
      {
        type: 'PodScheduled',
        status: 'False',
        lastProbeTime: null,
        lastTransitionTime: formatTime(context.world.clock.now()),
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      },
    ];
  }
  pod['status'] = status;
  noNegativeGrace(spec);
  const labels = objectAt(pod, 'metadata', 'labels');
  for (const kind of ['podAffinity', 'podAntiAffinity'] as const) {
    for (const term of objectsAt(spec, 'affinity', kind, REQUIRED)) selectByOwnLabels(term, labels);
    for (const weighted of objectsAt(spec, 'affinity', kind, PREFERRED)) {
      const term = weighted['podAffinityTerm'];
      if (isObject(term)) selectByOwnLabels(term, labels);
    }
  }
  for (const constraint of objectsAt(spec, 'topologySpreadConstraints')) selectByOwnLabels(constraint, labels);
}

/** Profiles of AppArmor that are annotations become fields, unless a container has the field or its pod the same profile. */
function fieldsOfAppArmor(pod: Shaped<shapes.CoreV1Pod>, context: WriteContext): void {
  const spec = objectAt(pod, 'spec');
  const annotations = objectAt(pod, 'metadata', 'annotations');
  if (textAt(spec, 'os', 'name') === 'windows') return;
  for (const list of CONTAINER_LISTS)
    for (const container of objectsAt(spec, list)) {
      const key = APP_ARMOR + textAt(container, 'name');
      if (!Object.hasOwn(annotations, key) || at(container, 'securityContext', 'appArmorProfile') !== undefined)
        continue;
      const profile = appArmorProfile(textAt(annotations, key));
      if (profile !== undefined) {
        if (equalJson(profile, at(spec, 'securityContext', 'appArmorProfile') ?? null)) continue;
        objectIn(container, 'securityContext')['appArmorProfile'] = profile;
      }
      context.warn(`metadata.annotations[${key}]: ${APP_ARMOR_NOW}`);
    }
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Merges the pod's own values of `matchLabelKeys` into its selectors on create. */
function selectByOwnLabels(
  term: Shaped<shapes.CoreV1PodAffinityTerm | shapes.CoreV1TopologySpreadConstraint>,
  labels: JsonObject,
): void {
  const selector = term['labelSelector'];
  if (!isObject(selector)) return;
  const added: JsonObject[] = [];
  for (const [field, operator] of KEYED) {
    for (const key of listAt(term, field).map(String))
      if (Object.hasOwn(labels, key)) added.push({ key, operator, values: [labels[key]!] });
  }
  if (added.length > 0) selector['matchExpressions'] = [...objectsAt(selector, 'matchExpressions'), ...added];
}

const KEYED = [
  ['matchLabelKeys', 'In'],
  ['mismatchLabelKeys', 'NotIn'],
] as const;

function noNegativeGrace(spec: Shaped<shapes.CoreV1PodSpec>): void {
  if (numberAt(spec, 'terminationGracePeriodSeconds') < 0) spec['terminationGracePeriodSeconds'] = 1;
}

/** Prepares a changed pod before validation. */
export function prepareChangedPod(pod: Shaped<shapes.CoreV1Pod>, old: Shaped<shapes.CoreV1Pod>): void {
  const spec = objectIn(pod, 'spec');
  // Clients that do not know the field omit it.
  if (spec['resources'] === undefined) keep('resources', spec, objectAt(old, 'spec'));
  if (at(old, 'spec', 'terminationGracePeriodSeconds') !== undefined) noNegativeGrace(spec);
}

/** A status update does not change owners, and keeps fields that an older kubelet omits. */
export function keepOfPodStatus(pod: Shaped<shapes.CoreV1Pod>, old: Shaped<shapes.CoreV1Pod>): void {
  keep('ownerReferences', objectIn(pod, 'metadata'), objectAt(old, 'metadata'));
  keep('deletionTimestamp', objectIn(pod, 'metadata'), objectAt(old, 'metadata'));
  const status = objectIn(pod, 'status');
  if (textAt(status, 'qosClass') === '') keep('qosClass', status, objectAt(old, 'status'));
  if (numberAt(status, 'observedGeneration') === 0) keep('observedGeneration', status, objectAt(old, 'status'));
  const conditions = objectsAt(status, 'conditions');
  for (const before of objectsAt(old, 'status', 'conditions')) {
    const now = conditions.find((c) => textAt(c, 'type') === textAt(before, 'type'));
    if (now !== undefined && numberAt(now, 'observedGeneration') === 0) keep('observedGeneration', now, before);
  }
}
