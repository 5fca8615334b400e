import { type FieldErrors, FieldPath, isLabelKey, type JsonObject, type Shaped } from '../../../../../api/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { at, listAt, objectAt, textAt } from '../../../access.js';
import { labels } from '../../../rules.js';
import { podSpec } from './podspec.js';
import { podUpdate } from './update.js';

export {
  containerResourceName,
  isExtendedResource,
  isStandardResource,
  resourceAmount,
  resourceName,
} from './resources.js';
export { nodeSelector, toleration } from './scheduling.js';
export { nodeSelectorWarnings, renamedLabel } from './selectorwarnings.js';
export { podStatusWarnings, validatePodStatus } from './status.js';
export {
  hasLongPortal,
  iscsiInitiator,
  iscsiTarget,
  LONG_PORTAL,
  type SourceRule,
  sourceRule,
} from './volumes.js';
export { deadVolumeWarnings, nameWarning, podWarnings } from './warnings.js';

const SPEC = FieldPath.in<shapes.CoreV1Pod>().child('spec');

export function validatePod(pod: Shaped<shapes.CoreV1Pod>, errors: FieldErrors): void {
  podSpec(objectAt(pod, 'spec'), pod, SPEC, errors);
  if (listAt(pod, 'spec', 'ephemeralContainers').length > 0)
    errors.forbidden(SPEC.child('ephemeralContainers'), 'cannot be set on create');
  if (textAt(pod, 'spec', 'nodeName') !== '' && listAt(pod, 'spec', 'schedulingGates').length > 0) {
    errors.forbidden(SPEC.child('nodeName'), 'cannot be set until all schedulingGates have been cleared');
  }
}

/** Validates only a pod's spec, for subresources that change parts of it. */
export function validatePodSpec(pod: JsonObject, errors: FieldErrors): void {
  podSpec(objectAt(pod, 'spec'), pod, SPEC, errors);
}

export function validatePodUpdate(
  pod: Shaped<shapes.CoreV1Pod>,
  old: Shaped<shapes.CoreV1Pod>,
  errors: FieldErrors,
): void {
  podSpec(objectAt(pod, 'spec'), pod, SPEC, errors);
  podUpdate(pod, old, errors);
}

export function templateMeta(
  template: Shaped<shapes.CoreV1PodTemplateSpec>,
  path: FieldPath<shapes.CoreV1PodTemplateSpec>,
  errors: FieldErrors,
): void {
  labels(objectAt(template, 'metadata', 'labels'), path.childShownAs('labels'), errors);
  for (const key of Object.keys(objectAt(template, 'metadata', 'annotations')))
    for (const s of isLabelKey(key.toLowerCase())) errors.invalid(path.childShownAs('annotations'), key, s);
}

/** Validates a pod template at `path`. */
export function podTemplate(
  template: Shaped<shapes.CoreV1PodTemplateSpec>,
  path: FieldPath<shapes.CoreV1PodTemplateSpec>,
  errors: FieldErrors,
): void {
  templateMeta(template, path, errors);
  podSpec(objectAt(template, 'spec'), undefined, path.child('spec'), errors);
  if (listAt(template, 'spec', 'ephemeralContainers').length > 0) {
    errors.forbidden(path.child('spec', 'ephemeralContainers'), 'ephemeral containers not allowed in pod template');
  }
}

/** Validates the template of a workload whose pods always restart. */
export function runningTemplate(
  template: Shaped<shapes.CoreV1PodTemplateSpec>,
  kind: string,
  path: FieldPath<shapes.CoreV1PodTemplateSpec>,
  errors: FieldErrors,
): void {
  podTemplate(template, path, errors);
  const policy = textAt(template, 'spec', 'restartPolicy');
  if (policy !== 'Always') errors.notSupported(path.child('spec', 'restartPolicy'), policy, ['Always']);
  if (at(template, 'spec', 'activeDeadlineSeconds') !== undefined) {
    errors.forbidden(path.child('spec', 'activeDeadlineSeconds'), `activeDeadlineSeconds in ${kind} is not Supported`);
  }
}
