import { expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { podTopologyStep } from './podtopology.js';
import { admissionRequest, storedObjects } from './testing.js';

const ZONE = 'topology.kubernetes.io/zone';
const REGION = 'topology.kubernetes.io/region';
const nodes = storedObjects({
  nodes: [
    { metadata: { name: 'n', labels: { [ZONE]: 'z', [REGION]: 'r', other: 'x' } } },
    { metadata: { name: 'bare' } },
  ],
});

async function labelsAfter(what: string, object: JsonObject): Promise<unknown> {
  await podTopologyStep(nodes).mutate?.(admissionRequest(what, { name: 'p', object }));
  return (object['metadata'] as JsonObject | undefined)?.['labels'];
}

it.each<[what: string, object: JsonObject, labels: JsonObject | undefined]>([
  ['pods/binding', { target: { name: 'n' } }, { [ZONE]: 'z', [REGION]: 'r' }],
  [
    'pods',
    { metadata: { labels: { a: 'b', [ZONE]: 'mine' } }, spec: { nodeName: 'n' } },
    { a: 'b', [ZONE]: 'z', [REGION]: 'r' },
  ],
  ['pods/binding', { target: { name: 'bare' } }, undefined],
  ['pods/binding', { target: { name: 'unknown' } }, undefined],
  ['pods', { spec: {} }, undefined],
])('a new %s with %j gets the labels %j', async (what, object, labels) => {
  expect(await labelsAfter(what, object)).toEqual(labels);
});
