import { beforeEach, describe, expect, it } from 'vitest';
import { type JsonObject, objectsAt } from '../../api/index.js';
import { finish, runSteps } from '../../base/index.js';
import type { RemoteConverter } from '../conversion.js';
import { Bench, causesOf, JSON_FORM, refusal, type TestAdmission } from '../testing.js';
import { compile } from './compile.js';

/**
 * Writes through a version that is not stored. They are decided in the version of the request; only encoding brings the object to the storage
 * version. The answers are those of kube-apiserver 1.37.
 */

const NAMES = { plural: 'boxes', singular: 'box', kind: 'Box', listKind: 'BoxList' };
const STORED = 'boxes.example.com/v1';
const OTHER = 'boxes.example.com/v2';

const text = { type: 'string' };
const withDefault = (value: string): JsonObject => ({ ...text, default: value });

/** v1 is stored. Each version has fields and defaults of its own, and `size` is smaller in v1. */
const SPECS: Readonly<Record<'v1' | 'v2', JsonObject>> = {
  v1: { both: text, old: text, oldDefault: withDefault('o'), size: { type: 'integer', maximum: 4 } },
  v2: {
    both: text,
    new: text,
    newDefault: withDefault('n'),
    size: { type: 'integer', maximum: 8 },
    count: { type: 'integer' },
  },
};

const version = (name: 'v1' | 'v2', scaledBy: string, spec: JsonObject): JsonObject => ({
  name,
  served: true,
  storage: name === 'v1',
  subresources: {
    status: {},
    scale: { specReplicasPath: `.spec.${scaledBy}`, statusReplicasPath: '.status.ready' },
  },
  additionalPrinterColumns: ['both', 'old', 'new'].map((f) => ({ name: f, type: 'string', jsonPath: `.spec.${f}` })),
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: spec },
        status: { type: 'object', properties: { ready: { type: 'integer' } } },
      },
    },
  },
});

async function opened(remote?: RemoteConverter, specs = SPECS, admission?: TestAdmission): Promise<Bench> {
  const b = await Bench.open([], admission);
  const versions = [version('v1', 'size', specs.v1), version('v2', 'count', specs.v2)];
  const definition = { group: 'example.com', scope: 'Namespaced', names: NAMES, versions };
  await b.registry.changeKinds({ set: [compile(definition, NAMES, { remote })] });
  return b;
}

const box = (name: 'v1' | 'v2', spec: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion: `example.com/${name}`,
  kind: 'Box',
  metadata: { name: 'a' },
  spec,
  ...more,
});

const entriesOf = (o: JsonObject) =>
  objectsAt(o, 'metadata', 'managedFields').map((e) => [e['manager'], e['apiVersion'], e['fieldsV1']]);

let bench: Bench;
beforeEach(async () => {
  bench = await opened();
});

describe('a write through another version', () => {
  it('that deletes the object is answered with what was decided, because nothing is stored', async () => {
    const metadata = { name: 'a', finalizers: ['example.com/a'] };
    await bench.create(OTHER, 'default', box('v2', { both: 'b' }, { metadata }));
    await bench.delete(OTHER, 'default', 'a');
    const gone = await bench.patch(OTHER, ['default', 'a'], { metadata: { finalizers: null }, spec: { new: 'n' } });
    expect([gone['apiVersion'], gone['spec']]).toEqual(['example.com/v2', { both: 'b', new: 'n', newDefault: 'n' }]);
  });

  it('owns the fields of that version, also those that are not stored', async () => {
    const made = await bench.create(OTHER, 'default', box('v2', { both: 'b', new: 'n' }));
    expect(made['spec']).toEqual({ both: 'b' });
    const fields = { '.': {}, 'f:both': {}, 'f:new': {}, 'f:newDefault': {} };
    expect(entriesOf(made)).toEqual([['test', 'example.com/v2', { 'f:spec': fields }]]);
    expect((await bench.get(STORED, 'default', 'a'))['spec']).toEqual({ both: 'b', oldDefault: 'o' });
  });

  it('is validated by the schema of that version', async () => {
    expect(await causesOf(bench.create(STORED, 'default', box('v1', { size: 6 })))).toEqual([
      'spec.size: Invalid value: 6: spec.size in body should be less than or equal to 4',
    ]);
    expect((await bench.create(OTHER, 'default', box('v2', { size: 6 })))['spec']).toEqual({ size: 6 });
    expect(await causesOf(bench.patch(OTHER, ['default', 'a'], { spec: { size: 9 } }))).toEqual([
      'spec.size: Invalid value: 9: spec.size in body should be less than or equal to 8',
    ]);
  });

  it('is compared in that version: what it cannot show does not raise the generation, and is lost', async () => {
    await bench.create(STORED, 'default', box('v1', { both: 'b', old: 'x' }));
    const patched = await bench.patch(OTHER, ['default', 'a'], { metadata: { labels: { l: '1' } } });
    expect(patched['metadata']).toMatchObject({ generation: 2 });
    const again = await bench.patch(OTHER, ['default', 'a'], { metadata: { labels: { l: '2' } } });
    expect(again['metadata']).toMatchObject({ generation: 3 });
    expect((await bench.get(STORED, 'default', 'a'))['spec']).toEqual({ both: 'b', oldDefault: 'o' });
  });

  it('changes nothing by an apply that has nothing new, not even by defaults', async () => {
    await bench.create(STORED, 'default', box('v1', { both: 'b' }));
    const applied = await bench.patch(OTHER, ['default', 'a'], box('v2', { both: 'b' }), 'apply');
    expect(applied['metadata']).toMatchObject({ generation: 1 });
  });

  it('is answered with what a dry run would store', async () => {
    const made = await bench.create(OTHER, 'default', box('v2', { both: 'b', new: 'n' }), { dryRun: true });
    expect(made['spec']).toEqual({ both: 'b' });
    await bench.create(STORED, 'default', box('v1', { both: 'b', old: 'x' }));
    const patched = await bench.patch(OTHER, ['default', 'a'], { spec: { new: 'n' } }, 'merge', { dryRun: true });
    expect(patched['spec']).toEqual({ both: 'b' });
  });
});

it('an admission step gets the object in any version, with all its fields, and may replace it in any', async () => {
  const seen: unknown[] = [];
  bench = await opened(undefined, SPECS, () => [
    {
      name: 'boxes',
      mutate: async (r) => {
        if (r.groupResource.resource !== 'boxes') return;
        const { object } = (await r.inVersion('example.com/v1'))!;
        seen.push(r.object, object);
        await r.replace({ ...object, spec: { both: 'w', new: 'unknown in v1' } });
      },
    },
  ]);
  const made = await bench.create(OTHER, 'default', box('v2', { both: 'b', new: 'n' }));
  const spec = { both: 'b', new: 'n', newDefault: 'n' };
  expect(seen).toMatchObject([
    { apiVersion: 'example.com/v2', spec },
    { apiVersion: 'example.com/v1', spec },
  ]);
  expect(made).toMatchObject({ apiVersion: 'example.com/v2', spec: { both: 'w' } });
  expect((await bench.get(STORED, 'default', 'a'))['spec']).toEqual({ both: 'w', oldDefault: 'o' });
});

describe('owners in several versions', () => {
  it('stay as they are after an update that does not fit the version of one of them', async () => {
    const made = await bench.create(STORED, 'default', box('v1', { both: 'b', old: 'x' }), { fieldManager: 'one' });
    const patched = await bench.patch(OTHER, ['default', 'a'], { spec: { both: 'c', new: 'n' } }, 'merge', {
      fieldManager: 'two',
    });
    expect(patched['spec']).toEqual({ both: 'c' });
    expect(entriesOf(patched)).toEqual(entriesOf(made));
  });

  it('refuse an apply that does not fit the version of one of them', async () => {
    await bench.create(STORED, 'default', box('v1', { both: 'b' }));
    const applied = bench.patch(OTHER, ['default', 'a'], box('v2', { new: 'n' }), 'apply', { fieldManager: 'two' });
    await expect(applied).rejects.toThrow('failed to convert new object: .spec.new: field not declared in schema');
  });

  it('of a status lose it to an update without one, but keep a spec when a status is updated', async () => {
    const same = { both: text };
    bench = await opened(undefined, { v1: same, v2: same });
    await bench.create(STORED, 'default', box('v1', { both: 'b' }), { fieldManager: 'one' });
    await bench.patch(`${STORED}/status`, ['default', 'a'], { status: { ready: 1 } }, 'merge', { fieldManager: 'two' });
    const { metadata } = await bench.get(OTHER, 'default', 'a');
    const whole = { ...box('v2', { both: 'c' }, { status: { ready: 1 } }), metadata: metadata! };
    const owned = [
      ['one', 'example.com/v1', { 'f:spec': { '.': {}, 'f:both': {} } }],
      ['two', 'example.com/v1', { 'f:status': { '.': {}, 'f:ready': {} } }],
    ];
    expect(entriesOf(await bench.update(`${OTHER}/status`, 'default', whole))).toEqual(owned);
    const patched = await bench.patch(OTHER, ['default', 'a'], { status: null });
    expect(patched['status']).toEqual({ ready: 1 });
    expect(entriesOf(patched)).toEqual(owned.slice(0, 1));
  });
});

describe('in a version with other paths and columns', () => {
  it('a scale is read and written by the paths of that version, and answers what is stored', async () => {
    await bench.create(STORED, 'default', box('v1', { size: 3 }));
    expect(await bench.get(`${STORED}/scale`, 'default', 'a')).toMatchObject({ spec: { replicas: 3 } });
    await expect(bench.get(`${OTHER}/scale`, 'default', 'a')).rejects.toThrow('.spec.count" does not exist');
    const scaled = await bench.patch(`${OTHER}/scale`, ['default', 'a'], { spec: { replicas: 2 } });
    expect(scaled['spec']).toEqual({});
  });

  it('the cells of a row are those of that version', async () => {
    await bench.create(STORED, 'default', box('v1', { both: 'b', old: 'x' }));
    const cells = async (what: string) => {
      const target = bench.target(what, 'default', 'a');
      const answer = await bench.registry.get({ target, resourceVersion: '' }, bench.context);
      const table = finish(bench.renderer.renderAnswer(target, answer, { ...JSON_FORM, form: 'table' }));
      return (JSON.parse(table.toString()) as { rows: { cells: unknown[] }[] }).rows[0]!.cells.slice(1, 4);
    };
    expect(await cells(STORED)).toEqual(['b', 'x', null]);
    expect(await cells(OTHER)).toEqual(['b', null, null]);
  });
});

describe('with a remote converter', () => {
  /** Moves `spec.size` to `spec.count`, and back. */
  const remote: RemoteConverter = {
    to: (apiVersion) => (objects) =>
      Promise.resolve(
        objects.map((given) => {
          const { size, count, ...rest } = given['spec'] as JsonObject;
          const value = size ?? count;
          const name = apiVersion === 'example.com/v2' ? 'count' : 'size';
          return {
            ...structuredClone(given),
            apiVersion,
            spec: { ...rest, ...(value === undefined ? {} : { [name]: value }) },
          };
        }),
      ),
    run: (work) => runSteps(work, { spent: () => false, yield: () => Promise.resolve() }),
  };

  beforeEach(async () => {
    bench = await opened(remote);
  });

  it('a write is decided in the version of the request, too', async () => {
    const made = await bench.create(OTHER, 'default', box('v2', { both: 'b', count: 6, new: 'n' }));
    expect(made['spec']).toEqual({ both: 'b', count: 6 });
    const fields = { '.': {}, 'f:both': {}, 'f:count': {}, 'f:new': {}, 'f:newDefault': {} };
    expect(entriesOf(made)).toEqual([['test', 'example.com/v2', { 'f:spec': fields }]]);
    expect(await refusal(bench.patch(STORED, ['default', 'a'], { spec: { size: 7 } }))).toContain('equal to 4');
    const patched = await bench.patch(OTHER, ['default', 'a'], { spec: { both: 'c' } });
    expect(patched['metadata']).toMatchObject({ generation: 2 });
    expect((await bench.get(STORED, 'default', 'a'))['spec']).toEqual({ both: 'c', size: 6, oldDefault: 'o' });
  });

  it('a scale follows the replicas from path to path', async () => {
    await bench.create(STORED, 'default', box('v1', { size: 3 }));
    const scaled = await bench.patch(`${OTHER}/scale`, ['default', 'a'], { spec: { replicas: 2 } });
    expect(scaled['spec']).toEqual({ replicas: 2 });
    expect(await bench.get(`${STORED}/scale`, 'default', 'a')).toMatchObject({ spec: { replicas: 2 } });
  });
});
