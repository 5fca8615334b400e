import { describe, expect, it } from 'vitest';
import { type AdmissionRequest, type AdmissionStep, ApiError, type JsonObject } from '../api/index.js';
import { Bench } from './testing.js';

async function withPods(n: number, admission?: () => readonly AdmissionStep[]): Promise<Bench> {
  const b = await Bench.open([], admission);
  for (let i = 0; i < n; i++) {
    await b.create('pods', 'default', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `p${i}`, labels: { app: 'a' } },
      spec: { containers: [{ name: 'c', image: 'i' }], terminationGracePeriodSeconds: 0 },
    });
  }
  return b;
}

const bind = (b: Bench, pod: string, node: string): Promise<JsonObject> =>
  b.create(
    'pods/binding',
    'default',
    { apiVersion: 'v1', kind: 'Binding', metadata: { name: pod }, target: { kind: 'Node', name: node } },
    { name: pod },
  );

const evict = (b: Bench, pod: string, dryRun = false): Promise<JsonObject> =>
  b.create(
    'pods/eviction',
    'default',
    { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod } },
    { name: pod, dryRun },
  );

async function codes(all: readonly Promise<unknown>[]): Promise<number[]> {
  const settled = await Promise.allSettled(all);
  return settled
    .map((s) => (s.status === 'fulfilled' ? 201 : s.reason instanceof ApiError ? s.reason.status.code : 0))
    .sort();
}

describe('actions', () => {
  it('are decided in sequence, each on the result of the one before', async () => {
    const b = await withPods(1);
    const nodes = ['a', 'b', 'c', 'd', 'e', 'f'];
    expect(await codes(nodes.map((node) => bind(b, 'p0', node)))).toEqual([201, 409, 409, 409, 409, 409]);
    const pod = await b.get('pods', 'default', 'p0');
    expect(nodes).toContain((pod['spec'] as JsonObject)['nodeName']);
    expect(pod['metadata']).toMatchObject({ generation: 1 });
  });

  it('share the space that is left', async () => {
    const b = await withPods(6);
    for (let i = 0; i < 6; i++) await bind(b, `p${i}`, 'n');
    for (let i = 0; i < 6; i++) {
      const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      await b.patch('pods/status', ['default', `p${i}`], { status });
    }
    await b.create('poddisruptionbudgets.policy/v1', 'default', {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'budget' },
      spec: { minAvailable: 4, selector: { matchLabels: { app: 'a' } } },
    });
    await b.patch('poddisruptionbudgets.policy/v1/status', ['default', 'budget'], {
      status: { observedGeneration: 1, disruptionsAllowed: 2, currentHealthy: 6, desiredHealthy: 4, expectedPods: 6 },
    });
    expect(await codes([evict(b, 'p0', true), evict(b, 'p1', true)])).toEqual([201, 201]);
    const all = Array.from({ length: 6 }, (_, i) => evict(b, `p${i}`));
    expect(await codes(all)).toEqual([201, 201, 429, 429, 429, 429]);
    expect((await b.list('pods', 'default')).items).toHaveLength(4);
    const budget = await b.get('poddisruptionbudgets.policy/v1', 'default', 'budget');
    expect(budget['status']).toMatchObject({ disruptionsAllowed: 0 });
    expect(Object.keys((budget['status'] as JsonObject)['disruptedPods'] as JsonObject)).toHaveLength(2);
  });

  it('return 404 for an object that does not exist', async () => {
    const b = await withPods(0);
    expect(await codes([bind(b, 'p0', 'n'), evict(b, 'p0')])).toEqual([404, 404]);
  });

  it('apply to the object in the path', async () => {
    const b = await withPods(1);
    const named = (kind: string, what: string, body: JsonObject): Promise<JsonObject> =>
      b.create(`pods/${what}`, 'default', { apiVersion: 'v1', kind, ...body }, { name: 'p0' });
    const other = 'name in URL does not match name in';
    await expect(named('Binding', 'binding', { metadata: { name: 'q' }, target: { name: 'n' } })).rejects.toThrow(
      `${other} Binding object`,
    );
    await expect(named('Binding', 'binding', { target: { name: 'n' } })).rejects.toThrow(`${other} Binding object`);
    await expect(named('Eviction', 'eviction', { apiVersion: 'policy/v1', metadata: { name: 'q' } })).rejects.toThrow(
      `${other} Eviction object`,
    );
    await expect(
      b.create('bindings', 'default', { apiVersion: 'v1', kind: 'Binding', target: { name: 'n' } }),
    ).rejects.toThrow('Name parameter required.');
  });
});

describe('admission', () => {
  it('sees a binding and an eviction, and not the changes that they make to the pod', async () => {
    const seen: string[] = [];
    const look = (r: AdmissionRequest): undefined => {
      if (r.operation !== 'create') seen.push(`${r.operation} ${r.groupResource.resource}/${r.subresource}`);
      else if (r.subresource !== '') seen.push(`${r.operation} ${r.subresource}`);
    };
    const b = await withPods(2, () => [{ name: 'Test', mutate: look, validate: look }]);
    await b.create('poddisruptionbudgets.policy/v1', 'default', {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'b' },
      spec: { selector: {}, minAvailable: 0 },
    });
    await bind(b, 'p0', 'n');
    await b.patch('pods/status', ['default', 'p0'], { status: { phase: 'Running' } });
    const status = { disruptionsAllowed: 1, currentHealthy: 1, expectedPods: 1, observedGeneration: 1 };
    await b.patch('poddisruptionbudgets.policy/v1/status', ['default', 'b'], { status });
    seen.length = 0;
    await bind(b, 'p1', 'n');
    await evict(b, 'p0');
    await expect(b.get('pods', 'default', 'p0')).rejects.toThrow('not found');
    expect([...new Set(seen)].sort()).toEqual([
      'create binding',
      'create eviction',
      'update poddisruptionbudgets/status',
    ]);
  });
});

describe('a binding', () => {
  const to = (b: Bench, metadata: JsonObject): Promise<JsonObject> =>
    b.create(
      'pods/binding',
      'default',
      { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p0', ...metadata }, target: { name: 'n' } },
      { name: 'p0' },
    );

  it('applies only to a pod with its uid and version', async () => {
    const b = await withPods(1);
    const { uid, resourceVersion } = (await b.get('pods', 'default', 'p0'))['metadata'] as { [k: string]: string };
    const failed = 'StorageError: invalid object, Code: 4, Key: /registry/pods/default/p0, ResourceVersion: 0, ';
    await expect(to(b, { uid: 'x' })).rejects.toThrow(
      `Operation cannot be fulfilled on pods "p0": ${failed}AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: ${uid}`,
    );
    await expect(to(b, { resourceVersion: '1' })).rejects.toThrow(
      `Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: ${resourceVersion}`,
    );
    await to(b, { uid: uid!, resourceVersion: resourceVersion! });
  });

  it('needs the name of a node', async () => {
    const b = await withPods(1);
    const before = await b.get('pods', 'default', 'p0');
    for (const name of ['a b', 'Node', '-n', 'n'.repeat(254)])
      await expect(bind(b, 'p0', name)).rejects.toThrow(`target.name: Invalid value: ${JSON.stringify(name)}: `);
    expect(await b.get('pods', 'default', 'p0')).toEqual(before);
  });

  it('replaces the previous PodScheduled condition', async () => {
    const b = await withPods(1);
    await b.patch('pods/status', ['default', 'p0'], {
      status: {
        conditions: [
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' },
          { type: 'Other', status: 'True' },
        ],
      },
    });
    await to(b, {});
    const { status } = (await b.get('pods', 'default', 'p0')) as { status: { conditions: JsonObject[] } };
    expect(status.conditions.map((c) => [c['type'], c['status'], c['reason']])).toEqual([
      ['PodScheduled', 'True', undefined],
      ['Other', 'True', undefined],
    ]);
  });
});

describe('an eviction', () => {
  const wished = (b: Bench, deleteOptions: JsonObject): Promise<JsonObject> =>
    b.create(
      'pods/eviction',
      'default',
      { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p0' }, deleteOptions },
      { name: 'p0' },
    );

  it('for another uid does not change the pod', async () => {
    const b = await withPods(1);
    const before = await b.get('pods', 'default', 'p0');
    await expect(wished(b, { preconditions: { uid: 'x' } })).rejects.toThrow('the UID in the precondition (x)');
    await expect(wished(b, { preconditions: { resourceVersion: '1' } })).rejects.toThrow(
      'the ResourceVersion in the precondition (1)',
    );
    expect(await b.get('pods', 'default', 'p0')).toEqual(before);
  });

  it.each<[JsonObject, string]>([
    [{ dryRun: ['All', 'x'] }, 'dryRun: Unsupported value: ["All","x"]: supported values: "All"'],
    [
      { propagationPolicy: 'x' },
      'propagationPolicy: Unsupported value: "x": supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
    [
      { propagationPolicy: 'Orphan', orphanDependents: true },
      'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    ],
  ])('with the options %j does not change the pod', async (options, cause) => {
    const b = await withPods(1);
    const before = await b.get('pods', 'default', 'p0');
    await expect(wished(b, options)).rejects.toThrow(`DeleteOptions.meta.k8s.io "" is invalid: ${cause}`);
    expect(await b.get('pods', 'default', 'p0')).toEqual(before);
  });

  it('for the current version succeeds', async () => {
    const b = await withPods(1);
    const { resourceVersion } = (await b.get('pods', 'default', 'p0'))['metadata'] as { resourceVersion: string };
    await wished(b, { preconditions: { resourceVersion } });
    expect((await b.list('pods', 'default')).items).toEqual([]);
  });

  it('under two budgets is refused without a reason', async () => {
    const b = await withPods(1);
    await b.patch('pods/status', ['default', 'p0'], { status: { phase: 'Running' } });
    for (const name of ['a', 'b'])
      await b.create('poddisruptionbudgets.policy/v1', 'default', {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'a' } } },
      });
    const refused = await wished(b, {}).catch((e: unknown) => e);
    expect((refused as ApiError).status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      code: 500,
    });
    expect((await b.list('pods', 'default')).items).toHaveLength(1);
  });
});
