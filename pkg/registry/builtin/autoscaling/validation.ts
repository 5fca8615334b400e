import {
  compareQuantities,
  type FieldErrors,
  FieldPath,
  isDns1123Label,
  isPathSegmentName,
  type JsonObject,
  type JsonValue,
  parseApiVersion,
  parseQuantity,
  type Shaped,
  zeroQuantity,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, listAt, numberAt, objectAt, objectsAt, textAt } from '../access.js';
import { containerResourceName } from '../core/pod/validation/index.js';
import { oneOf, sentences } from '../rules.js';

const SPEC = FieldPath.in<shapes.AutoscalingV2HorizontalPodAutoscaler>().child('spec');
const PERIOD_SECONDS_MAX = 1800;
const STABILIZATION_SECONDS_MAX = 3600;
const SOURCES = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
} as const;

/** Validates an autoscaler. `old` is the one that an update replaces. */
export function validateAutoscaler(
  o: Shaped<shapes.AutoscalingV2HorizontalPodAutoscaler>,
  errors: FieldErrors,
  old?: Shaped<shapes.AutoscalingV2HorizontalPodAutoscaler>,
): void {
  const spec = objectAt(o, 'spec');
  replicas(spec, errors);
  const target = objectAt(spec, 'scaleTargetRef');
  reference(target, SPEC.child('scaleTargetRef'), errors, old && objectAt(old, 'spec', 'scaleTargetRef'));
  const anyVersion = objectsAt(old, 'spec', 'metrics').some(describesUnversioned);
  errors.each(objectsAt(spec, 'metrics'), (m, i) => metric(m, SPEC.child('metrics').index(i), errors, anyVersion));
  metricsAtZero(spec, errors);
  behaviour(objectAt(spec, 'behavior'), SPEC.child('behavior'), errors);
}

function replicas(spec: Shaped<shapes.AutoscalingV2HorizontalPodAutoscalerSpec>, errors: FieldErrors): void {
  const min = at(spec, 'minReplicas');
  const max = numberAt(spec, 'maxReplicas');
  if (typeof min === 'number' && min < 0)
    errors.invalid(SPEC.child('minReplicas'), min, 'must be greater than or equal to 0');
  const path = SPEC.child('maxReplicas');
  if (max === 0) errors.required(path, 'must be set and greater than 0');
  if (max < 0) errors.invalid(path, max, 'must be greater than or equal to 1');
  if (typeof min === 'number' && max < min) errors.invalid(path, max, 'must be greater than or equal to `minReplicas`');
}

/** With zero pods only object and external metrics can trigger scaling up. */
function metricsAtZero(spec: Shaped<shapes.AutoscalingV2HorizontalPodAutoscalerSpec>, errors: FieldErrors): void {
  const seenOutside = objectsAt(spec, 'metrics').some((m) => ['Object', 'External'].includes(textAt(m, 'type')));
  if (at(spec, 'minReplicas') === 0 && !seenOutside)
    errors.forbidden(
      SPEC.child('metrics'),
      'must specify at least one Object or External metric to support scaling to zero replicas',
    );
}

/** Validates the reference to what is scaled. An update that changes neither its kind nor its version keeps any version. */
function reference(
  ref: Shaped<shapes.AutoscalingV2CrossVersionObjectReference>,
  path: FieldPath<shapes.AutoscalingV2CrossVersionObjectReference>,
  errors: FieldErrors,
  old: Shaped<shapes.AutoscalingV2CrossVersionObjectReference> | undefined,
): void {
  const version = textAt(ref, 'apiVersion');
  const kind = textAt(ref, 'kind');
  const kept = old !== undefined && textAt(old, 'apiVersion') === version && textAt(old, 'kind') === kind;
  named(ref, path, errors, kept);
  if (kept) return;
  const parsed = parseApiVersion(version);
  const isGroupless = version === '' || parsed?.group === '';
  if (isGroupless && kind !== 'ReplicationController')
    errors.invalid(path.child('apiVersion'), version, 'apiVersion must specify API group');
}

const isUnversioned = (version: string): boolean => version !== '' && parseApiVersion(version) === undefined;

/** Whether a metric describes an object by a malformed version. The metrics of a stored autoscaler with one may have any. */
const describesUnversioned = (m: Shaped<shapes.AutoscalingV2MetricSpec>): boolean =>
  textAt(m, 'type') === 'Object' && isUnversioned(textAt(m, 'object', 'describedObject', 'apiVersion'));

/** With `anyVersion`, the version of the reference is not validated. */
function named(
  ref: Shaped<shapes.AutoscalingV2CrossVersionObjectReference>,
  path: FieldPath,
  errors: FieldErrors,
  anyVersion: boolean,
): void {
  for (const field of ['kind', 'name'] as const) {
    const v = textAt(ref, field);
    if (v === '') errors.required(path.child(field));
    else sentences(v, isPathSegmentName, path.child(field), errors);
  }
  const version = textAt(ref, 'apiVersion');
  if (!anyVersion && isUnversioned(version))
    errors.invalid(path.child('apiVersion'), version, `unexpected GroupVersion string: ${version}`);
}

function metric(
  m: Shaped<shapes.AutoscalingV2MetricSpec>,
  path: FieldPath<shapes.AutoscalingV2MetricSpec>,
  errors: FieldErrors,
  anyVersion: boolean,
): void {
  const type = textAt(m, 'type');
  const types = Object.keys(SOURCES);
  if (type === '') errors.required(path.child('type'), 'must specify a metric source type');
  if (!types.includes(type)) for (let i = 0; i < 2; i++) errors.notSupported(path.child('type'), type, types);
  const expected = (SOURCES as Readonly<Record<string, (typeof SOURCES)[keyof typeof SOURCES]>>)[type];
  if (expected !== undefined && at(m, expected) === undefined)
    errors.required(path.child(expected), 'must populate information for the given metric source');
  const given = LOOKED_AT.filter((f) => at(m, f) !== undefined);
  if (given[0] !== undefined) source(given[0], objectAt(m, given[0]), path.child(given[0]), errors, anyVersion);
  if (given.length === 1) return;
  for (const field of given)
    if (field !== expected) errors.forbidden(path.child(field), 'must populate the given metric source only');
}

/** The order in which sources are checked. Only the first one present is validated. */
const LOOKED_AT = ['object', 'external', 'pods', 'resource', 'containerResource'] as const;

function source(field: string, s: JsonObject, path: FieldPath, errors: FieldErrors, anyVersion: boolean): void {
  const target = objectAt(s, 'target');
  const here = path.child('target');
  switch (field) {
    case 'containerResource':
      if (textAt(s, 'name') === '') errors.required(path.child('name'), 'must specify a resource name');
      else containerResourceName(textAt(s, 'name'), path.child('name'), errors);
      if (textAt(s, 'container') === '') errors.required(path.child('container'), 'must specify a container');
      else sentences(textAt(s, 'container'), isDns1123Label, path.child('container'), errors);
      resourceTarget(target, path, errors);
      break;
    case 'resource':
      if (textAt(s, 'name') === '') errors.required(path.child('name'), 'must specify a resource name');
      resourceTarget(target, path, errors);
      break;
    case 'pods':
      identifier(objectAt(s, 'metric'), path.child('metric'), errors);
      metricTarget(target, here, errors);
      if (at(target, 'averageValue') === undefined)
        errors.required(here.child('averageValue'), 'must specify a positive target averageValue');
      break;
    case 'object':
      named(objectAt(s, 'describedObject'), path.child('describedObject'), errors, anyVersion);
      identifier(objectAt(s, 'metric'), path.child('metric'), errors);
      metricTarget(target, here, errors);
      if (at(target, 'value') === undefined && at(target, 'averageValue') === undefined)
        errors.required(here.child('averageValue'), 'must set either a target value or averageValue');
      break;
    case 'external':
      identifier(objectAt(s, 'metric'), path.child('metric'), errors);
      metricTarget(target, here, errors);
      if (at(target, 'value') === undefined && at(target, 'averageValue') === undefined)
        errors.required(here.child('averageValue'), 'must set either a target value for metric or a per-pod target');
      if (at(target, 'value') !== undefined && at(target, 'averageValue') !== undefined)
        errors.forbidden(here.child('value'), 'may not set both a target value for metric and a per-pod target');
      break;
  }
}

function resourceTarget(target: JsonObject, path: FieldPath, errors: FieldErrors): void {
  const here = path.child('target');
  metricTarget(target, here, errors);
  const share = at(target, 'averageUtilization') !== undefined;
  const value = at(target, 'averageValue') !== undefined;
  if (!share && !value)
    errors.required(here.child('averageUtilization'), 'must set either a target raw value or a target utilization');
  if (share && value)
    errors.forbidden(here.child('averageValue'), 'may not set both a target raw value and a target utilization');
}

function identifier(id: JsonObject, path: FieldPath, errors: FieldErrors): void {
  const name = textAt(id, 'name');
  if (name === '') errors.required(path.child('name'), 'must specify a metric name');
  else sentences(name, isPathSegmentName, path.child('name'), errors);
}

function positive(value: JsonValue | undefined): boolean | undefined {
  if (value === undefined) return undefined;
  const q = parseQuantity(String(value));
  return q !== undefined && compareQuantities(q, zeroQuantity) > 0;
}

const TARGETS = ['Utilization', 'Value', 'AverageValue'];

function metricTarget(target: JsonObject, path: FieldPath, errors: FieldErrors): void {
  const type = textAt(target, 'type');
  if (type === '') errors.required(path.child('type'), 'must specify a metric target type');
  if (!TARGETS.includes(type))
    errors.invalid(path.child('type'), type, 'must be either Utilization, Value, or AverageValue');
  for (const field of ['value', 'averageValue'] as const)
    if (positive(at(target, field)) === false) errors.invalid(path.child(field), at(target, field), 'must be positive');
  const share = at(target, 'averageUtilization');
  if (typeof share === 'number' && share < 1)
    errors.invalid(path.child('averageUtilization'), share, 'must be greater than 0');
}

function behaviour(
  b: Shaped<shapes.AutoscalingV2HorizontalPodAutoscalerBehavior>,
  path: FieldPath<shapes.AutoscalingV2HorizontalPodAutoscalerBehavior>,
  errors: FieldErrors,
): void {
  for (const direction of ['scaleUp', 'scaleDown'] as const) {
    const rules = at(b, direction);
    if (rules !== undefined) scalingRules(objectAt(b, direction), path.child(direction), errors);
  }
}

function scalingRules(
  rules: Shaped<shapes.AutoscalingV2HPAScalingRules>,
  path: FieldPath<shapes.AutoscalingV2HPAScalingRules>,
  errors: FieldErrors,
): void {
  const window = at(rules, 'stabilizationWindowSeconds');
  const here = path.child('stabilizationWindowSeconds');
  if (typeof window === 'number' && window < 0) errors.invalid(here, window, 'must be greater than or equal to zero');
  if (typeof window === 'number' && window > STABILIZATION_SECONDS_MAX)
    errors.invalid(here, window, `must be less than or equal to ${STABILIZATION_SECONDS_MAX}`);
  const select = at(rules, 'selectPolicy');
  if (typeof select === 'string') oneOf(select, path.child('selectPolicy'), ['Disabled', 'Max', 'Min'], errors, false);
  if (listAt(rules, 'policies').length === 0)
    errors.required(path.child('policies'), 'must specify at least one Policy');
  errors.each(objectsAt(rules, 'policies'), (policy, i) =>
    scalingPolicy(policy, path.child('policies').index(i), errors),
  );
  const tolerance = at(rules, 'tolerance');
  if (typeof tolerance === 'string' && tolerance.startsWith('-'))
    errors.invalid(path.child('tolerance'), tolerance, 'must be greater than or equal to 0');
}

function scalingPolicy(
  policy: Shaped<shapes.AutoscalingV2HPAScalingPolicy>,
  path: FieldPath<shapes.AutoscalingV2HPAScalingPolicy>,
  errors: FieldErrors,
): void {
  const type = textAt(policy, 'type');
  if (type !== 'Percent' && type !== 'Pods') errors.notSupported(path.child('type'), type, ['Percent', 'Pods']);
  if (numberAt(policy, 'value') <= 0)
    errors.invalid(path.child('value'), numberAt(policy, 'value'), 'must be greater than zero');
  const period = numberAt(policy, 'periodSeconds');
  if (period <= 0) errors.invalid(path.child('periodSeconds'), period, 'must be greater than zero');
  if (period > PERIOD_SECONDS_MAX)
    errors.invalid(path.child('periodSeconds'), period, `must be less than or equal to ${PERIOD_SECONDS_MAX}`);
}
