import { describe, expect, it } from 'vitest';
import { cloneJson, type JsonObject } from '../../../api/index.js';
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

  it('writes what is measured in its own words, the processor too', () => {
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
});
