import { at, isObject, type JsonObject, type JsonValue, objectAt, textAt } from '../../../api/index.js';

/**
 * Metrics as `autoscaling/v1` writes them into annotations: each type has its own field names for what v2 calls metric, target and
 * current. The fields are in the order of kube-apiserver, because the annotation is text.
 */

type Word = 'target' | 'current';
const TYPES = {
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
  ContainerResource: 'containerResource',
  External: 'external',
} as const;
type MetricType = keyof typeof TYPES;

const cased = (word: Word, name: string): string => `${word}${name}`;

function withoutAbsent(o: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const out: JsonObject = {};
  for (const [k, v] of Object.entries(o)) if (v !== undefined) out[k] = v;
  return out;
}

/** `word` is the field name prefix: the target in a spec, the current value in a status. */
export function toV1Metric(metric: JsonObject, word: Word): JsonObject {
  return converted(metric, (type, source) => toV1Source(type, source, word));
}

function toV1Source(type: MetricType, source: JsonObject, word: Word): JsonObject {
  const amount = objectAt(source, word);
  const utilization = amount['averageUtilization'];
  const average = amount['averageValue'];
  // a current value always includes its average
  const shown = word === 'current' ? (average ?? '0') : average;
  const selector = at(source, 'metric', 'selector');
  const metricName = textAt(source, 'metric', 'name');
  const value = amount['value'];
  switch (type) {
    case 'Object':
      return withoutAbsent({
        target: source['describedObject'],
        metricName,
        [cased(word, 'Value')]: value ?? '0',
        selector,
        averageValue: average,
      });
    case 'Pods':
      return withoutAbsent({ metricName, [cased(word, 'AverageValue')]: average ?? '0', selector });
    case 'External':
      return withoutAbsent({
        metricName,
        metricSelector: selector,
        [cased(word, 'Value')]: word === 'current' ? (value ?? '0') : value,
        [cased(word, 'AverageValue')]: average,
      });
    case 'Resource':
    case 'ContainerResource':
      return withoutAbsent({
        name: textAt(source, 'name'),
        [cased(word, 'AverageUtilization')]: utilization,
        [cased(word, 'AverageValue')]: shown,
        container: type === 'ContainerResource' ? textAt(source, 'container') : undefined,
      });
  }
}

export function fromV1Metric(metric: JsonValue, word: Word): JsonObject {
  return converted(metric, (type, source) => fromV1Source(type, source, word));
}

/** Converts all sources of a metric, also those of other types than its own, which validation judges. */
function converted(metric: JsonValue, convert: (type: MetricType, source: JsonObject) => JsonObject): JsonObject {
  const out: JsonObject = { type: textAt(metric, 'type') };
  for (const [type, field] of Object.entries(TYPES) as readonly (readonly [MetricType, string])[]) {
    const source = at(metric, field);
    if (isObject(source)) out[field] = convert(type, source);
  }
  return out;
}

function fromV1Source(type: MetricType, source: JsonObject, word: Word): JsonObject {
  const average = type === 'Object' ? source['averageValue'] : source[cased(word, 'AverageValue')];
  const given = source[cased(word, 'Value')];
  // v1 writes the value 0 when the target is only an average.
  const value = given === '0' && average !== undefined ? undefined : given;
  const utilization = source[cased(word, 'AverageUtilization')];
  const metric = withoutAbsent({
    name: textAt(source, 'metricName'),
    selector: type === 'External' ? source['metricSelector'] : source['selector'],
  });
  const amount = (kind: string, values: Readonly<Record<string, JsonValue | undefined>>): JsonObject =>
    withoutAbsent({ ...(word === 'target' ? { type: kind } : {}), ...values });
  switch (type) {
    case 'Object':
      return withoutAbsent({
        describedObject: source['target'],
        [word]: amount(average === undefined ? 'Value' : 'AverageValue', { value, averageValue: average }),
        metric,
      });
    case 'Pods':
      return { metric, [word]: amount('AverageValue', { averageValue: average }) };
    case 'External':
      return {
        metric,
        [word]: amount(value === undefined ? 'AverageValue' : 'Value', { value, averageValue: average }),
      };
    case 'Resource':
    case 'ContainerResource':
      return withoutAbsent({
        name: textAt(source, 'name'),
        [word]: amount(utilization === undefined ? 'AverageValue' : 'Utilization', {
          averageValue: average,
          averageUtilization: utilization,
        }),
        container: type === 'ContainerResource' ? textAt(source, 'container') : undefined,
      });
  }
}
