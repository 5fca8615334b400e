import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../api/index.js';
import { kindSchema } from '../../schema/index.js';
import { encodeStored } from '../json/encode.js';
import { fieldSetsOf, spliceResourceVersion } from '../json/splice.js';
import { encodeProtobuf } from './encode.js';
import { encodeStoredProtobuf } from './stored.js';

const podSchema = kindSchema({ group: '', version: 'v1', kind: 'Pod' })!.schema;
const revisionSchema = kindSchema({ group: 'apps', version: 'v1', kind: 'ControllerRevision' })!.schema;

/** Strings that look like the searched key. */
const text = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom(
    'fieldsV1',
    '"fieldsV1":{',
    '"managedFields":[{"fieldsV1":{}}]',
    '\\',
    '\\"',
    '}',
    ']',
    '{',
    '<\u2028é',
  ),
);
const set = fc.letrec<{ set: JsonObject }>((tie) => ({
  set: fc.dictionary(
    fc.oneof(
      text.map((t) => `f:${t}`),
      text.map((t) => `k:${JSON.stringify({ name: t })}`),
      fc.constant('.'),
    ),
    fc.oneof({ depthSize: 'small' }, fc.constant({}), tie('set')) as fc.Arbitrary<JsonValue>,
    { maxKeys: 3 },
  ),
})).set;
const entry = fc.record(
  {
    manager: text,
    operation: fc.constantFrom('Apply', 'Update'),
    apiVersion: text,
    time: fc.constant('2026-01-02T03:04:05Z'),
    fieldsType: fc.constant('FieldsV1'),
    fieldsV1: set,
    subresource: text,
  },
  { requiredKeys: ['manager'] },
);
const metadata = fc.record(
  {
    name: fc.constant('a'),
    labels: fc.dictionary(text, text, { maxKeys: 2 }),
    annotations: fc.dictionary(text, text, { maxKeys: 2 }),
    finalizers: fc.array(text, { maxLength: 2 }),
    managedFields: fc.array(entry, { maxLength: 3 }),
  },
  { requiredKeys: ['name'] },
);

function same(schema: typeof podSchema, object: JsonObject): void {
  const json = spliceResourceVersion(encodeStored(schema, object), 7);
  const parse = (t: string) => JSON.parse(t) as JsonObject;
  const whole = encodeProtobuf(schema, parse(json.toString()));
  expect(encodeStoredProtobuf(schema, json, { parse }).equals(whole)).toBe(true);
  const value = parse(json.toString());
  const before = JSON.stringify(value);
  expect(encodeStoredProtobuf(schema, json, { value, parse: unused }).equals(whole)).toBe(true);
  expect(JSON.stringify(value)).toBe(before);
  const entries = (object['metadata'] as { managedFields?: JsonObject[] }).managedFields ?? [];
  const sets = entries.filter((e) => e['fieldsV1'] !== undefined).map((e) => JSON.stringify(e['fieldsV1']));
  const cut = fieldSetsOf(json).map(({ start, end }) => JSON.parse(json.toString('utf8', start, end)));
  expect(cut).toEqual(sets.map((s) => JSON.parse(s)));
}

function unused(): never {
  throw new Error('the value is parsed again');
}

it('equals the message of the object, for any names of managers and other strings', () => {
  fc.assert(
    fc.property(metadata, fc.option(metadata, { nil: undefined }), (own, other) => {
      same(podSchema, { kind: 'Pod', apiVersion: 'v1', metadata: own as JsonObject, spec: {}, status: {} });
      const data = { kind: 'Pod', metadata: (other ?? {}) as JsonObject, managedFields: [{ fieldsV1: { 'f:a': {} } }] };
      same(revisionSchema, {
        kind: 'ControllerRevision',
        apiVersion: 'apps/v1',
        metadata: own as JsonObject,
        data,
        revision: 1,
      });
    }),
    { numRuns: 300 },
  );
});

it('takes a number in the place of a field set for what it is', () => {
  const managedFields = [
    { manager: 'a', fieldsV1: 0 },
    { manager: 'b', fieldsV1: { 'f:x': {} } },
  ];
  const object = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a', managedFields }, spec: {}, status: {} };
  const json = Buffer.from(JSON.stringify(object));
  const parse = (t: string) => JSON.parse(t) as JsonObject;
  const whole = encodeProtobuf(podSchema, parse(json.toString()));
  expect(encodeStoredProtobuf(podSchema, json, { parse }).equals(whole)).toBe(true);
});
