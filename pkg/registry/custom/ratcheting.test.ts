import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../api/index.js';
import { metaOf } from '../meta.js';
import { Bench, refusal } from '../testing.js';
import { compile } from './compile.js';

/** Updates of objects that are invalid since their schema changed. The answers are those of kube-apiserver 1.37. */

const NAMES = { plural: 'boxes', singular: 'box', kind: 'Box', listKind: 'BoxList' };
const BOXES = 'boxes.example.com/v1';
const INTEGER: JsonObject = { type: 'integer' };
const TEXT: JsonObject = { type: 'string' };
const OPEN: JsonObject = { 'x-kubernetes-preserve-unknown-fields': true };
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });
const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more });
const rule = (text: string, more: JsonObject = {}): JsonObject => ({
  'x-kubernetes-validations': [{ rule: text, ...more }],
});
const KEYED: JsonObject = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
const item = (more: JsonObject = {}): JsonObject => object({ k: TEXT, v: INTEGER }, { required: ['k'], ...more });

/** Kinds of a version with this schema of the spec. */
function kind(spec: JsonObject) {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  return compile({ group: 'example.com', scope: 'Namespaced', names: NAMES, versions }, NAMES);
}

const box = (spec: JsonValue, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Box',
  metadata: { name: 'a', ...metadata },
  spec,
});

/** Stores an object, changes the schema, and updates the object. */
async function updated(before: JsonObject, after: JsonObject, stored: JsonValue, sent: JsonValue): Promise<JsonObject> {
  const bench = await Bench.open();
  await bench.registry.changeKinds({ set: [kind(before)] });
  const { resourceVersion } = metaOf(await bench.create(BOXES, 'default', box(stored)));
  await bench.registry.changeKinds({ set: [kind(after)] });
  return bench.update(BOXES, 'default', box(sent, { resourceVersion: resourceVersion!, labels: { l: 'x' } }));
}

const small = rule('self.v < 5');
const sibling = (other: JsonObject): readonly [JsonObject, JsonObject] => [
  object({ o: other, x: INTEGER }),
  object({ o: other, x: INTEGER }, rule('self.x < 1')),
];

describe('rules and constraints are ignored', () => {
  it.each<readonly [string, JsonObject, JsonObject, JsonValue, JsonValue]>([
    [
      'for items of an atomic list that is unchanged',
      object({ l: list(item()), x: INTEGER }),
      object({ l: list(item(small)), x: INTEGER }),
      { l: [{ k: 'a', v: 9 }] },
      { l: [{ k: 'a', v: 9 }], x: 2 },
    ],
    [
      'for items of a set that is unchanged',
      object({ s: list(TEXT, { 'x-kubernetes-list-type': 'set' }) }),
      object({ s: list({ ...TEXT, ...rule("self != 'a'") }, { 'x-kubernetes-list-type': 'set' }) }),
      { s: ['a'] },
      { s: ['a'] },
    ],
    [
      'for a keyed list in another order',
      object({ l: list(item(), KEYED) }),
      object({ l: list(item(small), { ...KEYED, maxItems: 1, ...rule('size(self) < 2') }) }),
      {
        l: [
          { k: 'a', v: 9 },
          { k: 'b', v: 1 },
        ],
      },
      {
        l: [
          { k: 'b', v: 1 },
          { k: 'a', v: 9 },
        ],
      },
    ],
    [
      'for the first item of several with the same keys',
      object({ l: list(item()) }),
      object({ l: list(item(small), KEYED) }),
      {
        l: [
          { k: 'a', v: 9 },
          { k: 'a', v: 8 },
        ],
      },
      { l: [{ k: 'a', v: 9 }] },
    ],
    ['beside a list of any values', ...sibling(list(OPEN)), { x: 5, o: [{ a: 1 }] }, { x: 5, o: [{ a: 1 }] }],
  ])('%s', async (_, before, after, stored, sent) => {
    expect((await updated(before, after, stored, sent))['spec']).toEqual(sent);
  });
});

describe('rules and constraints are checked', () => {
  const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true, ...OPEN };
  it.each<readonly [string, JsonObject, JsonValue]>([
    ['an object that preserves unknown fields', { type: 'object', ...OPEN }, { b: 1 }],
    ['an object of any type', OPEN, { b: 1 }],
    ['an embedded object', embedded, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } }],
    ['a keyed item with unknown fields', list(item(OPEN), KEYED), [{ k: 'a', z: 1 }]],
    ['a map of any values', { type: 'object', additionalProperties: true }, { a: 1 }],
  ])('around %s, even if it is unchanged', async (_, other, o) => {
    expect(await refusal(updated(...sibling(other), { x: 5, o }, { x: 5, o }))).toContain('failed rule: self.x < 1');
  });
});

describe('fields of an object', () => {
  const change = [object({ a: INTEGER, b: INTEGER }), object({ a: TEXT, b: INTEGER })] as const;

  it('keep their owners while a value has another type than the schema', async () => {
    const o = await updated(...change, { a: 1 }, { a: 1, b: 2 });
    expect(o['spec']).toEqual({ a: 1, b: 2 });
    expect(metaOf(o)['managedFields']).toMatchObject([{ fieldsV1: { 'f:spec': { '.': {}, 'f:a': {} } } }]);
  });

  it('cannot be applied until then', async () => {
    const bench = await Bench.open();
    await bench.registry.changeKinds({ set: [kind(change[0])] });
    await bench.create(BOXES, 'default', box({ a: 1 }));
    await bench.registry.changeKinds({ set: [kind(change[1])] });
    expect(
      await refusal(bench.patch(BOXES, ['default', 'a'], box({ b: 1 }), 'apply', { fieldManager: 'one' })),
    ).toContain('failed to create typed live object (default/a; example.com/v1, Kind=Box): .spec.a: expected string');
  });
});

it('values of additional properties have no fields', async () => {
  const bench = await Bench.open();
  await bench.registry.changeKinds({ set: [kind({ type: 'object', additionalProperties: true })] });
  const refused = bench.create(BOXES, 'default', box({ a: { b: 1 }, c: [{ d: 1 }], e: 1 }));
  expect(await refusal(refused)).toContain('unknown field "spec.a.b", unknown field "spec.c[0].d"');
});
