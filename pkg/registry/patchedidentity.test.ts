import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { Bench, refusal } from './testing.js';

/** Patches of what identifies an object: kind, version, uid and namespace. */

const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
const AT = ['default', 'c'] as const;

it.each<readonly [JsonObject, string]>([
  [{ data: [] }, 'ConfigMap.data of type map[string]string'],
  [{ data: '' }, 'ConfigMap.data of type map[string]string'],
])('a patch with an empty value of a wrong type is refused: %j', async (patch, why) => {
  const b = await Bench.open();
  await b.create('configmaps', 'default', CONFIG);
  expect(await refusal(b.patch('configmaps', AT, patch))).toContain(why);
});

describe('a patch of kind or version', () => {
  it.each<readonly [JsonObject, string]>([
    [
      { kind: 0 },
      "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
    ],
    [{ kind: 'Foo' }, 'no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"'],
    [{ apiVersion: 'v2' }, 'no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"'],
    [{ apiVersion: 'x/y/z' }, 'unexpected GroupVersion string: x/y/z'],
    [{ kind: 'Pod' }, 'converting (v1.Pod) to (core.ConfigMap): unknown conversion'],
  ])('%j is refused', async (patch, message) => {
    const b = await Bench.open();
    await b.create('configmaps', 'default', CONFIG);
    const answer = await refusal(b.patch('configmaps', AT, patch));
    expect(answer).toMatch(/^422 /);
    expect(answer.endsWith(`: ${message}`)).toBe(true);
  });

  it.each([{ kind: '' }, { kind: null }])('%j leaves the kind of the resource', async (patch) => {
    const b = await Bench.open();
    await b.create('configmaps', 'default', CONFIG);
    expect(await b.patch('configmaps', AT, patch)).toMatchObject(CONFIG);
  });

  describe('that removes the version', () => {
    const open = async (): Promise<Bench> => {
      const b = await Bench.open();
      await b.create('configmaps', 'default', { ...CONFIG, data: { a: 'b' } });
      return b;
    };

    it('leaves no field that is known, and no name', async () => {
      const b = await open();
      const patch = { apiVersion: null, x: 1 };
      expect(await refusal(b.patch('configmaps', AT, patch, 'merge', { fieldValidation: 'Warn' }))).toBe(
        '400 the name of the object (c based on URL) was undeterminable: name must be provided',
      );
      expect(b.warnings).toEqual(['unknown field "data"', 'unknown field "metadata"', 'unknown field "x"']);
    });

    it('is refused by a strict request', async () => {
      const b = await open();
      const answer = await refusal(
        b.patch('configmaps', AT, { apiVersion: null }, 'merge', { fieldValidation: 'Strict' }),
      );
      expect(answer).toMatch(/^422 .*: strict decoding error: unknown field "data", unknown field "metadata"$/);
    });

    it.each([
      ['Foo', 'no kind "Foo" is registered for the internal version of group "" in scheme "pkg/runtime/scheme.go:111"'],
      ['Pod', 'converting (core.Pod) to (core.ConfigMap): unknown conversion'],
    ])('is read as the internal type of kind %s', async (kind, message) => {
      const answer = await refusal((await open()).patch('configmaps', AT, { apiVersion: null, kind }));
      expect(answer).toMatch(/^422 /);
      expect(answer.endsWith(`: ${message}`)).toBe(true);
    });
  });
});

describe('keys that are twice in a JSON patch', () => {
  const value = (text: string): string => `{"op":"add","path":"/metadata/annotations","value":${text}}`;
  it.each<readonly [string, string, readonly string[]]>([
    [
      'are twice in the result, too',
      `[${value('{"a":"1","a":"2"}')}]`,
      ['json patch duplicate field "[0].value.a"', 'duplicate field "metadata.annotations.a"'],
    ],
    [
      'are once in an object that a later operation changes',
      `[${value('{"a":"1","a":"2"}')},{"op":"add","path":"/metadata/annotations/b","value":"3"}]`,
      ['json patch duplicate field "[0].value.a"'],
    ],
    [
      'are not in the result if it has another value',
      `[${value('{"a":"1","a":"2"}')},${value('{"a":"3"}')}]`,
      ['json patch duplicate field "[0].value.a"'],
    ],
    [
      'are not read in an unknown member',
      '[{"op":"add","path":"/data","value":{},"x":1,"x":{"y":1,"y":2}}]',
      ['json patch unknown field "[0].x"'],
    ],
    [
      'are in the order of the operations with unknown members',
      `[{"op":"test","path":"/metadata/name","value":"c","x":1},${value('{"a":"1","a":"1"}')}]`,
      [
        'json patch unknown field "[0].x"',
        'json patch duplicate field "[1].value.a"',
        'duplicate field "metadata.annotations.a"',
      ],
    ],
  ])('%s', async (_, text, warnings) => {
    const b = await Bench.open();
    await b.create('configmaps', 'default', CONFIG);
    await b.patch('configmaps', AT, text, 'json', { fieldValidation: 'Warn' });
    expect(b.warnings).toEqual(warnings);
  });
});

describe('a patch of a scale', () => {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 2, selector: { matchLabels: { a: 'b' } }, template };
  const open = async (): Promise<Bench> => {
    const b = await Bench.open();
    await b.create('deployments.apps/v1', 'default', { metadata: { name: 'c' }, spec });
    return b;
  };
  const scale = (metadata: JsonObject): JsonObject => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'c', ...metadata },
    spec: { replicas: 2 },
  });

  it.each(['merge', 'apply'] as const)('applies only to the object with its uid (%s)', async (type) => {
    const b = await open();
    const patched = (uid: unknown) =>
      refusal(b.patch('deployments.apps/v1/scale', AT, scale({ uid: uid as string }), type, { force: true }));
    expect(await patched('x')).toMatch(
      /^409 Operation cannot be fulfilled on deployments\/scale\.apps "c": Precondition failed: UID in precondition: x, UID in object meta: ./,
    );
    const { metadata } = await b.get('deployments.apps/v1', 'default', 'c');
    expect(await patched((metadata as JsonObject)['uid'])).toBe('taken');
  });

  it('applies only to its namespace', async () => {
    const b = await open();
    expect(await refusal(b.patch('deployments.apps/v1/scale', AT, scale({ namespace: 'q' }), 'apply'))).toBe(
      '400 the namespace of the provided object does not match the namespace sent on the request',
    );
  });
});

describe('bytes as a list of numbers', () => {
  const secret = (data: JsonObject): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'c' },
    data,
  });

  it('are the same as base64', async () => {
    const b = await Bench.open();
    const made = await b.create('secrets', 'default', secret({ k: [65, 66], empty: [], zero: [null] }));
    expect(made['data']).toEqual({ k: 'QUI=', empty: '', zero: 'AA==' });
    const patched = await b.patch('secrets', AT, { data: { k: [300, null] } }, 'strategic');
    expect((patched['data'] as JsonObject)['k']).toBe('LAA=');
  });

  it.each([
    [[256], 'number 256'],
    [[-1], 'number -1'],
    [[1.5], 'number 1.5'],
    [['AA'], 'string'],
    [[[1]], 'array'],
  ])('%j is refused', async (k, found) => {
    const b = await Bench.open();
    expect(await refusal(b.create('secrets', 'default', secret({ k })))).toBe(
      `400 Secret in version "v1" cannot be handled as a Secret: json: cannot unmarshal ${found} into Go struct field Secret.data of type uint8`,
    );
  });

  it('of other types are refused in a strategic merge patch', async () => {
    const b = await Bench.open();
    await b.create('secrets', 'default', secret({}));
    const answer = await refusal(b.patch('secrets', AT, { data: { k: ['a'] } }, 'strategic'));
    expect(answer.endsWith(': unrecognized type: uint8')).toBe(true);
  });
});
