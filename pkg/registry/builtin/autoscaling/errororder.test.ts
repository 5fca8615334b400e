import { expect, it } from 'vitest';
import { Bench, causesOf } from '../../testing.js';

it('an autoscaler reports the replicas and the target before metrics that zero replicas need', async () => {
  const b = await Bench.open();
  const spec = {
    minReplicas: 0,
    maxReplicas: -1,
    scaleTargetRef: { apiVersion: 'a/v1', kind: '', name: 'a' },
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'odd', averageUtilization: 1 } } }],
    behavior: { scaleUp: { stabilizationWindowSeconds: -1 } },
  };
  const autoscaler = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'a' }, spec };
  const found = await causesOf(b.create('horizontalpodautoscalers.autoscaling/v2', 'default', autoscaler));
  expect(found.map((c) => c.split(':')[0])).toEqual([
    'spec.maxReplicas',
    'spec.scaleTargetRef.kind',
    'spec.metrics[0].resource.target.type',
    'spec.metrics',
    'spec.behavior.scaleUp.stabilizationWindowSeconds',
    'spec.maxReplicas',
  ]);
});
