import { describe, expect, it } from 'vitest';
import { ApiError, type JsonObject, rememberEmpty } from '../api/index.js';
import { runtimeClassStep } from './runtimeclass.js';
import { admissionRequest, storedObjects } from './testing.js';

const REFUSED = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';

const classes: readonly JsonObject[] = [
  { metadata: { name: 'plain' } },
  { metadata: { name: 'heavy' }, overhead: { podFixed: {} } },
];
const step = runtimeClassStep(storedObjects({ 'node.k8s.io/runtimeclasses': classes }));

async function refusal(spec: JsonObject): Promise<string> {
  const request = admissionRequest('pods', { name: 'p', object: { metadata: { name: 'p' }, spec } });
  try {
    await step.validate?.(request);
    return '';
  } catch (e) {
    if (e instanceof ApiError) return String(e.status.message);
    throw e;
  }
}

it.each([
  [{}, 'pods "Unknown" is forbidden'],
  [{ generateName: 'g-' }, 'pods "g-" is forbidden'],
])('an error about a pod without a name names its prefix: %j', async (metadata, expected) => {
  const object = { metadata, spec: { runtimeClassName: 'none' } };
  await expect(step.mutate?.(admissionRequest('pods', { name: '', object }))).rejects.toThrow(expected);
});

describe('the overhead of a pod', () => {
  it('needs a runtime class with one, even if it is empty', async () => {
    const empty: JsonObject = {};
    rememberEmpty(empty, { overhead: {} });
    expect(await refusal(empty)).toContain(REFUSED);
    expect(await refusal({ overhead: { cpu: '1' } })).toContain(REFUSED);
    expect(await refusal({ overhead: { cpu: '1' }, runtimeClassName: 'plain' })).toContain(REFUSED);
  });

  it('is accepted with a class that has one, and may be absent', async () => {
    expect(await refusal({ overhead: { cpu: '1' }, runtimeClassName: 'heavy' })).toBe('');
    expect(await refusal({})).toBe('');
  });
});
