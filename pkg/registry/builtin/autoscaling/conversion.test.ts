import { describe, expect, it } from 'vitest';
import { asGiven, cloneJson, type JsonObject, objectAt } from '../../../api/index.js';
import { fromV2, toV2 } from './conversion.js';

const METRICS: readonly JsonObject[] = [
  { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '5M' } } },
  {
    type: 'ContainerResource',
    containerResource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 3 }, container: 'c' },
  },
  {
    type: 'Pods',
    pods: { metric: { name: 'hits', selector: {} }, target: { type: 'AverageValue', averageValue: '1' } },
  },
  {
    type: 'Object',
    object: {
      describedObject: { kind: 'Service', name: 's' },
      target: { type: 'Value', value: '7' },
      metric: { name: 'queue' },
    },
  },
  {
    type: 'Object',
    object: {
      describedObject: { kind: 'Service', name: 's' },
      target: { type: 'AverageValue', averageValue: '7' },
      metric: { name: 'queue' },
    },
  },
  { type: 'External', external: { metric: { name: 'mails' }, target: { type: 'Value', value: '9' } } },
];

describe('an autoscaler in v1', () => {
  it.each(METRICS)('loses nothing of %j', (metric) => {
    const o: JsonObject = { metadata: {}, spec: { metrics: [cloneJson(metric)] } };
    fromV2(o);
    expect(o['spec']).toEqual({});
    toV2(o);
    expect(o).toEqual({ metadata: {}, spec: { metrics: [metric] } });
  });

  it('writes metrics, including CPU, with the field names of v1', () => {
    const current = { averageUtilization: 9, averageValue: '5m' };
    const o: JsonObject = {
      metadata: {},
      spec: {},
      status: { currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current } }] },
    };
    fromV2(o);
    expect(o['status']).toEqual({ currentCPUUtilizationPercentage: 9 });
    expect(o['metadata']).toEqual({
      annotations: {
        'autoscaling.alpha.kubernetes.io/current-metrics':
          '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":9,"currentAverageValue":"5m"}}]',
      },
    });
    toV2(o);
    expect(o['status']).toEqual({ currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current } }] });
  });

  const annotated = (name: string, text: string): JsonObject => {
    const o: JsonObject = {
      metadata: { annotations: { [`autoscaling.alpha.kubernetes.io/${name}`]: text } },
      spec: {},
    };
    toV2(o);
    return { ...objectAt(o, 'spec'), ...objectAt(o, 'status') };
  };

  it('matches field names in annotations in any case, and ignores unknown ones', () => {
    const behavior = {
      scaleDown: { stabilizationWindowSeconds: 60, policies: [{ type: 'Pods', value: 1, periodSeconds: 5 }] },
    };
    const text =
      '{"ScaleDown":{"StabilizationWindowSeconds":60,"x":1,"POLICIES":[{"Type":"Pods","value":1,"periodseconds":5}]}}';
    expect(annotated('behavior', text)).toEqual({ behavior });
  });

  it('keeps the source of a metric whose type is unknown', () => {
    const text = '[{"TYPE":"RESOURCE","RESOURCE":{"NAME":"CPU","CURRENTAVERAGEVALUE":"5"}}]';
    expect(annotated('current-metrics', text)).toEqual({
      currentMetrics: [{ type: 'RESOURCE', resource: { name: 'CPU', current: { averageValue: '5' } } }],
    });
  });

  it.each([
    ['behavior', '5'],
    ['behavior', '{}'],
    ['behavior', '{"unknown":1}'],
    ['behavior', '{"scaleUp":5}'],
    ['behavior', `${'{"scaleUp":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
    ['metrics', '{}'],
    ['metrics', '[5]'],
    ['metrics', '[{"type":"Resource","resource":{"name":5}}]'],
    ['metrics', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    ['conditions', '[{"type":1}]'],
    ['current-metrics', '"x"'],
  ])('reads nothing from %s %.20s', (name, text) => {
    expect(annotated(name, text)).toEqual({});
  });

  it('shows behavior with the names of the internal type, and reads them', () => {
    const behavior = {
      scaleUp: { selectPolicy: 'Max', policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }], tolerance: '100m' },
    };
    const o: JsonObject = { metadata: {}, spec: { behavior: structuredClone(behavior) } };
    fromV2(o);
    expect(objectAt(o, 'metadata', 'annotations')).toEqual({
      'autoscaling.alpha.kubernetes.io/behavior':
        '{"ScaleUp":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}],"Tolerance":"100m"},"ScaleDown":null}',
    });
    toV2(o);
    expect(objectAt(o, 'spec', 'behavior')).toEqual(behavior);
  });

  it('does not default policies that an annotation omits', () => {
    const { behavior } = annotated('behavior', '{"scaleUp":{"selectPolicy":"Min"}}');
    expect(asGiven(objectAt(behavior, 'scaleUp'), 'policies')).toEqual([]);
  });
});
