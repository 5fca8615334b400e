import { expect, it, vi } from 'vitest';
import type { ApiError, JsonObject } from '../api/index.js';
import { Bench } from './testing.js';

const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };

/** The clock advances by 20 ms at each reading; yields are counted. */
function slow(b: Bench): () => number {
  let now = b.world.clock.monotonic();
  vi.spyOn(b.world.clock, 'monotonic').mockImplementation(() => (now += 20));
  const immediate = vi.spyOn(b.world.timers, 'immediate');
  return () => immediate.mock.calls.length;
}

it('a write that takes long yields between its stages', async () => {
  const b = await Bench.open();
  const turns = slow(b);
  await b.create('configmaps', 'default', map);
  const ofCreate = turns();
  expect(ofCreate).toBeGreaterThanOrEqual(3);
  await b.patch('configmaps', ['default', 'a'], { data: { k: '1' } });
  expect(turns() - ofCreate).toBeGreaterThanOrEqual(6);
});

it('a write that yields loses no concurrent write', async () => {
  const b = await Bench.open();
  await b.create('configmaps', 'default', map);
  slow(b);
  const keys = ['k', 'l', 'm'];
  await Promise.all(keys.map((key) => b.patch('configmaps', ['default', 'a'], { data: { [key]: '1' } })));
  expect(await b.get('configmaps', 'default', 'a')).toMatchObject({ data: { k: '1', l: '1', m: '1' } });
});

it('a short write does not yield', async () => {
  const b = await Bench.open();
  const yields = vi.spyOn(b.registry.scheduler, 'yield');
  await b.create('configmaps', 'default', map);
  expect(yields.mock.calls).toEqual([]);
});

it('decodes only one large body in each turn', async () => {
  const b = await Bench.open();
  await b.create('configmaps', 'default', { ...map, metadata: { name: 'b' } });
  const data = { k: 'x'.repeat(100_000) };
  const immediate = vi.spyOn(b.world.timers, 'immediate');
  const writes = [
    ...['c', 'd', 'e'].map((name) => b.create('configmaps', 'default', { ...map, metadata: { name }, data })),
    b.patch('configmaps', ['default', 'b'], { data }),
  ];
  await Promise.all(writes);
  // One turn for each of the four.
  expect(immediate.mock.calls.length).toBeGreaterThanOrEqual(4);
});

const container = { name: 'c', image: 'i' };
const pod = (containers: JsonObject[]) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers },
});

const deployment = (containers: JsonObject[]) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers } },
  },
});

/** Writes a deployment whose container has this many variables, and returns how often the write yielded. */
async function yields(items: number, type: 'create' | 'strategic' | 'apply'): Promise<number> {
  const b = await Bench.open();
  const kind = 'deployments.apps/v1';
  const env = Array.from({ length: items }, (_, i) => ({ name: `A${i}`, value: 'b' }));
  if (type !== 'create') await b.create(kind, 'default', deployment([container]));
  const turns = slow(b);
  const wanted = deployment([{ ...container, env }]);
  if (type === 'create') await b.create(kind, 'default', wanted);
  else await b.patch(kind, ['default', 'd'], wanted, type, { fieldManager: 'm', force: true });
  return turns();
}

it('the validation of a long list yields between its items', async () => {
  expect((await yields(9_000, 'create')) - (await yields(10, 'create'))).toBeGreaterThanOrEqual(9_000 / 500 - 1);
});

it('patches yield within their stages', async () => {
  const stages = await yields(10, 'create');
  expect((await yields(10, 'strategic')) - stages).toBeGreaterThanOrEqual(5);
  expect((await yields(10, 'apply')) - stages).toBeGreaterThanOrEqual(5);
});

it('reports the errors of a long list in the order of the object', async () => {
  const b = await Bench.open();
  const env = Array.from({ length: 2_000 }, (_, i) => ({ name: i % 900 === 0 ? '' : `A${i}`, value: 'b' }));
  const wrong = pod([
    { ...container, env },
    { name: 'C', image: 'i' },
  ]);
  slow(b);
  const error: unknown = await b.create('pods', 'default', wrong).catch((e: unknown) => e);
  const fields = (error as ApiError).status.details?.causes?.map((c) => c.field);
  expect(fields).toEqual([
    ...[0, 900, 1800].map((i) => `spec.containers[0].env[${i}].name`),
    'spec.containers[1].name',
  ]);
});

it('yields between the steps of admission', async () => {
  const withSteps = async (count: number): Promise<number> => {
    const b = await Bench.open([], () =>
      Array.from({ length: count }, (_, i) => ({ name: `s${i}`, mutate: () => {}, validate: () => {} })),
    );
    const turns = slow(b);
    await b.create('configmaps', 'default', map);
    return turns();
  };
  expect((await withSteps(6)) - (await withSteps(1))).toBeGreaterThanOrEqual(10);
});

it('reading a large YAML body yields', async () => {
  const b = await Bench.open();
  const turns = slow(b);
  const options = { dryRun: false, fieldManager: 'm', fieldValidation: 'Warn' } as const;
  const refused = async (items: number): Promise<number> => {
    const before = turns();
    const bytes = Buffer.from(`a: [${'x,'.repeat(items)}]`);
    const body = { bytes, encoding: 'yaml' } as const;
    const create = b.registry.create({ target: b.target('configmaps', 'default'), body, options }, b.context);
    await expect(create).rejects.toThrow();
    const target = b.target('configmaps', 'default', 'a');
    const apply = b.registry.patch({ target, body, options, type: 'apply', force: false }, b.context);
    await expect(apply).rejects.toThrow();
    return turns() - before;
  };
  expect((await refused(20_000)) - (await refused(10))).toBeGreaterThanOrEqual(2 * 40);
});

/** How often the creation of a pod with this many containers and annotations pauses. */
async function pauses(containers: number, more: JsonObject = {}): Promise<number> {
  const b = await Bench.open();
  const turns = slow(b);
  const wanted = pod(Array.from({ length: containers }, (_, i) => ({ name: `c${i}`, image: 'i' })));
  await b.create('pods', 'default', { ...wanted, ...more });
  return turns();
}

it('every stage of a write of a long list yields', async () => {
  const [few, many] = [await pauses(10), await pauses(5_000)];
  // The warnings alone look at each container twice.
  expect(many - few).toBeGreaterThanOrEqual(2 * 5_000);
});

it('reading a body that needs the exact decoder yields', async () => {
  const b = await Bench.open();
  const turns = slow(b);
  const refused = async (items: number): Promise<number> => {
    const before = turns();
    const bytes = Buffer.from(
      `{"kind":"ConfigMap","apiVersion":"v1","data":{"a":1.5,"b":[${'"x",'.repeat(items)}"x"]}}`,
    );
    const options = { dryRun: false, fieldManager: 'm', fieldValidation: 'Warn' } as const;
    const body = { bytes, encoding: 'json' } as const;
    await expect(
      b.registry.create({ target: b.target('configmaps', 'default'), body, options }, b.context),
    ).rejects.toThrow('cannot unmarshal');
    return turns() - before;
  };
  expect((await refused(20_000)) - (await refused(10))).toBeGreaterThanOrEqual(20_000 / 500 - 1);
});

it('the rules of a definition are checked in steps', async () => {
  const pausesWith = async (rules: number, terms = 1): Promise<number> => {
    const b = await Bench.open();
    const turns = slow(b);
    const text = (i: number): string => Array.from({ length: terms }, () => `self.a > ${i}`).join(' || ');
    const declared = Array.from({ length: rules }, (_, i) => ({ rule: text(i) }));
    const spec = { type: 'object', properties: { a: { type: 'integer' } }, 'x-kubernetes-validations': declared };
    const openAPIV3Schema = { type: 'object', properties: { spec } };
    await b.create('customresourcedefinitions.apiextensions.k8s.io/v1', '', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'as.x.example' },
      spec: {
        ...{
          group: 'x.example',
          scope: 'Cluster',
          names: { plural: 'as', singular: 'a', kind: 'A', listKind: 'AList' },
        },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    });
    return turns();
  };
  expect((await pausesWith(1_000)) - (await pausesWith(10))).toBeGreaterThanOrEqual(1_000 / 20 - 1);
  // Parse, check, build, estimate, and a look for oldSelf.
  expect((await pausesWith(1, 500)) - (await pausesWith(1))).toBeGreaterThanOrEqual(5);
});
