import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../api/index.js';
import { finish } from '../../base/index.js';
import { kindSchema, type StructSchema } from '../../schema/index.js';
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
  expect(finish(storedSteps(schema, object)).toString()).toBe(encodeStored(schema, object).toString());
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
