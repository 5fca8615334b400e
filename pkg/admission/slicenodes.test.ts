import { expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { nodeFeaturesStep } from './nodefeatures.js';
import { admissionRequest, storedObjects } from './testing.js';

const FEATURE = 'DRANodeAllocatableResources';
const nodes = storedObjects({
  nodes: [
    { metadata: { name: 'old', labels: { l: '1' } } },
    { metadata: { name: 'new', labels: { l: '2' } }, status: { declaredFeatures: [FEATURE] } },
  ],
});
const TAKES = { name: 'd', nodeAllocatableResources: { cpu: { mapping: { deviceMultiplier: '1' } } } };
const OLD = 'is forbidden: node "old" does not support DRANodeAllocatableResources feature';
const selecting = (...nodeSelectorTerms: JsonObject[]): JsonObject => ({ nodeSelector: { nodeSelectorTerms } });
const label = (operator: string, ...values: string[]): JsonObject =>
  selecting({ matchExpressions: [{ key: 'l', operator, values }] });
const named = (operator: string, name: string): JsonObject =>
  selecting({ matchFields: [{ key: 'metadata.name', operator, values: [name] }] });

async function refusal(spec: JsonObject, on: readonly string[] = ['NodeDeclaredFeatures', FEATURE]): Promise<string> {
  const step = nodeFeaturesStep(nodes, (gate) => on.includes(gate));
  const object = { metadata: { name: 's' }, spec: { devices: [TAKES], ...spec } };
  const request = admissionRequest('resourceslices', { group: 'resource.k8s.io', name: 's', object });
  if (step.concerns?.(request) === false) return '';
  try {
    await step.validate?.(request);
    return '';
  } catch (error) {
    return (error as Error).message.replace('resourceslices.resource.k8s.io "s" ', '');
  }
}

it.each<[spec: JsonObject, refusal: string]>([
  [{ nodeName: 'none' }, 'is forbidden: node "none" not found for device "d"'],
  [{ nodeName: 'old' }, OLD],
  [{ nodeName: 'new' }, ''],
  [{ nodeName: 'old', devices: [{ name: 'd' }] }, ''],
  [{ allNodes: true }, OLD],
  [label('In', '2', '1'), OLD],
  [label('In', '2'), ''],
  [label('NotIn', '1'), ''],
  [label('Exists'), OLD],
  [label('DoesNotExist'), ''],
  [label('Gt', '1'), ''],
  [label('Lt', '2'), OLD],
  [
    label('Gt', 'x'),
    `failed to create node selector: nodeSelectorTerms[0].matchExpressions[0].values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
  ],
  [named('In', 'old'), OLD],
  [named('NotIn', 'old'), ''],
  [selecting({}), ''],
  [
    { perDeviceNodeSelection: true },
    'is forbidden: device "d" in ResourceSlice has NodeAllocatableResources but does not map to any nodes',
  ],
  [{ perDeviceNodeSelection: true, devices: [{ ...TAKES, nodeName: 'old' }] }, OLD],
  [{ perDeviceNodeSelection: true, devices: [{ ...TAKES, allNodes: true }] }, OLD],
  [{ perDeviceNodeSelection: true, devices: [{ ...TAKES, ...label('In', '2') }] }, ''],
])('devices that take of the resources of nodes need nodes that declare it: %j', async (spec, why) => {
  expect(await refusal(spec)).toBe(why);
});

it.each([[['NodeDeclaredFeatures']], [[FEATURE]]])('only with both gates: %j', async (on) => {
  expect(await refusal({ nodeName: 'none' }, on)).toBe('');
});
