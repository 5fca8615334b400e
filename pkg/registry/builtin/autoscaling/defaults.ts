import { isObject, type JsonObject, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, givenAt, listAt, objectIn } from '../access.js';
import { whenAbsent } from '../defaults.js';

const CPU_UTILIZATION = 80;
const SCALE_UP_POLICIES = [
  { type: 'Pods', value: 4, periodSeconds: 15 },
  { type: 'Percent', value: 100, periodSeconds: 15 },
];
const SCALE_DOWN_POLICIES = [{ type: 'Percent', value: 100, periodSeconds: 15 }];

/** Defaults minReplicas to 1, the metrics to CPU when there are none, and the fields that `behavior` omits. */
export function defaultAutoscaler(o: Shaped<shapes.AutoscalingV2HorizontalPodAutoscaler>): void {
  const spec = objectIn(o, 'spec');
  whenAbsent(spec, 'minReplicas', 1);
  if (listAt(spec, 'metrics').length === 0) {
    spec['metrics'] = [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: CPU_UTILIZATION } },
      },
    ];
  }
  const behavior = at(spec, 'behavior');
  if (!isObject(behavior)) return;
  rules(objectIn(behavior, 'scaleUp'), SCALE_UP_POLICIES);
  whenAbsent(objectIn(behavior, 'scaleUp'), 'stabilizationWindowSeconds', 0);
  rules(objectIn(behavior, 'scaleDown'), SCALE_DOWN_POLICIES);
}

function rules(direction: Shaped<shapes.AutoscalingV2HPAScalingRules>, policies: readonly JsonObject[]): void {
  whenAbsent(direction, 'selectPolicy', 'Max');
  if (givenAt(direction, 'policies') === undefined) direction['policies'] = policies.map((p) => ({ ...p }));
}
