import { describe, expect, it } from 'vitest';
import type { AdmissionRequest, JsonObject } from '../api/index.js';
import { priorityStep } from './priority.js';
import { admissionRequest, storedObjects } from './testing.js';

const classes = storedObjects({
  'scheduling.k8s.io/priorityclasses': [
    { metadata: { name: 'high' }, value: 1000, preemptionPolicy: 'Never' },
    { metadata: { name: 'usual' }, value: 5, globalDefault: true, preemptionPolicy: 'PreemptLowerPriority' },
  ],
});

async function admitted(
  resource: string,
  spec: JsonObject,
  gates: readonly string[],
): Promise<AdmissionRequest['object']> {
  const group = resource === 'pods' ? '' : 'scheduling.k8s.io';
  const request = admissionRequest(resource, { group, object: { metadata: { name: 'x' }, spec } });
  await priorityStep(classes, (gate) => gates.includes(gate)).mutate?.(request);
  return request.object?.['spec'] as JsonObject;
}

describe('Priority', () => {
  const gates = ['GenericWorkload', 'CompositePodGroup'];

  it('sets the priority of pods and their groups from their class', async () => {
    for (const resource of ['pods', 'podgroups', 'compositepodgroups'])
      expect(await admitted(resource, { priorityClassName: 'high' }, gates)).toMatchObject({ priority: 1000 });
    expect(await admitted('podgroups', {}, gates)).toEqual({ priorityClassName: 'usual', priority: 5 });
  });

  it('gives groups a preemption policy only behind its gate', async () => {
    const spec = { priorityClassName: 'high' };
    expect(await admitted('podgroups', { ...spec }, gates)).not.toHaveProperty('preemptionPolicy');
    const open = [...gates, 'PodGroupPreemptionPolicy'];
    expect(await admitted('podgroups', { ...spec }, open)).toMatchObject({ preemptionPolicy: 'Never' });
    await expect(admitted('podgroups', { ...spec, preemptionPolicy: 'PreemptLowerPriority' }, open)).rejects.toThrow(
      'the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod group spec',
    );
  });

  it('refuses a group with another priority or an unknown class', async () => {
    await expect(admitted('podgroups', { priorityClassName: 'high', priority: 1 }, gates)).rejects.toThrow(
      'priority set in the pod group (1) must match the priority computed (1000)',
    );
    await expect(admitted('compositepodgroups', { priorityClassName: 'none' }, gates)).rejects.toThrow(
      'no PriorityClass with name none was found',
    );
  });

  it('leaves groups alone without their gate', async () => {
    expect(await admitted('podgroups', { priorityClassName: 'high' }, [])).toEqual({ priorityClassName: 'high' });
  });
});
