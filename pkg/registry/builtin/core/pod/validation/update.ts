import {
  cloneJson,
  equalJson,
  type FieldErrors,
  FieldPath,
  isInRange,
  removeField,
  type Shaped,
} from '../../../../../api/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { equalAs, internalDifference } from '../../../../../schema/index.js';
import { at, listAt, numberAt, objectAt, objectIn, objectsAt, textAt } from '../../../access.js';
import { keep } from '../../../form.js';
import { shown } from '../../../rules.js';

/** Validation of pod updates. Few fields are mutable, because a node may already run the pod. */

const SPEC = FieldPath.in<shapes.CoreV1Pod>().child('spec');
const FIXED =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** Returns at the first error that the comparison of the whole spec would repeat. */
export function podUpdate(pod: Shaped<shapes.CoreV1Pod>, old: Shaped<shapes.CoreV1Pod>, errors: FieldErrors): void {
  const spec = objectAt(pod, 'spec');
  const before = objectAt(old, 'spec');
  for (const list of ['containers', 'initContainers'] as const) {
    if (objectsAt(spec, list).length !== objectsAt(before, list).length) {
      errors.forbidden(SPEC.child(list), 'pod updates may not add or remove containers');
      return;
    }
    images(spec, list, errors);
  }
  if (!deadline(spec, before, errors)) return;
  onlyAddedTolerations(spec, before, errors);
  onlyFewerGates(spec, before, errors);
  const munged = cloneJson(spec);
  for (const list of ['containers', 'initContainers'] as const) {
    for (const [i, c] of objectsAt(munged, list).entries()) keep('image', c, objectsAt(before, list)[i]!);
    // kube-apiserver builds the list anew, so that an empty one is absent.
    if (objectsAt(munged, list).length === 0) removeField(munged, list);
  }
  keep('activeDeadlineSeconds', munged, before);
  keep('tolerations', munged, before);
  keep('schedulingGates', munged, before);
  if (numberAt(before, 'terminationGracePeriodSeconds') < 0 && numberAt(spec, 'terminationGracePeriodSeconds') === 1)
    keep('terminationGracePeriodSeconds', munged, before);
  if (objectsAt(before, 'schedulingGates').length > 0) tightened(munged, spec, before, errors);
  const compared = { ...before };
  for (const list of ['containers', 'initContainers'] as const)
    if (objectsAt(before, list).length === 0) removeField(compared, list);
  if (!equalAs('core/v1.PodSpec', munged, compared))
    errors.forbidden(SPEC, `${FIXED}\n${internalDifference('core/v1.PodSpec', before, munged)}`);
}

function images(
  spec: Shaped<shapes.CoreV1PodSpec>,
  list: 'containers' | 'initContainers' | 'ephemeralContainers',
  errors: FieldErrors,
): void {
  for (const [i, c] of objectsAt(spec, list).entries()) {
    const path = SPEC.child(list).index(i).child('image');
    const image = textAt(c, 'image');
    if (image === '') errors.required(path);
    else if (image !== image.trim()) errors.invalid(path, image, 'must not have leading or trailing whitespace');
  }
}

function deadline(
  spec: Shaped<shapes.CoreV1PodSpec>,
  before: Shaped<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
): boolean {
  const path = SPEC.child('activeDeadlineSeconds');
  const now = at(spec, 'activeDeadlineSeconds');
  const was = at(before, 'activeDeadlineSeconds');
  if (typeof now === 'number') {
    const wrong = isInRange(now, 0, 2147483647);
    for (const s of wrong) errors.invalid(path, now, s);
    if (wrong.length > 0) return false;
    if (typeof was === 'number' && was < now) {
      errors.invalid(path, now, 'must be less than or equal to previous value');
      return false;
    }
  } else if (typeof was === 'number')
    errors.invalid(path, null, 'must not update from a positive integer to nil value');
  return true;
}

const tolerationKey = (t: Shaped<shapes.CoreV1Toleration>): string =>
  (['key', 'operator', 'value', 'effect'] as const).map((f) => textAt(t, f)).join('|');

/** Every old toleration is still present. Its tolerationSeconds may differ. */
function onlyAddedTolerations(
  spec: Shaped<shapes.CoreV1PodSpec>,
  before: Shaped<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
): void {
  const now = new Set(objectsAt(spec, 'tolerations').map(tolerationKey));
  const kept = objectsAt(before, 'tolerations').every((t) => now.has(tolerationKey(t)));
  if (!kept)
    errors.forbidden(SPEC.child('tolerations'), 'existing toleration can not be modified except its tolerationSeconds');
}

function onlyFewerGates(
  spec: Shaped<shapes.CoreV1PodSpec>,
  before: Shaped<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
): void {
  const were = new Set(objectsAt(before, 'schedulingGates').map((g) => textAt(g, 'name')));
  // A name that repeats is reported once, at its last place.
  const now = new Map(objectsAt(spec, 'schedulingGates').map((g, i) => [textAt(g, 'name'), i]));
  for (const [name, i] of now) {
    if (!were.has(name))
      errors.forbidden(
        SPEC.child('schedulingGates').index(i).child('name'),
        `only deletion is allowed, but found new scheduling gate '${name}'`,
      );
  }
}

/** While a pod has scheduling gates, its node affinity may be narrowed but not widened. */
function tightened(
  munged: Shaped<shapes.CoreV1PodSpec>,
  spec: Shaped<shapes.CoreV1PodSpec>,
  before: Shaped<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
): void {
  const was = objectAt(before, 'nodeSelector');
  const now = objectAt(spec, 'nodeSelector');
  if (!equalJson(was, now)) {
    keep('nodeSelector', munged, before);
    if (!Object.entries(was).every(([k, v]) => now[k] === v))
      errors.invalid(
        SPEC.child('nodeSelector'),
        at(spec, 'nodeSelector'),
        'only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      );
  }
  const affinity = at(munged, 'affinity', 'nodeAffinity');
  const affinityBefore = at(before, 'affinity', 'nodeAffinity');
  if (equalJson(affinity, affinityBefore)) return;
  nodeAffinityNarrowed(affinityBefore, affinity, errors);
  keep('nodeAffinity', objectIn(munged, 'affinity'), objectAt(before, 'affinity'));
  if (Object.keys(objectAt(munged, 'affinity')).length === 0 && before['affinity'] === undefined)
    delete munged['affinity'];
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

function nodeAffinityNarrowed(before: ReturnType<typeof at>, now: ReturnType<typeof at>, errors: FieldErrors): void {
  const terms = objectsAt(before, REQUIRED, 'nodeSelectorTerms');
  if (terms.length === 0) return;
  const path = SPEC.child('affinity', 'nodeAffinity', REQUIRED, 'nodeSelectorTerms');
  const newTerms = objectsAt(now, REQUIRED, 'nodeSelectorTerms');
  if (newTerms.length !== terms.length) {
    errors.invalid(
      path,
      shown('[]core/v1.NodeSelectorTerm', listAt(now, REQUIRED, 'nodeSelectorTerms')),
      'no additions/deletions to non-empty NodeSelectorTerms list are allowed',
    );
    return;
  }
  for (const [i, term] of terms.entries()) {
    for (const field of ['matchExpressions', 'matchFields'] as const) {
      const kept = objectsAt(term, field).every((e) => objectsAt(newTerms[i], field).some((n) => equalJson(e, n)));
      if (kept) continue;
      errors.invalid(
        path.index(i),
        shown('core/v1.NodeSelectorTerm', newTerms[i]),
        'only additions are allowed (no mutations or deletions)',
      );
    }
  }
}
