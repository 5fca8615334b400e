import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../api/index.js';
import { type Bench, refusal } from '../testing.js';
import { BOXES, openBoxes } from './testing.js';

/** Values of wrong types in custom resources. The answers are those of kube-apiserver 1.37. */

const INTEGER: JsonObject = { type: 'integer' };
const KEYED: JsonObject = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['k'],
  items: { type: 'object', properties: { k: { type: 'string' } }, required: ['k'] },
};
const SPEC: JsonObject = {
  type: 'object',
  properties: {
    n: INTEGER,
    n32: { type: 'integer', format: 'int32' },
    f: { type: 'number', format: 'float' },
    ios: { 'x-kubernetes-int-or-string': true },
    o: { type: 'object', properties: { x: INTEGER } },
    m: { type: 'object', additionalProperties: INTEGER },
    l: { type: 'array', items: INTEGER },
    keyed: KEYED,
    even: { type: 'number', multipleOf: 2, maximum: 8 },
    en: { type: 'integer', enum: [1, 2] },
    open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    time: { type: 'string', format: 'date-time', maxLength: 3 },
    bytes: { type: 'string', format: 'byte' },
    odd: { type: 'string', format: 'odd' },
    bare: { type: 'object', properties: {} },
  },
};

let bench: Bench;
beforeAll(async () => {
  bench = await openBoxes({ spec: SPEC });
});

const box = (spec: JsonValue): JsonObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Box',
  metadata: { name: 'a' },
  spec,
});
const create = (spec: JsonValue, fieldValidation: 'Strict' | 'Ignore' = 'Ignore') =>
  bench.create(BOXES, 'default', box(spec), { fieldValidation });
const apply = (spec: JsonValue) => bench.patch(BOXES, ['default', 'a'], box(spec), 'apply', { fieldManager: 'one' });

describe('members of a value of a wrong type are unknown fields', () => {
  it.each<readonly [JsonValue, readonly string[]]>([
    [{ n: { a: { b: 1 } } }, ['spec.n.a']],
    [{ n: [{ a: 1 }, [{ b: 1 }], 3] }, ['spec.n[0].a', 'spec.n[1][0].b']],
    [{ l: { a: 1 } }, ['spec.l.a']],
    [{ m: [{ a: 1 }] }, ['spec.m[0].a']],
    [{ o: [{ x: 1, y: 2 }] }, ['spec.o[0].x', 'spec.o[0].y']],
    [{ ios: { a: 1 } }, ['spec.ios.a']],
    [[{ n: 1 }], ['spec[0].n']],
  ])('%j', async (spec, unknown) => {
    const texts = unknown.map((path) => `unknown field "${path}"`).join(', ');
    expect(await refusal(create(spec, 'Strict'))).toContain(`strict decoding error: ${texts}`);
    expect(await refusal(create(spec))).toContain('in body must be of type');
  });

  it('except where unknown fields are preserved', async () => {
    expect(await refusal(create({ open: [{ a: 1 }] }, 'Strict'))).toContain('of type object');
  });
});

describe('validation', () => {
  const typed = (field: string, type: string, given: string): string =>
    `spec.${field}: Invalid value: "${given}": spec.${field} in body must be of type ${type}: "${given}"`;
  const fraction = '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.';

  it.each<readonly [JsonObject, string]>([
    [{ n: 1.5 }, `[${typed('n', 'integer', 'number')}, ${fraction}n]`],
    [{ ios: [] }, typed('ios', 'integer,string', 'array')],
    [{ ios: 1.5 }, typed('ios', 'integer,string', 'number')],
    [{ en: 1.9 }, `[${typed('en', 'integer', 'number')}, ${fraction}en]`],
    [
      { en: -0.5 },
      `[${typed('en', 'integer', 'number')}, ${fraction}en, spec.en: Unsupported value: -0.5: supported values: "1", "2"]`,
    ],
    [
      { even: 1234567.5 },
      '[spec.even: Invalid value: 1.2345675e+06: spec.even in body should be a multiple of 2, spec.even: Invalid value: 1.2345675e+06: spec.even in body should be less than or equal to 8]',
    ],
    [
      { even: 1e20 },
      '[spec.even: Invalid value: 1e+20: spec.even in body should be a multiple of 2, spec.even: Invalid value: 1e+20: spec.even in body should be less than or equal to 8]',
    ],
  ])('of %o, also if it is applied', async (spec, message) => {
    expect(await refusal(create(spec))).toBe(`422 Box.example.com "a" is invalid: ${message}`);
    expect(await refusal(apply(spec))).toBe(`422 Box.example.com "a" is invalid: ${message}`);
  });

  it('names the format in place of the type for an object', async () => {
    expect(await refusal(create({ n32: { a: 1 } }))).toContain(typed('n32', 'int32', ''));
    expect(await refusal(create({ f: {} }))).toContain(typed('f', 'float', ''));
  });

  it('names the first item of a keyed list that is no object', async () => {
    expect(await refusal(create({ keyed: [{ k: 'a' }, true, { k: 'a' }, 1] }))).toContain(
      'spec.keyed[3] in body must be of type object: "integer", spec.keyed[1]: Invalid value: true: must be an object for an array of list-type map]',
    );
    expect(await refusal(create({ keyed: [null] }))).not.toContain('list-type map');
  });
});

describe('a patch of version or kind', () => {
  const patched = async (patch: JsonObject): Promise<string> => {
    await create({});
    const answer = await refusal(bench.patch(BOXES, ['default', 'a'], patch));
    await bench.delete(BOXES, 'default', 'a');
    return answer.replace(/Invalid value: "\{.*\}": /, '');
  };

  it.each<readonly [JsonObject, string]>([
    [
      { kind: [] },
      '422  "" is invalid: patch: couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go struct field .kind of type string',
    ],
    [{ kind: 'b' }, '422 b.example.com "a" is invalid: kind: Invalid value: "b": must be Box'],
    [{ apiVersion: '/v2' }, '422 Box "a" is invalid: apiVersion: Invalid value: "v2": must be example.com/v1'],
    [{ apiVersion: 'a/b/c' }, '422  "" is invalid: patch: unexpected GroupVersion string: a/b/c'],
    [
      { apiVersion: null },
      "422  \"\" is invalid: patch: Object 'apiVersion' is missing in 'object has no apiVersion field'",
    ],
  ])('%j is refused', async (patch, message) => {
    expect(await patched(patch)).toBe(message);
  });

  it.each([{ kind: null }, { kind: '' }])('%j leaves no kind, and the error shows the result', async (patch) => {
    expect(await patched(patch)).toMatch(/^422 {2}"" is invalid: patch: Object 'Kind' is missing in '\{"apiVersion":/);
  });
});

describe('a text with a format', () => {
  it('is quoted in its error', async () => {
    expect(await refusal(create({ time: '\u2028' }))).toContain('must be of type date-time: "\\u2028"');
  });

  it('may be a list, whose members are unknown fields', async () => {
    for (const name of ['time', 'bytes']) {
      expect(await create({ [name]: ['a', 5] })).toMatchObject({ spec: { [name]: ['a', 5] } });
      await bench.delete(BOXES, 'default', 'a');
      expect(await refusal(create({ [name]: [{ a: 1 }] }, 'Strict'))).toContain(`unknown field "spec.${name}[0].a"`);
    }
    expect(await refusal(create({ odd: [] }))).toContain('spec.odd in body must be of type string: "array"');
  });

  it('may be any scalar in an apply, before it is validated', async () => {
    const because = async (spec: JsonObject): Promise<string> => (await refusal(apply(spec))).replace(/^.*?: /, '');
    expect(await because({ time: 5 })).toContain('spec.time in body must be of type date-time: "int64"');
    expect(await because({ odd: 5 })).toContain('spec.odd in body must be of type string: "integer"');
    expect(await because({ time: {} })).toContain('.spec.time: expected any scalar, got &{map[]}');
    expect(await because({ odd: [] })).toContain('.spec.odd: expected any scalar, got &{[]}');
    expect(await because({ bytes: 5 })).toContain(
      '.spec.bytes: expected string, got &value.valueUnstructured{Value:5}',
    );
  });
});

it('an apply may set members of an object without properties: it owns them, and they are dropped', async () => {
  const given = { ...box({ bare: { a: { b: [1] } } }), metadata: { name: 'bare' } };
  await bench.patch(BOXES, ['default', 'bare'], given, 'apply', { fieldManager: 'one' });
  const stored = await bench.get(BOXES, 'default', 'bare');
  expect(stored['spec']).toEqual({ bare: {} });
  const [entry] = (stored['metadata'] as JsonObject)['managedFields'] as JsonObject[];
  expect(entry!['fieldsV1']).toEqual({ 'f:spec': { 'f:bare': { 'f:a': { '.': {}, 'f:b': {} } } } });
  const other = { ...given, spec: { bare: { a: { b: [2] } } } };
  const conflict = await refusal(bench.patch(BOXES, ['default', 'bare'], other, 'apply', { fieldManager: 'two' }));
  expect(JSON.stringify(conflict)).toContain('.spec.bare.a.b');
});
