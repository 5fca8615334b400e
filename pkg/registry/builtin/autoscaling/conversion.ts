import { getOwn, isObject, type JsonObject, type JsonValue, rememberEmpty } from '../../../api/index.js';
import { readJson } from '../../../codec/index.js';
import { at, objectsAt, textAt } from '../access.js';
import { decodeAnnotation, listOf } from './annotations.js';
import { fromV1Metric, toV1Metric } from './metricforms.js';

/**
 * `autoscaling/v1` has only a CPU target. Annotations carry all other fields of v2, so that an object read in v1 and written
 * back loses nothing. The annotation names are those of kube-apiserver.
 */
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const CURRENT_METRICS = 'autoscaling.alpha.kubernetes.io/current-metrics';
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';
export const V1_ANNOTATIONS = [METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR];

/** v1 -> v2, in place. */
export function toV2(o: JsonObject): void {
  const spec = ensure(o, 'spec');
  const metrics = listOf('autoscaling/v1.MetricSpec', takeAnnotation(o, METRICS));
  const list = (metrics ?? []).map((m) => fromV1Metric(m, 'target'));
  const cpu = spec['targetCPUUtilizationPercentage'];
  delete spec['targetCPUUtilizationPercentage'];
  if (typeof cpu === 'number')
    list.push({
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: cpu } },
    });
  if (list.length > 0) spec['metrics'] = list;
  const behavior = behaviorOf(takeAnnotation(o, BEHAVIOR));
  if (behavior !== undefined) spec['behavior'] = behavior;
  const status = isObject(o['status']) ? o['status'] : undefined;
  const current = listOf('autoscaling/v1.MetricStatus', takeAnnotation(o, CURRENT_METRICS));
  const conditions = listOf('autoscaling/v1.HorizontalPodAutoscalerCondition', takeAnnotation(o, CONDITIONS));
  if (status === undefined && current === undefined && conditions === undefined) return;
  const target = status ?? ensure(o, 'status');
  const cpuNow = target['currentCPUUtilizationPercentage'];
  delete target['currentCPUUtilizationPercentage'];
  // the annotation includes CPU too, with more detail than the field
  if (current !== undefined) target['currentMetrics'] = current.map((m) => fromV1Metric(m, 'current'));
  else if (typeof cpuNow === 'number')
    target['currentMetrics'] = [
      { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: cpuNow } } },
    ];
  if (conditions !== undefined) target['conditions'] = conditions;
}

/** v2 -> v1, in place. */
export function fromV2(o: JsonObject): void {
  const spec = ensure(o, 'spec');
  const others: JsonObject[] = [];
  for (const m of objectsAt(spec, 'metrics')) {
    const utilization = at(m, 'resource', 'target', 'averageUtilization');
    if (isCpu(m) && typeof utilization === 'number' && spec['targetCPUUtilizationPercentage'] === undefined)
      spec['targetCPUUtilizationPercentage'] = utilization;
    else others.push(toV1Metric(m, 'target'));
  }
  delete spec['metrics'];
  if (others.length > 0) annotate(o, METRICS, others);
  const { behavior } = spec;
  if (isObject(behavior)) annotate(o, BEHAVIOR, shownBehavior(behavior));
  delete spec['behavior'];
  const status = o['status'];
  if (!isObject(status)) return;
  const current = objectsAt(status, 'currentMetrics');
  for (const m of current) {
    const utilization = at(m, 'resource', 'current', 'averageUtilization');
    if (isCpu(m) && typeof utilization === 'number') status['currentCPUUtilizationPercentage'] = utilization;
  }
  delete status['currentMetrics'];
  if (current.length > 0)
    annotate(
      o,
      CURRENT_METRICS,
      current.map((m) => toV1Metric(m, 'current')),
    );
  if (status['conditions'] !== undefined) annotate(o, CONDITIONS, status['conditions']);
  delete status['conditions'];
}

/** Behavior in a v1 annotation gets no defaults: a direction without policies stays without policies. */
function behaviorOf(value: JsonValue | undefined): JsonObject | undefined {
  const behavior = decodeAnnotation('autoscaling/v2.HorizontalPodAutoscalerBehavior', value);
  if (behavior === undefined || Object.keys(behavior).length === 0) return undefined;
  for (const direction of Object.values(behavior))
    if (isObject(direction) && direction['policies'] === undefined) rememberEmpty(direction, { policies: [] });
  return behavior;
}

/** The annotation has the names of kube-apiserver's internal type, in which nothing is left out. Reading ignores the case of names. */
function shownBehavior(behavior: JsonObject): JsonObject {
  return { ScaleUp: shownRules(behavior['scaleUp']), ScaleDown: shownRules(behavior['scaleDown']) };
}

function shownRules(rules: JsonValue | undefined): JsonValue {
  if (!isObject(rules)) return null;
  const { policies } = rules;
  return {
    StabilizationWindowSeconds: rules['stabilizationWindowSeconds'] ?? null,
    SelectPolicy: rules['selectPolicy'] ?? null,
    Policies: Array.isArray(policies) ? policies.map(shownPolicy) : null,
    Tolerance: rules['tolerance'] ?? null,
  };
}

function shownPolicy(policy: JsonValue): JsonObject {
  const { type = '', value = 0, periodSeconds = 0 } = isObject(policy) ? policy : {};
  return { Type: type, Value: value, PeriodSeconds: periodSeconds };
}

const isCpu = (m: JsonObject): boolean => textAt(m, 'type') === 'Resource' && textAt(m, 'resource', 'name') === 'cpu';

function ensure(o: JsonObject, field: string): JsonObject {
  const v = o[field];
  if (isObject(v)) return v;
  const made: JsonObject = {};
  o[field] = made;
  return made;
}

function annotate(o: JsonObject, name: string, value: JsonValue): void {
  ensure(ensure(o, 'metadata'), 'annotations')[name] = JSON.stringify(value);
}

/** Removes the annotation and returns its value. Text that is not JSON counts as absent. */
function takeAnnotation(o: JsonObject, name: string): JsonValue | undefined {
  const meta = o['metadata'];
  const annotations = isObject(meta) ? meta['annotations'] : undefined;
  if (!isObject(meta) || !isObject(annotations)) return undefined;
  const text = getOwn(annotations, name);
  if (typeof text !== 'string') return undefined;
  delete annotations[name];
  if (Object.keys(annotations).length === 0) delete meta['annotations'];
  const read = readJson(Buffer.from(text));
  return read.ok ? read.value : undefined;
}
