import { type FieldErrors, type FieldName, FieldPath, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, numberAt, objectsAt, textAt } from '../access.js';
import { statusSubresource, withStatus } from '../form.js';
import { nonNegative } from '../rules.js';
import { autoscalerStatus } from '../status/counts.js';
import { AGE, age, column, table } from '../table.js';
import { fromV2, toV2, V1_ANNOTATIONS } from './conversion.js';
import { defaultAutoscaler } from './defaults.js';
import { validateAutoscaler } from './validation.js';

export const horizontalPodAutoscaler: ResourceDeclaration<shapes.AutoscalingV2HorizontalPodAutoscaler> = {
  group: 'autoscaling',
  resource: 'horizontalpodautoscalers',
  singular: 'horizontalpodautoscaler',
  kind: 'HorizontalPodAutoscaler',
  versions: [{ version: 'v2' }, { version: 'v1', toStorage: toV2, fromStorage: fromV2 }],
  storageVersion: 'v2',
  namespaced: true,
  shortNames: ['hpa'],
  categories: ['all'],
  hiddenAnnotations: V1_ANNOTATIONS,
  strategy: withStatus({
    defaults: defaultAutoscaler,
    create: { validate: (o, errors) => validateAutoscaler(o, errors) },
    update: { validate: (o, old, errors) => validateAutoscaler(o, errors, old) },
  }),
  subresources: { status: statusSubresource({ update: { validate: validateStatus } }) },
  table: table(
    [
      column('Reference', 'What is scaled.'),
      column('Targets', 'Current and wanted values of the metrics.'),
      column('MinPods', 'Least number of pods.'),
      column('MaxPods', 'Greatest number of pods.'),
      column('Replicas', 'Pods now.'),
      AGE,
    ],
    (o, now) => [
      `${textAt(o, 'spec', 'scaleTargetRef', 'kind')}/${textAt(o, 'spec', 'scaleTargetRef', 'name')}`,
      targets(o),
      String(at(o, 'spec', 'minReplicas') ?? '<unset>'),
      numberAt(o, 'spec', 'maxReplicas'),
      numberAt(o, 'status', 'currentReplicas'),
      age(o, now),
    ],
  ),
};

const SHOWN = 2;

function targets(o: Shaped<shapes.AutoscalingV2HorizontalPodAutoscaler>): string {
  const metrics = objectsAt(o, 'spec', 'metrics');
  const current = objectsAt(o, 'status', 'currentMetrics');
  if (metrics.length === 0) return '<none>';
  const texts = metrics.map((m, i) => target(m, current[i]));
  const shown = texts.slice(0, SHOWN).join(', ');
  return texts.length > SHOWN ? `${shown} + ${texts.length - SHOWN} more...` : shown;
}

/** The field that holds the target of each metric type, and whether the table shows the metric's name. */
const SOURCES: Readonly<
  Record<
    string,
    { readonly field: Exclude<FieldName<shapes.AutoscalingV2MetricSpec>, 'type'>; readonly named: boolean }
  >
> = {
  External: { field: 'external', named: false },
  Pods: { field: 'pods', named: false },
  Object: { field: 'object', named: false },
  Resource: { field: 'resource', named: true },
  ContainerResource: { field: 'containerResource', named: true },
};

function target(
  metric: Shaped<shapes.AutoscalingV2MetricSpec>,
  current: Shaped<shapes.AutoscalingV2MetricStatus> | undefined,
): string {
  const source = SOURCES[textAt(metric, 'type')];
  if (source === undefined) return '<unknown type>';
  const wanted = at(at(metric, source.field), 'target');
  const now = at(at(current, source.field), 'current');
  const prefix = source.named ? `${textAt(at(metric, source.field), 'name')}: ` : '';
  const utilization = at(wanted, 'averageUtilization');
  if (typeof utilization === 'number') {
    const is = at(now, 'averageUtilization');
    return `${prefix}${typeof is === 'number' ? `${is}%` : '<unknown>'}/${utilization}%`;
  }
  const average = textAt(wanted, 'averageValue');
  if (average !== '')
    return `${prefix}${textAt(now, 'averageValue') || '<unknown>'}/${average}${source.named ? '' : ' (avg)'}`;
  return `${prefix}${textAt(now, 'value') || '<unknown>'}/${textAt(wanted, 'value') || '<auto>'}`;
}

function validateStatus(
  o: Shaped<shapes.AutoscalingV2HorizontalPodAutoscaler>,
  old: Shaped<shapes.AutoscalingV2HorizontalPodAutoscaler>,
  errors: FieldErrors,
): void {
  autoscalerStatus(o, old, errors);
  errors.each(objectsAt(o, 'status', 'conditions'), (condition, i) => {
    const path = FieldPath.of('status', 'conditions').index(i).child('observedGeneration');
    nonNegative(at(condition, 'observedGeneration'), path, errors);
  });
}
