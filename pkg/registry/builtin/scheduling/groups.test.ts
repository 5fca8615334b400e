import { describe, expect, it } from 'vitest';
import { ApiError, type JsonObject } from '../../../api/index.js';
import { Bench } from '../../testing.js';

const GANG = { gang: { minCount: 2 } };
const group = (spec: JsonObject): JsonObject => ({
  apiVersion: 'scheduling.k8s.io/v1beta1',
  kind: 'PodGroup',
  metadata: { name: 'g' },
  spec: { schedulingPolicy: GANG, ...spec },
});
const workload = (spec: JsonObject): JsonObject => ({
  apiVersion: 'scheduling.k8s.io/v1beta1',
  kind: 'Workload',
  metadata: { name: 'w' },
  spec,
});
const leaf = (name: string, more: JsonObject = {}): JsonObject => ({ name, schedulingPolicy: GANG, ...more });
const composite = (name: string, more: JsonObject): JsonObject => ({
  name,
  schedulingPolicy: { gang: { minGroupCount: 1 } },
  ...more,
});

/** The causes of the refusal; undefined if the object is created. */
async function refusal(resource: string, o: JsonObject): Promise<string[] | undefined> {
  const b = await Bench.open([['api/all', true]]);
  try {
    await b.create(resource, 'default', o);
    return undefined;
  } catch (e) {
    if (!(e instanceof ApiError)) throw e;
    return (e.status.details?.causes ?? []).map((c) => `${c.field}: ${c.message}`);
  }
}

describe('groups of pods', () => {
  it('have a default preemption policy behind its gate', async () => {
    for (const [off, policy] of [
      [[], 'PreemptLowerPriority'],
      [['PodGroupPreemptionPolicy'], undefined],
    ] as const) {
      const b = await Bench.open([['api/all', true]], undefined, {}, off);
      const made = await b.create('podgroups.scheduling.k8s.io/v1beta1', 'default', group({}));
      expect((made['spec'] as JsonObject)['preemptionPolicy']).toBe(policy);
    }
  });

  it('with a parent name their workload', async () => {
    const spec = { parentCompositePodGroupName: 'c' };
    expect(await refusal('podgroups.scheduling.k8s.io/v1beta1', group(spec))).toEqual([
      'spec.workloadRef: Required value: must be set when parentCompositePodGroupName is set',
    ]);
  });
});

describe('templates of a workload', () => {
  const refused = (spec: JsonObject): Promise<string[] | undefined> =>
    refusal('workloads.scheduling.k8s.io/v1beta1', workload(spec));

  it('need children in each composite', async () => {
    expect(await refused({ compositePodGroupTemplates: [composite('c', {})] })).toEqual([
      'spec.compositePodGroupTemplates[0]: Invalid value: "c": must have at least one child PodGroupTemplate or CompositePodGroupTemplate',
    ]);
    const good = [composite('c', { podGroupTemplates: [leaf('l')] })];
    expect(await refused({ compositePodGroupTemplates: good })).toBeUndefined();
  });

  it('have different names in the whole tree', async () => {
    expect(await refused({ compositePodGroupTemplates: [composite('c', { podGroupTemplates: [leaf('c')] })] })).toEqual(
      ['spec.compositePodGroupTemplates[0].podGroupTemplates[0].name: Duplicate value: "c"'],
    );
  });

  it('have one priority', async () => {
    expect(await refused({ podGroupTemplates: [leaf('a', { priorityClassName: 'x' }), leaf('b')] })).toEqual([
      'spec: Invalid value: null: detected multiple priority configurations',
    ]);
  });

  it('are at most four levels deep', async () => {
    let tree = composite('c4', { podGroupTemplates: [leaf('l')] });
    for (const name of ['c3', 'c2', 'c1']) tree = composite(name, { compositePodGroupTemplates: [tree] });
    const causes = await refused({ compositePodGroupTemplates: [tree] });
    expect(causes?.filter((c) => c.endsWith('maximum template hierarchy depth is 4'))).toHaveLength(1);
  });
});

describe('the group of a pod', () => {
  const pod = (spec: JsonObject): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  });

  it('has a name that a group can have', async () => {
    expect(await refusal('pods', pod({ schedulingGroup: {} }))).toEqual([
      'spec.schedulingGroup.podGroupName: Invalid value: null: must specify one of: `podGroupName`',
    ]);
    expect((await refusal('pods', pod({ schedulingGroup: { podGroupName: 'X!' } })))?.[0]).toMatch(
      /^spec.schedulingGroup.podGroupName: Invalid value: "X!": a lowercase RFC 1123 subdomain/,
    );
    expect(await refusal('pods', pod({ schedulingGroup: { podGroupName: 'x' } }))).toBeUndefined();
  });
});
