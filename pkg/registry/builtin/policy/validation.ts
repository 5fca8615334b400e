import { type FieldErrors, FieldPath, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, objectsAt } from '../access.js';
import { isInvalidSelector, labelSelector, oneOf, shown } from '../rules.js';
import { conditionList } from '../status/conditions.js';
import { countsInStatus } from '../status/counts.js';
import { countOrPercent, notOverHundredPercent } from '../workloads.js';

const SPEC = FieldPath.in<shapes.PolicyV1PodDisruptionBudget>().child('spec');

/** Validates a budget. `old` is the one that an update replaces. */
export function validateBudget(
  o: Shaped<shapes.PolicyV1PodDisruptionBudget>,
  errors: FieldErrors,
  old?: Shaped<shapes.PolicyV1PodDisruptionBudget>,
): void {
  const spec = at(o, 'spec');
  if (at(spec, 'minAvailable') !== undefined && at(spec, 'maxUnavailable') !== undefined) {
    errors.invalid(
      SPEC,
      shown('policy/v1.PodDisruptionBudgetSpec', spec),
      'minAvailable and maxUnavailable cannot be both set',
    );
  }
  for (const field of ['minAvailable', 'maxUnavailable'] as const) {
    const value = at(spec, field);
    if (value === undefined) continue;
    countOrPercent(value, SPEC.child(field), errors);
    notOverHundredPercent(value, SPEC.child(field), errors);
  }
  const checkValues = old === undefined || !isInvalidSelector(at(old, 'spec', 'selector'));
  labelSelector(at(spec, 'selector'), SPEC.child('selector'), errors, checkValues);
  const policy = at(spec, 'unhealthyPodEvictionPolicy');
  if (typeof policy === 'string')
    oneOf(policy, SPEC.child('unhealthyPodEvictionPolicy'), ['AlwaysAllow', 'IfHealthyBudget'], errors, false);
}

const counts = countsInStatus<shapes.PolicyV1PodDisruptionBudgetStatus>({
  counts: ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'],
});

export function validateBudgetStatus(
  o: Shaped<shapes.PolicyV1PodDisruptionBudget>,
  old: Shaped<shapes.PolicyV1PodDisruptionBudget>,
  errors: FieldErrors,
): void {
  conditionList(
    objectsAt(o, 'status', 'conditions'),
    FieldPath.in<shapes.PolicyV1PodDisruptionBudget>().child('status', 'conditions'),
    errors,
  );
  counts(o, old, errors);
}
