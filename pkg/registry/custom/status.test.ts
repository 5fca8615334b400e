import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../api/index.js';
import { Bench, causesOf } from '../testing.js';
import { compile } from './compile.js';
import { BOXES, openBoxes } from './testing.js';

/** Updates of the status of custom resources. The answers are those of kube-apiserver 1.37. */

const EMBEDDED = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
};
const PART: JsonObject = {
  type: 'object',
  required: ['q'],
  properties: {
    q: { type: 'string' },
    n: { type: 'integer', minimum: 1 },
    l: { type: 'array', items: { type: 'object', properties: { k: { type: 'string', minLength: 2 } } } },
    a: {
      type: 'object',
      properties: { x: { type: 'integer' }, y: { type: 'integer' } },
      anyOf: [{ required: ['x'] }, { required: ['y'] }],
    },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    e: EMBEDDED,
  },
};

let bench: Bench;
beforeAll(async () => {
  bench = await openBoxes({ spec: { ...PART, required: [] }, status: PART }, { subresources: { status: {} } });
  await bench.create(BOXES, 'default', box({}));
});

const box = (more: JsonObject): JsonObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Box',
  metadata: { name: 'a' },
  ...more,
});
const write = (status: JsonValue) => bench.patch(`${BOXES}/status`, ['default', 'a'], { status }, 'merge');

describe('errors of a status', () => {
  it.each<readonly [JsonValue, string, string]>([
    ['x', 'status', 'Invalid value: "string":  in body must be of type object: "string"'],
    [{}, 'status.q', 'Required value'],
    [{ q: 1 }, 'status.q', 'Invalid value: "integer": q in body must be of type string: "integer"'],
    [{ q: '', n: 0 }, 'status.n', 'Invalid value: 0: n in body should be greater than or equal to 1'],
    [{ q: '', l: [{ k: 'a' }] }, 'status.l[0].k', 'Invalid value: "a": l[0].k in body should be at least 2 chars long'],
    [{ q: '', a: {} }, 'status', 'Invalid value: "": "a" must validate at least one schema (anyOf)'],
    [{ q: '', set: ['b', 'b'] }, 'status.set[1]', 'Duplicate value: "b"'],
  ])('of %j name the path within it', async (status, field, message) => {
    expect((await causesOf(write(status)))[0]).toBe(`${field}: ${message}`);
  });

  it('do not include those of its embedded objects, which the next update of the rest has', async () => {
    expect(await write({ q: '', e: {} })).toMatchObject({ status: { e: {} } });
    const required = ['status.e.apiVersion: Required value', 'status.e.kind: Required value'];
    expect(await causesOf(bench.patch(BOXES, ['default', 'a'], { spec: { n: 2 } }, 'merge'))).toEqual(required);
  });
});

describe('an applied null', () => {
  it('owns a status that is not there, and adds none', async () => {
    await bench.create(BOXES, 'default', { ...box({}), metadata: { name: 'b' } });
    const applied = { ...box({ status: null }), metadata: { name: 'b' } };
    const o = await bench.patch(`${BOXES}/status`, ['default', 'b'], applied, 'apply', { fieldManager: 'one' });
    expect(o).not.toHaveProperty('status');
    expect(o['metadata']).toMatchObject({
      managedFields: expect.arrayContaining([
        expect.objectContaining({ manager: 'one', fieldsV1: { 'f:status': {} } }),
      ]),
    });
  });
});

describe('a definition with a status subresource in one of two versions', () => {
  const version = (name: string, subresources: JsonObject): JsonObject => ({
    name,
    served: true,
    storage: name === 'v1',
    subresources,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: PART, status: PART } } },
  });
  const names = { plural: 'boxes', singular: 'box', kind: 'Box', listKind: 'BoxList' };
  const versions = [version('v1', { status: {} }), version('v2', {})];
  const SECOND = 'boxes.example.com/v2';
  const part = { q: '1', n: 1 };

  async function openTwo(): Promise<Bench> {
    const two = await Bench.open();
    await two.registry.changeKinds({
      set: [compile({ group: 'example.com', scope: 'Namespaced', names, versions }, names)],
    });
    const whole = { ...box({ spec: part, status: part }), apiVersion: 'example.com/v2' };
    await two.create(SECOND, 'default', whole, { fieldManager: 'creator' });
    return two;
  }

  /** The generation, and the owners with the version and the subresource of their writes and their fields. */
  async function owned(two: Bench): Promise<readonly [JsonValue | undefined, ...string[]]> {
    const { generation, managedFields } = (await two.get(BOXES, 'default', 'a'))['metadata'] as JsonObject;
    const entries = (managedFields as JsonObject[]).map((e) => {
      const version = String(e['apiVersion']).slice('example.com/'.length);
      return `${e['manager']} ${version} ${e['subresource'] ?? 'main'} ${JSON.stringify(e['fieldsV1'])}`;
    });
    return [generation, ...entries.sort()];
  }

  it('has a status that other writes in the version without the subresource own, as changes of the object', async () => {
    const two = await openTwo();
    const both = '{"f:spec":{".":{},"f:n":{},"f:q":{}},"f:status":{".":{},"f:n":{},"f:q":{}}}';
    expect(await owned(two)).toEqual([1, `creator v2 main ${both}`]);
    await two.patch(SECOND, ['default', 'a'], { status: { n: 2 } }, 'merge', { fieldManager: 'second' });
    expect(await owned(two)).toEqual([
      2,
      'creator v2 main {"f:spec":{".":{},"f:n":{},"f:q":{}},"f:status":{".":{},"f:q":{}}}',
      'second v2 main {"f:status":{"f:n":{}}}',
    ]);
  });

  it('takes what a request has beside the fields that it writes from owners in the version without the subresource', async () => {
    const two = await openTwo();
    const sent = { spec: { n: 3 }, status: { n: 3 } };
    await two.patch(`${BOXES}/status`, ['default', 'a'], sent, 'merge', { fieldManager: 'status' });
    expect(await owned(two)).toEqual([
      1,
      'creator v2 main {"f:spec":{".":{},"f:q":{}},"f:status":{".":{},"f:q":{}}}',
      'status v1 status {"f:status":{"f:n":{}}}',
    ]);
    const changed = { spec: { n: 4 }, status: { n: 4, q: '4' } };
    await two.patch(BOXES, ['default', 'a'], changed, 'merge', { fieldManager: 'main' });
    expect(await owned(two)).toEqual([
      2,
      'creator v2 main {"f:spec":{".":{},"f:q":{}},"f:status":{}}',
      'main v1 main {"f:spec":{"f:n":{}}}',
      'status v1 status {"f:status":{"f:n":{}}}',
    ]);
  });
});
