import { expect, it } from 'vitest';
import { formatQuantity, type JsonObject, type Shaped } from '../../../../api/index.js';
import type { shapes } from '../../../../schema/index.js';
import { aggregates, completePodResources } from './aggregate.js';

const container = (limits: JsonObject, more: JsonObject = {}): JsonObject => ({ resources: { limits }, ...more });
const podSpec = (o: JsonObject): Shaped<shapes.CoreV1PodSpec> => o as Shaped<shapes.CoreV1PodSpec>;
const limitsOf = (o: JsonObject): JsonObject =>
  Object.fromEntries([...aggregates(podSpec(o), 'limits')].map(([name, q]) => [name, formatQuantity(q)]));

it('the effective limit of a pod is the sum of its containers, or the most that its start needs', () => {
  const containers = [container({ cpu: '1', memory: '1Gi' }), container({ cpu: '500m' })];
  expect(limitsOf({ containers })).toEqual({ cpu: '1500m', memory: '1Gi' });
  const sidecar = container({ cpu: '1' }, { restartPolicy: 'Always' });
  expect(limitsOf({ containers, initContainers: [container({ cpu: '2' }), sidecar] })).toMatchObject({ cpu: '2500m' });
  expect(limitsOf({ containers, initContainers: [sidecar, container({ cpu: '2' })] })).toMatchObject({ cpu: '3' });
  expect(limitsOf({ containers: [], initContainers: [container({ cpu: '2' })] })).toEqual({ cpu: '2' });
});

it('completing the resources of a pod reads each container a few times, however many names they state', () => {
  let reads = 0;
  const containers = Array.from({ length: 300 }, (_, i) => {
    const resources = { limits: { [`hugepages-${i + 1}Mi`]: '1' }, requests: { cpu: '1' } };
    const get = (): JsonObject => {
      reads++;
      return resources;
    };
    return Object.defineProperty({}, 'resources', { enumerable: true, get }) as JsonObject;
  });
  const o: JsonObject = { containers, resources: { limits: { cpu: '1000' } } };
  completePodResources(podSpec(o));
  expect(Object.keys((o['resources'] as JsonObject)['limits'] as JsonObject)).toHaveLength(301);
  expect((o['resources'] as JsonObject)['requests']).toMatchObject({ cpu: '300', 'hugepages-7Mi': '1' });
  expect(reads).toBeLessThan(10 * containers.length);
});
