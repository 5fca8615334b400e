import { type FieldErrors, FieldPath, type JsonObject } from '../../../api/index.js';
import { at, objectsAt } from '../access.js';
import { labelSelector, oneOf, shown } from '../rules.js';
import { conditionList } from '../status/conditions.js';
import { countsInStatus } from '../status/counts.js';
import { countOrPercent, notOverHundredPercent } from '../workloads.js';

const SPEC = FieldPath.of('spec');

export function validateBudget(o: JsonObject, errors: FieldErrors): void {
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
  labelSelector(at(spec, 'selector'), SPEC.child('selector'), errors);
  const policy = at(spec, 'unhealthyPodEvictionPolicy');
  if (typeof policy === 'string')
    oneOf(policy, SPEC.child('unhealthyPodEvictionPolicy'), ['AlwaysAllow', 'IfHealthyBudget'], errors, false);
}

const counts = countsInStatus({ counts: ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] });

export function validateBudgetStatus(o: JsonObject, old: JsonObject, errors: FieldErrors): void {
  conditionList(objectsAt(o, 'status', 'conditions'), FieldPath.of('status', 'conditions'), errors);
  counts(o, old, errors);
}
