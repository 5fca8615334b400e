import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cloneJson, isObject, type JsonObject, type JsonValue, rememberEmpty } from '../../api/index.js';
import { finish } from '../../base/index.js';
import { kindSchema, type StructSchema } from '../../schema/index.js';
import { fixtures } from '../testing.js';
import { encodeJson, encodeJsonSteps, encodeStored, storedSteps } from './encode.js';

const schemaOf = (group: string, kind: string): StructSchema => kindSchema({ group, version: 'v1', kind })!.schema;
const many = <T extends JsonValue>(n: number, f: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => f(i));

const pod = (spec: JsonObject): JsonObject => ({
  spec,
  apiVersion: 'v1',
  metadata: { resourceVersion: '3', name: 'a', labels: { b: 'ü', a: '\ud83d\ude00' } },
  kind: 'Pod',
});

const objects: Readonly<Record<string, readonly [StructSchema, JsonObject]>> = {
  'a small object': [schemaOf('', 'Pod'), pod({ containers: [{ name: 'c' }] })],
  'a long list': [schemaOf('', 'Pod'), pod({ containers: many(3000, (i) => ({ name: `c${i}`, image: 'i' })) })],
  'long lists in items': [
    schemaOf('', 'Pod'),
    pod({
      containers: many(20, (i) => ({
        image: 'i',
        env: many(600, (j) => ({ value: '1', name: `A${j}` })),
        name: `${i}`,
      })),
    }),
  ],
  'null items and fields': [
    schemaOf('', 'Pod'),
    pod({
      containers: [null, ...many(600, () => ({ command: null, args: [''], image: '' }))],
      volumes: null,
      hostname: '',
    }),
  ],
  'a long map': [
    schemaOf('', 'ConfigMap'),
    { kind: 'ConfigMap', apiVersion: 'v1', data: Object.fromEntries(many(5000, (i) => `k${i}`).map((k) => [k, 'x'])) },
  ],
  'maps in a map': [
    schemaOf('', 'ResourceQuota'),
    { metadata: { annotations: Object.fromEntries(many(900, (i) => `k${i}`).map((k) => [k, k])) }, spec: {} },
  ],
};

it.each(Object.entries(objects))('writes the same text in steps: %s', (_, [schema, object]) => {
  expect(finish(encodeJsonSteps(schema, object)).toString()).toBe(encodeJson(schema, object).toString());
  expect(finish(storedSteps(schema, object)).bytes.toString()).toBe(encodeStored(schema, object).toString());
});

it('pauses within large objects only', () => {
  const pauses = (name: string): number => {
    const [schema, object] = objects[name]!;
    return [...encodeJsonSteps(schema, object)].length;
  };
  expect(pauses('a small object')).toBe(0);
  expect(pauses('a long list')).toBeGreaterThan(4);
  expect(pauses('long lists in items')).toBeGreaterThan(20);
  expect(pauses('a long map')).toBeGreaterThan(2);
});

/** What reading the stored form gives. */
const readBack = (bytes: Buffer): JsonObject => JSON.parse(bytes.toString()) as JsonObject;

describe('a stored form', () => {
  const exact = (schema: StructSchema, object: JsonObject): boolean => finish(storedSteps(schema, object)).isExact;
  const configMap = (more: JsonObject): JsonObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    ...more,
  });

  it.each<[string, JsonObject, boolean]>([
    ['has every value', { data: { a: '1', b: 'ü' }, immutable: true }, true],
    ['lacks the resource version', { metadata: { name: 'a', resourceVersion: '7' } }, true],
    ['has map keys in order', { data: { b: '1', a: '1' } }, false],
    ['lacks empty fields', { data: {} }, false],
    ['lacks unknown fields', { other: '1' }, false],
    ['has lone surrogates as escapes', { data: { a: '\ud800' } }, true],
    ['has a text for a null in a map', { data: { a: null } }, false],
  ])('%s', (_, more, expected) => {
    expect(exact(schemaOf('', 'ConfigMap'), configMap(more))).toBe(expected);
  });

  it.each<[string, JsonObject, boolean]>([
    ['has null where the object has it', { type: 'Ready', status: 'True', lastProbeTime: null }, true],
    ['has null where the object has nothing', { type: 'Ready', status: 'True' }, false],
    ['has a zero value where the object has null', { type: 'Ready', status: null, lastProbeTime: null }, false],
  ])('%s', (_, condition, expected) => {
    const conditions = [{ lastTransitionTime: null, ...condition }];
    const spec = { containers: [{ name: 'c', resources: { limits: { cpu: '1' } } }] };
    const status = { conditions };
    const metadata = { name: 'a' };
    expect(exact(schemaOf('', 'Pod'), { kind: 'Pod', apiVersion: 'v1', metadata, spec, status })).toBe(expected);
  });

  it('is not exact for fields that were empty in the request, nor for numbers of 16 digits', () => {
    const given = configMap({ data: { a: '1' } });
    rememberEmpty(given['metadata'] as JsonObject, { labels: {} });
    expect(exact(schemaOf('', 'ConfigMap'), given)).toBe(false);
    const job = (n: number | bigint): JsonObject => ({ spec: { backoffLimit: n, template: { spec: {} } }, status: {} });
    for (const n of [1e15, 10n ** 17n]) expect(exact(schemaOf('batch', 'Job'), job(n))).toBe(false);
  });

  it('reads as the object that was written, if it is exact', () => {
    const samples = fixtures().filter(
      ({ kind, value }) => kind.schema !== undefined && value['metadata'] !== undefined,
    );
    let exactOnes = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...samples),
        fc.array(fc.tuple(fc.nat(), fc.constantFrom(...REPLACEMENTS)), { maxLength: 3 }),
        ({ kind, value }, changes) => {
          const object = cloneJson(value);
          for (const [at, replacement] of changes) change(object, at, replacement);
          const { bytes, isExact } = finish(storedSteps(kind.schema, object));
          if (!isExact) return;
          exactOnes++;
          delete (object['metadata'] as JsonObject)['resourceVersion'];
          expect(readBack(bytes)).toStrictEqual(object);
        },
      ),
      { numRuns: 2000 },
    );
    expect(exactOnes).toBeGreaterThan(200);
  });
});

const REMOVE = Symbol('remove');
const REPLACEMENTS: readonly (JsonValue | typeof REMOVE)[] = [
  REMOVE,
  null,
  '',
  0,
  false,
  'text',
  7,
  [],
  {},
  1e16,
  '\ud800',
];

/** Replaces the `at`-th member of the object, counted through all its levels and around. */
function change(object: JsonObject, at: number, replacement: JsonValue | typeof REMOVE): void {
  const places: [JsonObject, string][] = [];
  const walk = (value: JsonValue): void => {
    if (Array.isArray(value)) value.forEach(walk);
    else if (isObject(value))
      for (const key in value) {
        places.push([value, key]);
        walk(value[key]!);
      }
  };
  for (const key in object) if (key !== 'metadata') walk({ [key]: object[key]! });
  walk(object['metadata']!);
  const [owner, key] = places[at % places.length]!;
  if (replacement === REMOVE) delete owner[key];
  else owner[key] = replacement;
}
