import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { finish } from '../base/index.js';
import { encodeAnswer } from './answer.js';
import { type BodyEncoding, bodySteps, decodeBody, readSteps } from './body.js';
import { codecLimits } from './limits.js';
import { kindNamed } from './testing.js';

const many = <T>(n: number, f: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => f(i));
const entries = (n: number): JsonObject => Object.fromEntries(many(n, (i) => [`k${i}`, `v${i}`]));

const configMap = (data: JsonObject, managedFields: JsonObject[] = []): JsonObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: managedFields.length === 0 ? { name: 'a' } : { name: 'a', managedFields },
  data,
});

const variables = (n: number): JsonObject[] => many(n, (i) => ({ name: `A${i}`, value: `${i}` }));
const pod = (containers: number, each: number): JsonObject => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'a' },
  spec: { containers: many(containers, (i) => ({ name: `c${i}`, resources: {}, env: variables(each) })) },
  status: {},
});

function bytesOf(object: JsonObject, encoding: BodyEncoding): Buffer {
  const { schema } = kindNamed(object['kind'] as string);
  return encodeAnswer(object, encoding, { schema }) as Buffer;
}

const expected = (object: JsonObject) => kindNamed(object['kind'] as string);

function pausesOf(steps: Iterator<undefined>): number {
  let pauses = 0;
  while (steps.next().done !== true) pauses++;
  return pauses;
}

const ENCODINGS = ['json', 'cbor', 'protobuf'] satisfies BodyEncoding[];

describe.each(ENCODINGS)('a large body in %s', (encoding) => {
  const large: Readonly<Record<string, JsonObject>> = {
    'a long map': configMap(entries(15_000)),
    'a long list': pod(1, 20_000),
    'lists in a list': pod(100, 200),
    'a large value without a schema': configMap({ a: 'b' }, [
      {
        manager: 'm',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': Object.fromEntries(many(15_000, (i) => [`f:k${i}`, {}])) },
      },
    ]),
  };

  it.each(Object.keys(large))('is decoded to the same object, and pauses: %s', (name) => {
    const object = large[name]!;
    const body = { bytes: bytesOf(object, encoding), encoding };
    const decoded = decodeBody(body, expected(object));
    if (!decoded.ok) throw new Error(decoded.message);
    // The encoders leave out what the normal form adds.
    const again = decodeBody({ bytes: Buffer.from(JSON.stringify(object)), encoding: 'json' }, expected(object));
    expect(decoded).toEqual(again);
    expect(pausesOf(bodySteps(body, expected(object)))).toBeGreaterThanOrEqual(4);
  });

  it('is refused if an object has too many keys', () => {
    const object = configMap(entries(2 * codecLimits.keysMax + 1));
    const decoded = decodeBody({ bytes: bytesOf(object, encoding), encoding }, expected(object));
    expect(decoded).toMatchObject({
      ok: false,
      message: expect.stringContaining(`has more than ${codecLimits.keysMax} keys in one object`),
    });
    const most = configMap(entries(codecLimits.keysMax));
    expect(decodeBody({ bytes: bytesOf(most, encoding), encoding }, expected(most))).toMatchObject({ ok: true });
  });
});

it.each([
  ['json', 'json'],
  ['cbor', 'cbor'],
  ['json', 'yaml'],
] satisfies [BodyEncoding, BodyEncoding][])(
  'a large body in %s is read in steps without a schema, as %s',
  (written, encoding) => {
    const object = pod(100, 200);
    const bytes = bytesOf(object, written);
    expect(finish(readSteps({ bytes, encoding }))).toMatchObject({ ok: true, value: object });
    expect(pausesOf(readSteps({ bytes, encoding }))).toBeGreaterThanOrEqual(10);
  },
);

it('a YAML body is refused if an object has too many keys', () => {
  const bytes = Buffer.from(`data:${many(codecLimits.keysMax + 1, (i) => `\n  k${i}: x`).join('')}`);
  const message = `yaml: the document has more than ${codecLimits.keysMax} keys in one object`;
  expect(finish(readSteps({ bytes, encoding: 'yaml' }))).toEqual({ ok: false, message });
});

it('a broken large body is refused with the message of the exact reader', () => {
  const text = JSON.stringify(pod(100, 200));
  const decode = (broken: string) => decodeBody({ bytes: Buffer.from(broken), encoding: 'json' }, kindNamed('Pod'));
  expect(decode(text.slice(0, -1))).toMatchObject({
    ok: false,
    message: expect.stringContaining('unexpected end of JSON input'),
  });
  expect(decode(text.replace('"A199"', '"A199",'))).toMatchObject({
    ok: false,
    message: expect.stringContaining("invalid character ',' looking for beginning of object key string"),
  });
  expect(decode(text.replace('{"name":"A199"', '{"name":"x","name":"A199"'))).toMatchObject({
    ok: true,
    strict: { errors: ['duplicate field "spec.containers[0].env[199].name"'] },
  });
});
