import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../api/index.js';
import { compileStructuralSchema, prune } from '../../schema/index.js';
import { metaOf } from '../meta.js';
import { Bench, refusal } from '../testing.js';
import { compile } from './compile.js';

const NAMES = { plural: 'boxes', singular: 'box', kind: 'Box', listKind: 'BoxList' };
const BOXES = 'boxes.example.com/v1';
const INNER: JsonObject = {
  type: 'object',
  properties: { a: { type: 'string' }, sub: { type: 'object', properties: { a: { type: 'string' } } } },
};
const KEYED: JsonObject = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['n'],
  items: { type: 'object', required: ['n'], properties: { n: { type: 'string' }, o: INNER } },
};
const SPEC: JsonObject = {
  type: 'object',
  properties: {
    closed: INNER,
    open: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: {
        in: INNER,
        list: { type: 'array', items: INNER },
        keyed: KEYED,
        map: { type: 'object', additionalProperties: INNER },
        object: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: INNER } },
      },
    },
  },
};

async function applied(open: JsonValue, member = 'open'): Promise<JsonObject> {
  const bench = await Bench.open();
  const versions = [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: SPEC } } },
    },
  ];
  await bench.registry.changeKinds({
    set: [compile({ group: 'example.com', scope: 'Namespaced', names: NAMES, versions }, NAMES)],
  });
  const box = { apiVersion: 'example.com/v1', kind: 'Box', metadata: { name: 'a' }, spec: { [member]: open } };
  return bench.patch(BOXES, ['default', 'a'], box, 'apply', { fieldManager: 'one' });
}

describe('an apply of fields that are declared nowhere, inside an object that preserves unknown fields', () => {
  it.each<readonly [string, JsonValue, JsonValue, JsonValue]>([
    ['an object', { in: { sub: { b: 1 } } }, { in: { sub: {} } }, { 'f:in': { 'f:sub': { 'f:b': {} } } }],
    ['an item of an atomic list', { list: [{ b: 1 }] }, { list: [{}] }, { 'f:list': {} }],
    [
      'an item of a keyed list',
      { keyed: [{ n: 'x', o: { z: 1 } }] },
      { keyed: [{ n: 'x', o: {} }] },
      { 'f:keyed': { 'k:{"n":"x"}': { '.': {}, 'f:n': {}, 'f:o': { 'f:z': {} } } } },
    ],
    ['a value of a map', { map: { x: { b: 1 } } }, { map: { x: {} } }, { 'f:map': { 'f:x': { '.': {}, 'f:b': {} } } }],
  ])('succeeds, owns and prunes them: %s', async (_, given, kept, owned) => {
    const o = await applied(given);
    expect(o['spec']).toEqual({ open: kept });
    expect(metaOf(o)['managedFields']).toMatchObject([{ fieldsV1: { 'f:spec': { 'f:open': owned } } }]);
  });

  it('is refused in embedded metadata, and outside', async () => {
    const embedded = { object: { apiVersion: 'v1', kind: 'X', metadata: { zz: 1 } } };
    expect(await refusal(applied(embedded))).toContain('.spec.open.object.metadata.zz: field not declared in schema');
    expect(await refusal(applied({ sub: { b: 1 } }, 'closed'))).toContain(
      '.spec.closed.sub.b: field not declared in schema',
    );
  });
});

it('a definition that preserves unknown fields keeps them at every depth', async () => {
  const bench = await Bench.open();
  const properties = { ...(SPEC['properties'] as JsonObject), list: { type: 'array', items: INNER } };
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
  const spec = { group: 'example.com', scope: 'Namespaced', names: NAMES, preserveUnknownFields: true, versions };
  await bench.registry.changeKinds({ set: [compile(spec, NAMES)] });
  const given = { closed: { z: 1, sub: { z: 2 } }, list: [{ z: 3 }], z: 4 };
  const made = await bench.create(BOXES, 'default', {
    apiVersion: 'example.com/v1',
    kind: 'Box',
    metadata: { name: 'a' },
    spec: given,
    z: 5,
  });
  expect([made['spec'], made['z']]).toEqual([given, 5]);
});

describe('a list that preserves unknown fields', () => {
  const PRESERVES: JsonObject = { 'x-kubernetes-preserve-unknown-fields': true };
  const members: JsonObject = {
    list: { type: 'array', items: INNER, ...PRESERVES },
    lists: { type: 'array', items: { type: 'array', items: INNER }, ...PRESERVES },
    map: { type: 'object', additionalProperties: { type: 'array', items: INNER, ...PRESERVES } },
  };

  async function boxes(): Promise<Bench> {
    const bench = await Bench.open();
    const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties: members } } };
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
    const spec = { group: 'example.com', scope: 'Namespaced', names: NAMES, versions };
    await bench.registry.changeKinds({ set: [compile(spec, NAMES)] });
    return bench;
  }

  const boxOf = (spec: JsonObject): JsonObject => ({
    apiVersion: 'example.com/v1',
    kind: 'Box',
    metadata: { name: 'a' },
    spec,
  });

  it.each<readonly [string, JsonObject, JsonObject]>([
    ['items', { list: [{ z: { y: 1 } }] }, { list: [{ z: { y: 1 } }] }],
    ['items of items', { lists: [[{ z: 1 }]] }, { lists: [[{ z: 1 }]] }],
    ['a list in a map', { map: { k: [{ z: 1 }] } }, { map: { k: [{ z: 1 }] } }],
  ])('keeps those of %s', async (_, given, kept) => {
    const bench = await boxes();
    expect((await bench.create(BOXES, 'default', boxOf(given)))['spec']).toEqual(kept);
  });

  it('does not keep those of the declared fields of its items', async () => {
    const bench = await boxes();
    const message = await refusal(bench.create(BOXES, 'default', boxOf({ list: [{ sub: { y: 1 }, z: 2 }] })));
    expect(message).toBe(
      '400 Box in version "v1" cannot be handled as a Box: strict decoding error: unknown field "spec.list[0].sub.y"',
    );
  });

  it('owns them after an apply', async () => {
    const bench = await boxes();
    const list = [{ z: 1 }];
    const made = await bench.patch(BOXES, ['default', 'a'], boxOf({ list }), 'apply', { fieldManager: 'one' });
    expect(made['spec']).toEqual({ list });
    expect(metaOf(made)['managedFields']).toMatchObject([{ fieldsV1: { 'f:spec': { 'f:list': {} } } }]);
  });
});

it.each<readonly [string, JsonObject, JsonValue]>([
  ['a map', { type: 'object', additionalProperties: { type: 'string' } }, [{ z: 1 }]],
  ['a text', { type: 'string' }, { z: 1 }],
  ['a list', { type: 'array', items: INNER }, { z: 1 }],
])('a value of a wrong type for %s that preserves unknown fields has none', (_, type, value) => {
  const properties = { m: { ...type, 'x-kubernetes-preserve-unknown-fields': true } };
  const schema = compileStructuralSchema({ type: 'object', properties }, 'Box');
  expect(prune({ m: structuredClone(value) }, schema)).toEqual([]);
  const closed = compileStructuralSchema({ type: 'object', properties: { m: type } }, 'Box');
  expect(prune({ m: structuredClone(value) }, closed)).toHaveLength(1);
});
