import { type FieldErrors, FieldPath, isLabelKey, type Shaped } from '../../../../../api/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { at, listAt, objectAt, objectsAt, textAt } from '../../../access.js';
import { labels } from '../../../rules.js';
import { matchingProfiles, podAnnotations, podAnnotationsUpdate } from './annotations.js';
import { trimmedImage } from './containers.js';
import { podSpec } from './podspec.js';
import { podUpdate } from './update.js';

export {
  containerResourceName,
  isExtendedResource,
  isStandardResource,
  overhead,
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
  ownOptions,
  type SourceRule,
  sourceRule,
} from './volumes.js';
export { deadVolumeWarnings, nameWarning, podWarnings } from './warnings.js';

const SPEC = FieldPath.in<shapes.CoreV1Pod>().child('spec');
const ANNOTATIONS = FieldPath.of('metadata', 'annotations');

/** Validates the spec of a pod: the rules of templates, and after them those that templates do not have. */
function ownSpec(pod: Shaped<shapes.CoreV1Pod>, errors: FieldErrors, old?: Shaped<shapes.CoreV1Pod>): void {
  const spec = objectAt(pod, 'spec');
  const stored = old && objectAt(old, 'metadata', 'annotations');
  podAnnotations(objectAt(pod, 'metadata', 'annotations'), spec, ANNOTATIONS, errors, stored);
  podSpec(spec, pod, SPEC, errors, old && objectAt(old, 'spec'));
  if (textAt(spec, 'serviceAccountName') === '')
    errors.each(objectsAt(spec, 'volumes'), (v, i) => noToken(v, i, errors));
  for (const list of ['containers', 'initContainers'] as const)
    errors.each(objectsAt(spec, list), (c, i) => trimmedImage(c, SPEC.child(list).index(i), errors));
}

/** The tokens of a volume belong to the service account of its pod. */
function noToken(volume: Shaped<shapes.CoreV1Volume>, i: number, errors: FieldErrors): void {
  const sources = SPEC.child('volumes').index(i).child('projected', 'sources');
  for (const [j, source] of objectsAt(volume, 'projected', 'sources').entries())
    if (at(source, 'serviceAccountToken') !== undefined)
      errors.forbidden(
        sources.index(j).child('serviceAccountToken'),
        'must not be specified when serviceAccountName is not set',
      );
}

export function validatePod(pod: Shaped<shapes.CoreV1Pod>, errors: FieldErrors): void {
  ownSpec(pod, errors);
  if (listAt(pod, 'spec', 'ephemeralContainers').length > 0)
    errors.forbidden(SPEC.child('ephemeralContainers'), 'cannot be set on create');
  if (textAt(pod, 'spec', 'nodeName') !== '' && listAt(pod, 'spec', 'schedulingGates').length > 0) {
    errors.forbidden(SPEC.child('nodeName'), 'cannot be set until all schedulingGates have been cleared');
  }
  matchingProfiles(objectAt(pod, 'metadata', 'annotations'), objectAt(pod, 'spec'), SPEC, errors);
}

/** Validates only a pod's spec, for subresources that change parts of it. */
export function validatePodSpec(
  pod: Shaped<shapes.CoreV1Pod>,
  old: Shaped<shapes.CoreV1Pod>,
  errors: FieldErrors,
): void {
  ownSpec(pod, errors, old);
}

export function validatePodUpdate(
  pod: Shaped<shapes.CoreV1Pod>,
  old: Shaped<shapes.CoreV1Pod>,
  errors: FieldErrors,
): void {
  ownSpec(pod, errors, old);
  podAnnotationsUpdate(pod, old, errors);
  podUpdate(pod, old, errors);
}

export function templateMeta(
  template: Shaped<shapes.CoreV1PodTemplateSpec>,
  path: FieldPath<shapes.CoreV1PodTemplateSpec>,
  errors: FieldErrors,
  old?: Shaped<shapes.CoreV1PodTemplateSpec>,
): void {
  labels(objectAt(template, 'metadata', 'labels'), path.childShownAs('labels'), errors);
  for (const key of Object.keys(objectAt(template, 'metadata', 'annotations')))
    for (const s of isLabelKey(key.toLowerCase())) errors.invalid(path.childShownAs('annotations'), key, s);
  const annotations = objectAt(template, 'metadata', 'annotations');
  const stored = old && objectAt(old, 'metadata', 'annotations');
  podAnnotations(annotations, objectAt(template, 'spec'), path.childShownAs('annotations'), errors, stored);
}

/** Validates a pod template at `path`. What a pod may keep that was stored before a rule was stricter, the template may keep of `old`. */
export function podTemplate(
  template: Shaped<shapes.CoreV1PodTemplateSpec>,
  path: FieldPath<shapes.CoreV1PodTemplateSpec>,
  errors: FieldErrors,
  old?: Shaped<shapes.CoreV1PodTemplateSpec>,
): void {
  templateMeta(template, path, errors, old);
  const spec = objectAt(template, 'spec');
  podSpec(spec, undefined, path.child('spec'), errors, old && objectAt(old, 'spec'));
  matchingProfiles(objectAt(template, 'metadata', 'annotations'), spec, path.child('spec'), errors);
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
  old?: Shaped<shapes.CoreV1PodTemplateSpec>,
): void {
  podTemplate(template, path, errors, old);
  alwaysRestarts(template, kind, path, errors);
}

export function alwaysRestarts(
  template: Shaped<shapes.CoreV1PodTemplateSpec>,
  kind: string,
  path: FieldPath<shapes.CoreV1PodTemplateSpec>,
  errors: FieldErrors,
): void {
  const policy = textAt(template, 'spec', 'restartPolicy');
  if (policy !== 'Always') errors.notSupported(path.child('spec', 'restartPolicy'), policy, ['Always']);
  if (at(template, 'spec', 'activeDeadlineSeconds') !== undefined) {
    errors.forbidden(path.child('spec', 'activeDeadlineSeconds'), `activeDeadlineSeconds in ${kind} is not Supported`);
  }
}
