import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { runSteps } from '../../base/index.js';
import type { RemoteConverter } from '../conversion.js';
import { tableOf } from '../table.js';
import { Bench, drain, refusal } from '../testing.js';
import { compile } from './compile.js';
import { SchemaMemory } from './schemamemory.js';

const NAMES = { plural: 'shops', singular: 'shop', kind: 'Shop', listKind: 'ShopList', shortNames: ['sp'] };

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['owner'],
      properties: {
        owner: { type: 'string', minLength: 2 },
        till: {
          type: 'object',
          properties: { count: { type: 'integer' } },
        },
        colour: { type: 'string', default: 'red' },
        port: { 'x-kubernetes-int-or-string': true },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    status: {
      type: 'object',
      properties: { open: { type: 'integer' }, selector: { type: 'string' } },
    },
  },
};

function version(name: string, more: JsonObject = {}): JsonObject {
  return {
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: SCHEMA },
    subresources: {
      status: {},
      scale: {
        specReplicasPath: '.spec.till.count',
        statusReplicasPath: '.status.open',
        labelSelectorPath: '.status.selector',
      },
    },
    additionalPrinterColumns: [{ name: 'Owner', type: 'string', jsonPath: '.spec.owner' }],
    selectableFields: [{ jsonPath: '.spec.owner' }],
    ...more,
  };
}

const spec = (...versions: readonly JsonObject[]): JsonObject => ({
  group: 'example.com',
  scope: 'Namespaced',
  names: NAMES,
  versions: [...versions],
});

const shops = (...versions: readonly JsonObject[]) => compile(spec(...versions), NAMES);

const shop = (name: string, more: JsonObject = {}, apiVersion = 'example.com/v1'): JsonObject => ({
  apiVersion,
  kind: 'Shop',
  metadata: { name },
  spec: { owner: 'ann', till: { count: 2 }, ...more },
});

const SHOPS = 'shops.example.com/v1';

async function open(): Promise<Bench> {
  const b = await Bench.open();
  await b.registry.changeKinds({ set: [shops(version('v1'))] });
  return b;
}

describe('a kind added at run time', () => {
  it('compiles its schema again after it was dropped', async () => {
    const b = await Bench.open();
    const memory = new SchemaMemory(0);
    const other = { ...NAMES, plural: 'halls', kind: 'Hall', listKind: 'HallList' };
    await b.registry.changeKinds({
      set: [
        compile(spec(version('v1')), NAMES, { memory }),
        compile({ ...spec(version('v1')), names: other }, other, { memory }),
      ],
    });
    for (const name of ['a', 'b']) {
      const made = await b.create(SHOPS, 'default', shop(name));
      expect(made['spec']).toEqual({ owner: 'ann', till: { count: 2 }, colour: 'red' });
      await b.create('halls.example.com/v1', 'default', { ...shop(name), kind: 'Hall' });
      const wrong = await refusal(b.create(SHOPS, 'default', shop('c', { owner: 'x' })));
      expect(wrong).toContain('should be at least 2 chars long');
    }
  });

  it('is listed, selected and watched without its schema, which is compiled at the first object', async () => {
    const b = await Bench.open();
    const memory = new SchemaMemory();
    await b.registry.changeKinds({ set: [compile(spec(version('v1')), NAMES, { memory })] });
    expect(await b.list(SHOPS, 'default')).toMatchObject({ kind: 'ShopList', items: [] });
    await b.list(SHOPS, '', { fieldSelector: 'metadata.namespace=default,spec.owner=bob' });
    await b.watch(SHOPS, 'default');
    expect(memory.bytes).toBe(0);
    await b.create(SHOPS, 'default', shop('a'));
    expect(memory.bytes).toBeGreaterThan(0);
  });

  it('serves all verbs', async () => {
    const b = await open();
    const made = await b.create(SHOPS, 'default', shop('a'));
    expect(made).toMatchObject({ kind: 'Shop', metadata: { generation: 1 }, spec: { colour: 'red' } });
    expect(await b.get(SHOPS, 'default', 'a')).toEqual(made);
    const listed = await b.list(SHOPS, 'default');
    expect(listed).toMatchObject({ kind: 'ShopList', apiVersion: 'example.com/v1' });
    expect(listed.items).toEqual([made]);
    const stream = await b.watch(SHOPS, 'default');
    const changed = await b.update(SHOPS, 'default', { ...made, spec: { owner: 'bob', colour: 'blue' } });
    expect(changed).toMatchObject({ metadata: { generation: 2 }, spec: { owner: 'bob', colour: 'blue' } });
    await b.patch(SHOPS, ['default', 'a'], { spec: { till: { count: 4 } } });
    await b.patch(SHOPS, ['default', 'a'], [{ op: 'replace', path: '/spec/owner', value: 'cy' }] as never, 'json');
    const status = await b.patch(`${SHOPS}/status`, ['default', 'a'], { spec: { owner: 'no' }, status: { open: 3 } });
    expect(status).toMatchObject({ spec: { owner: 'cy' }, status: { open: 3 }, metadata: { generation: 4 } });
    const types = drain(stream).map((e) => e.type);
    expect(types).toEqual(['ADDED', 'MODIFIED', 'MODIFIED', 'MODIFIED', 'MODIFIED']);
    expect(await b.delete(SHOPS, 'default', 'a')).toMatchObject({ status: 'Success' });
    await b.create(SHOPS, 'default', shop('b'));
    const target = b.target(SHOPS, 'default');
    const options = { dryRun: false, ignoreStoreReadError: false };
    const list = { labelSelector: '', fieldSelector: 'spec.owner=ann' };
    const { EVERYTHING } = await import('../listoptions.js');
    const gone = await b.registry.deleteCollection({ target, list: { ...EVERYTHING, ...list }, options }, b.context);
    expect(gone.items.map((o) => o.name)).toEqual(['b']);
    expect((await b.list(SHOPS, '')).items).toEqual([]);
  });

  it('merges applied configurations by the list types of its schema', async () => {
    const b = await open();
    const applied = (more: JsonObject) => shop('a', more);
    await b.patch(SHOPS, ['default', 'a'], applied({}), 'apply', { fieldManager: 'one' });
    const both = await b.patch(
      SHOPS,
      ['default', 'a'],
      { apiVersion: 'example.com/v1', kind: 'Shop', metadata: { name: 'a' }, spec: { port: 'http', owner: 'ann' } },
      'apply',
      { fieldManager: 'two' },
    );
    expect(both).toMatchObject({ spec: { till: { count: 2 }, port: 'http' } });
    const conflict = b.patch(SHOPS, ['default', 'a'], applied({ owner: 'eve' }), 'apply', { fieldManager: 'two' });
    expect(await refusal(conflict)).toMatch(/^409 Apply failed with 1 conflict: conflict with "one".*\.spec\.owner/s);
  });

  it('validates objects against its schema, and prunes unknown fields', async () => {
    const b = await open();
    const tried = (more: JsonObject) => refusal(b.create(SHOPS, 'default', shop('x', more)));
    expect(await tried({ owner: 'a' })).toContain('spec.owner in body should be at least 2 chars long');
    expect(await tried({ owner: 7 })).toContain('spec.owner in body must be of type string: "integer"');
    expect(await tried({ bogus: 1 })).toContain('unknown field "spec.bogus"');
    const made = await b.create(SHOPS, 'default', shop('x', { bogus: 1, free: { any: [1] } }), {
      fieldValidation: 'Ignore',
    });
    expect(made['spec']).toEqual({ owner: 'ann', till: { count: 2 }, colour: 'red', free: { any: [1] } });
  });

  it('gives the fields of its status only to those who write the status', async () => {
    const b = await open();
    const applied = { ...shop('a'), status: { open: 1 } };
    await b.patch(SHOPS, ['default', 'a'], applied, 'apply', { fieldManager: 'one' });
    const o = await b.patch(`${SHOPS}/status`, ['default', 'a'], applied, 'apply', { fieldManager: 'two' });
    const owners = (o['metadata'] as JsonObject)['managedFields'] as JsonObject[];
    const owned = owners.map((m) => [m['manager'], Object.keys(m['fieldsV1'] as JsonObject)]);
    expect(owned).toEqual([
      ['one', ['f:spec']],
      ['two', ['f:status']],
    ]);
  });

  it('scales through the paths of its definition', async () => {
    const b = await open();
    await b.create(SHOPS, 'default', shop('a'));
    await b.patch(`${SHOPS}/status`, ['default', 'a'], { status: { open: 1, selector: 'a=b' } });
    const scale = await b.get(`${SHOPS}/scale`, 'default', 'a');
    expect(scale).toMatchObject({ kind: 'Scale', spec: { replicas: 2 }, status: { replicas: 1, selector: 'a=b' } });
    await b.update(`${SHOPS}/scale`, 'default', { ...scale, spec: { replicas: 9 } }, { fieldManager: 'scaler' });
    const after = await b.get(SHOPS, 'default', 'a');
    expect(after).toMatchObject({ spec: { till: { count: 9 } }, metadata: { generation: 2 } });
    const owners = (after['metadata'] as JsonObject)['managedFields'] as JsonObject[];
    const own = owners.find((o) => o['manager'] === 'scaler');
    expect(own).toMatchObject({
      fieldsV1: { 'f:spec': { 'f:till': { 'f:count': {} } } },
      apiVersion: 'example.com/v1',
    });
  });

  it('scales an object without replicas if the request has a number', async () => {
    const b = await open();
    await b.create(SHOPS, 'default', shop('a', { till: {} }));
    const at: readonly [string, string] = ['default', 'a'];
    expect(await refusal(b.get(`${SHOPS}/scale`, 'default', 'a'))).toContain('".spec.till.count" does not exist');
    expect(await refusal(b.patch(`${SHOPS}/scale`, at, { metadata: { labels: { a: 'b' } } }))).toBe(
      '400 the spec replicas field ".spec.till.count" cannot be empty',
    );
    expect(await refusal(b.patch(`${SHOPS}/scale`, at, { spec: { replicas: -1 } }))).toContain(
      'Shop.example.com "a" is invalid: .spec.till.count: Invalid value: -1: should be a non-negative integer',
    );
    expect(await b.patch(`${SHOPS}/scale`, at, { spec: { replicas: 2 } })).toMatchObject({ spec: { replicas: 2 } });
    expect(await b.get(SHOPS, 'default', 'a')).toMatchObject({ spec: { till: { count: 2 } } });
  });

  it('shows the first value of a path in a column', () => {
    const column = (type: string, jsonPath: string) => ({ name: type, type, jsonPath });
    const { table } = compile(
      spec({
        ...version('v1'),
        additionalPrinterColumns: [
          column('string', '.spec.l[*]'),
          column('string', '.spec.none'),
          column('string', '.spec.nothing'),
          column('date', '.spec.day'),
        ],
      }),
      NAMES,
    ).served[0]!;
    const object = { metadata: { name: 'a' }, spec: { l: ['p', 'q'], none: null, day: '2020-01-01' } };
    expect(table!.cells(object, 0)).toEqual(['a', 'p', '<no value>', null, '<invalid>']);
  });

  it('supports its selectable fields and its Table columns', async () => {
    const b = await open();
    await b.create(SHOPS, 'default', shop('a'));
    await b.create(SHOPS, 'default', shop('b', { owner: 'bob' }));
    const found = await b.list(SHOPS, '', { fieldSelector: 'spec.owner=bob' });
    expect(found.items.map((o) => (o['metadata'] as JsonObject)['name'])).toEqual(['b']);
    expect(b.target(SHOPS).resource.table?.columns.map((c) => c.name)).toEqual(['Name', 'Owner']);
    const scale = tableOf(b.target(`${SHOPS}/scale`)).columns.map(({ name, type, format }) => [name, type, format]);
    expect(scale[0]).toEqual(['Name', 'string', 'name']);
    expect(scale.at(-1)).toEqual(['Age', 'date', undefined]);
  });
});

describe('the status of a new custom resource', () => {
  it('has the defaults of the schema, whatever the client sent', async () => {
    const b = await Bench.open();
    const status = { type: 'object', properties: { phase: { type: 'string' } }, default: { phase: 'Pending' } };
    const properties = { ...(SCHEMA['properties'] as JsonObject), status };
    const schema = { openAPIV3Schema: { ...SCHEMA, properties } };
    await b.registry.changeKinds({ set: [shops(version('v1', { schema }))] });
    const made = await b.create(SHOPS, 'default', { ...shop('a'), status: { phase: 'Mine' } });
    expect(made['status']).toEqual({ phase: 'Pending' });
    expect(await b.get(SHOPS, 'default', 'a')).toEqual(made);
  });
});

describe('the finalizers of a custom resource', () => {
  it('draw a warning when they have no domain or no path', async () => {
    const b = await open();
    const finalizers = ['plain', 'with.domain', 'with.domain/path', 'foregroundDeletion'];
    await b.create(SHOPS, 'default', { ...shop('a'), metadata: { name: 'a', finalizers } });
    expect(b.warnings).toEqual([
      'metadata.finalizers: "plain": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
      'metadata.finalizers: "with.domain": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
    ]);
  });
});

describe('a kind changed at run time', () => {
  it('serves and stores a second version without losing objects stored in the first', async () => {
    const b = await open();
    await b.create(SHOPS, 'default', shop('old'));
    const stream = await b.watch(SHOPS, 'default');
    drain(stream);
    const next = shops(version('v1', { storage: false }), version('v2', { storage: true }));
    await b.registry.changeKinds({ set: [next] });
    expect(stream.ended).toBe(true);
    const SECOND = 'shops.example.com/v2';
    expect(await b.get(SECOND, 'default', 'old')).toMatchObject({
      apiVersion: 'example.com/v2',
      spec: { owner: 'ann' },
    });
    expect(await b.get(SHOPS, 'default', 'old')).toMatchObject({ apiVersion: 'example.com/v1' });
    await b.create(SHOPS, 'default', shop('new'));
    expect((await b.list(SECOND, 'default')).items.map((o) => o['apiVersion'])).toEqual([
      'example.com/v2',
      'example.com/v2',
    ]);
    // An update of the same object moves it to the new storage version.
    const before = await b.get(SHOPS, 'default', 'old');
    const after = await b.update(SHOPS, 'default', before);
    expect((after['metadata'] as JsonObject)['resourceVersion']).not.toBe(
      (before['metadata'] as JsonObject)['resourceVersion'],
    );
    expect(await b.update(SHOPS, 'default', after)).toEqual(after);
    const again = await b.reopen();
    await again.registry.changeKinds({ set: [next] });
    expect((await again.list(SECOND, '')).items).toHaveLength(2);
  });

  it('applies defaults and prunes fields of the current schema to objects stored earlier', async () => {
    const b = await open();
    await b.create(SHOPS, 'default', shop('a'));
    const schema = structuredClone(SCHEMA) as JsonObject & { properties: { spec: { properties: JsonObject } } };
    schema.properties.spec.properties = { owner: { type: 'string' }, size: { type: 'string', default: 'M' } };
    await b.registry.changeKinds({ set: [shops(version('v1', { schema: { openAPIV3Schema: schema } }))] });
    expect((await b.get(SHOPS, 'default', 'a'))['spec']).toEqual({ owner: 'ann', size: 'M' });
  });

  it('names, in the warning of a deprecated version, the first better one that is served and not deprecated', () => {
    const deprecated = { deprecated: true };
    const warnings = (versions: Readonly<Record<string, JsonObject>>): (string | undefined)[] => {
      const { served } = compile(spec(...Object.entries(versions).map(([name, more]) => version(name, more))), NAMES);
      return Object.keys(versions).map((name) => served.find((v) => v.version === name)?.deprecation);
    };
    const is = (name: string, better?: string): string =>
      `example.com/${name} Shop is deprecated${better === undefined ? '' : `; use example.com/${better} Shop`}`;
    const v4 = { served: false };
    expect(warnings({ v1: deprecated, v2: {}, v3: deprecated, v4, v1beta1: deprecated })).toEqual([
      is('v1', 'v2'),
      undefined,
      is('v3'),
      undefined,
      is('v1beta1', 'v2'),
    ]);
    expect(warnings({ v2: {}, v10: deprecated, v11: {} })).toEqual([undefined, is('v10', 'v11'), undefined]);
    expect(warnings({ foo: deprecated, bar: {}, zoo: deprecated })).toEqual([
      is('foo', 'bar'),
      undefined,
      is('zoo', 'bar'),
    ]);
    expect(warnings({ v1: { ...deprecated, deprecationWarning: 'Move.' }, v2: {} })).toEqual(['Move.', undefined]);
  });

  it('does not affect other kinds', async () => {
    const b = await open();
    const stream = await b.watch('configmaps', 'default');
    drain(stream);
    const before = b.registry.servedResources.find('', 'v1', 'configmaps');
    await b.registry.changeKinds({ set: [shops(version('v1', { deprecated: true }))] });
    expect(b.registry.servedResources.find('', 'v1', 'configmaps')).toBe(before);
    await b.create('configmaps', 'default', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } });
    expect(drain(stream).map((e) => e.type)).toEqual(['ADDED']);
  });
});

describe('a kind whose definition is being deleted', () => {
  it('creates no objects, wherever and however they are named, and its watches continue', async () => {
    const b = await open();
    await b.create(SHOPS, 'default', shop('a'));
    const stream = await b.watch(SHOPS, 'default');
    const { storage } = b.registry.servedResources.kind('example.com', 'shops')!;
    await b.registry.changeKinds({ set: [compile(spec(version('v1')), NAMES, { terminating: true, storage })] });
    const why = 'is forbidden: create not allowed while custom resource definition is terminating';
    const generated = { ...shop(''), metadata: { generateName: 'a-' } };
    expect(await refusal(b.create(SHOPS, 'nowhere', shop('b')))).toBe(`403 shops.example.com "b" ${why}`);
    expect(await refusal(b.create(SHOPS, 'default', generated))).toBe(`403 shops.example.com ${why}`);
    expect(await b.patch(SHOPS, ['default', 'a'], { spec: { owner: 'bob' } })).toMatchObject({
      spec: { owner: 'bob' },
    });
    await b.delete(SHOPS, 'default', 'a');
    expect(drain(stream).map((e) => e.type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    expect(b.registry.servedResources.find('example.com', 'v1', 'shops')!.listedVerbs).not.toContain('create');
  });
});

describe('a kind removed at run time', () => {
  it('ends its watches and is not found, but its stored objects stay', async () => {
    const b = await open();
    const target = b.target(SHOPS, 'default', 'a');
    await b.create(SHOPS, 'default', shop('a'));
    const stream = await b.watch(SHOPS, 'default');
    drain(stream);
    await b.delete(SHOPS, 'default', 'a');
    await b.create(SHOPS, 'default', shop('a'));
    await b.registry.changeKinds({ remove: [{ group: 'example.com', resource: 'shops' }] });
    // They deliver what was there.
    expect(drain(stream).map((e) => e.type)).toEqual(['DELETED', 'ADDED']);
    expect(stream.ended).toBe(true);
    expect(b.registry.servedResources.find('example.com', 'v1', 'shops')).toBeUndefined();
    expect(b.registry.servedResources.hasVersion('example.com', 'v1')).toBe(false);
    const late = b.registry.get({ target, resourceVersion: '' }, b.context);
    expect(await refusal(late)).toBe('404 the server could not find the requested resource');
    await b.registry.changeKinds({ set: [shops(version('v1'))] });
    expect(await b.get(SHOPS, 'default', 'a')).toMatchObject({ spec: { owner: 'ann' } });
  });
});

describe('a kind with a remote converter', () => {
  const SECOND = 'shops.example.com/v2';

  /** v2 has the owner in `spec.keeper`. The converter answers later, as a webhook does. */
  const remote: RemoteConverter = {
    to: (apiVersion) => async (objects) => {
      calls.push(objects.length);
      await new Promise((resolve) => setTimeout(resolve, 1));
      return objects.map((o) => {
        const { owner, keeper, ...more } = o['spec'] as JsonObject;
        const name = (owner ?? keeper)!;
        return {
          ...o,
          apiVersion,
          spec: { ...more, ...(apiVersion.endsWith('v2') ? { keeper: name } : { owner: name }) },
        };
      });
    },
    run: (work) => runSteps(work, pace),
  };
  const calls: number[] = [];
  let pauses = 0;
  /** Work pauses after each step. */
  const pace = { spent: () => true, yield: () => Promise.resolve(void pauses++) };

  const second = (storage: boolean): JsonObject => ({
    name: 'v2',
    served: true,
    storage,
    subresources: { status: {} },
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: {
              keeper: { type: 'string' },
              till: { type: 'object', properties: { count: { type: 'integer' } } },
            },
          },
        },
      },
    },
  });

  const kind = (stored: 'v1' | 'v2') =>
    compile(spec(version('v1', { storage: stored === 'v1' }), second(stored === 'v2')), NAMES, { remote });

  async function opened(): Promise<Bench> {
    const b = await Bench.open();
    await b.registry.changeKinds({ set: [kind('v1')] });
    return b;
  }

  it('reads and writes both versions, and converts many objects in one call', async () => {
    const b = await opened();
    for (const name of ['a', 'b', 'c']) await b.create(SHOPS, 'default', shop(name));
    // What the converter returns is pruned: v2 has no colour.
    expect((await b.get(SECOND, 'default', 'a'))['spec']).toEqual({ keeper: 'ann', till: { count: 2 } });
    calls.length = 0;
    const listed = await b.list(SECOND, 'default');
    expect(listed.items.map((o) => (o['spec'] as JsonObject)['keeper'])).toEqual(['ann', 'ann', 'ann']);
    expect(calls).toEqual([2]);
    const made = await b.create(SECOND, 'default', {
      apiVersion: 'example.com/v2',
      kind: 'Shop',
      metadata: { name: 'd' },
      spec: { keeper: 'dan' },
    });
    expect(made['spec']).toEqual({ keeper: 'dan' });
    expect((await b.get(SHOPS, 'default', 'd'))['spec']).toEqual({ owner: 'dan', colour: 'red' });
    const patched = await b.patch(SECOND, ['default', 'd'], { spec: { keeper: 'eve' } });
    expect(patched['spec']).toMatchObject({ keeper: 'eve' });
    const applied = {
      apiVersion: 'example.com/v2',
      kind: 'Shop',
      metadata: { name: 'd' },
      spec: { till: { count: 5 } },
    };
    await b.patch(SECOND, ['default', 'd'], applied, 'apply', { fieldManager: 'other' });
    expect((await b.get(SHOPS, 'default', 'd'))['spec']).toMatchObject({ owner: 'eve', till: { count: 5 } });
  });

  it('converts a long list by several calls, and pauses after each object', async () => {
    const b = await opened();
    const names = Array.from({ length: 1_201 }, (_, i) => `s${i}`);
    await Promise.all(names.map((name) => b.create(SHOPS, 'default', shop(name))));
    calls.length = 0;
    pauses = 0;
    expect((await b.list(SECOND, 'default')).items.length).toBe(1_201);
    expect(calls).toEqual([500, 500, 201]);
    expect(pauses).toBeGreaterThanOrEqual(4 * 1_201);
    await b.list(SECOND, 'default');
    expect(calls.length).toBe(3);
  });

  it('delivers the events of a watch in the version of the watch, in order', async () => {
    const b = await opened();
    const stream = await b.watch(SECOND, 'default');
    for (const name of ['a', 'b']) await b.create(SHOPS, 'default', shop(name));
    await b.delete(SHOPS, 'default', 'a');
    const seen: { type: string; object: JsonObject }[] = [];
    for (let turn = 0; turn < 200 && seen.length < 3; turn++) {
      seen.push(...drain(stream));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(seen.map((e) => `${e.type} ${(e.object['spec'] as JsonObject)['keeper'] as string}`)).toEqual([
      'ADDED ann',
      'ADDED ann',
      'DELETED ann',
    ]);
    stream.close();
  });

  it('updates objects that were stored in a former storage version', async () => {
    const b = await opened();
    await b.create(SHOPS, 'default', shop('old'));
    await b.registry.changeKinds({ set: [kind('v2')] });
    expect((await b.get(SECOND, 'default', 'old'))['spec']).toMatchObject({ keeper: 'ann' });
    const changed = await b.patch(SHOPS, ['default', 'old'], { spec: { owner: 'bob' } });
    expect(changed['spec']).toMatchObject({ owner: 'bob', till: { count: 2 } });
    expect((await b.get(SECOND, 'default', 'old'))['spec']).toMatchObject({ keeper: 'bob', till: { count: 2 } });
  });
});

it('the rules of a version are compiled in several turns when they are first used, and hold for all who wait', async () => {
  const b = await Bench.open();
  const rule = Array.from({ length: 2_000 }, () => 'size(self.owner) > 2').join(' && ');
  const ruled = {
    ...((SCHEMA['properties'] as JsonObject)['spec'] as JsonObject),
    'x-kubernetes-validations': [{ rule }],
  };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: ruled } } };
  await b.registry.changeKinds({ set: [shops(version('v1', { schema, subresources: {} }))] });
  // No time is left in any slice.
  let now = 0;
  b.world.clock.monotonic = () => (now += 1_000);
  const created = ['anna', 'jo'].map((owner) => refusal(b.create(SHOPS, 'default', shop(owner, { owner }))));
  expect(await created[0]).toBe('taken');
  expect(await created[1]).toContain('failed rule: size(self.owner) > 2');
  const count = (name: string): number | undefined =>
    b.metrics.families
      .find((f) => f.name === name)
      ?.get()
      .values.find(({ metricName }) => metricName === `${name}_count`)?.value;
  expect(count('apiserver_cel_compilation_duration_seconds')).toBe(1);
  expect(count('apiserver_cel_evaluation_duration_seconds')).toBe(2);
});
