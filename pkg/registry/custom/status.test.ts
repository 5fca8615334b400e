import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../api/index.js';
import { type Bench, causesOf } from '../testing.js';
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
