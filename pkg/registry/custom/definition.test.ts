import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import type { StoredObject } from '../../cache/index.js';
import { headOf, sameSchemas, storedSchemas } from './definition.js';

const SCHEMA: JsonObject = {
  type: 'object',
  description: 'a "quoted" {brace} and \\ "openAPIV3Schema":{"type":"object"}',
  properties: { openAPIV3Schema: { type: 'object', default: { openAPIV3Schema: { a: ['}', ']'] } } } },
};

const definition = (over: JsonObject = {}, ...schemas: readonly (JsonObject | undefined)[]): JsonObject => ({
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1',
  metadata: {
    name: 'shops.example.com',
    annotations: {
      note: '"openAPIV3Schema":{}',
      'kubectl.kubernetes.io/last-applied-configuration': '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{}}}]}}',
    },
    managedFields: [{ manager: 'm', fieldsV1: { 'f:openAPIV3Schema': {} } }],
  },
  spec: {
    versions: schemas.map((s, i) => ({
      name: `v${i}`,
      ...(s !== undefined && { schema: { openAPIV3Schema: s } }),
      served: true,
    })),
  },
  ...over,
});

/** Only the bytes are read. */
const stored = (o: JsonObject): StoredObject => ({ json: Buffer.from(JSON.stringify(o)) }) as unknown as StoredObject;

describe('the head of a definition', () => {
  it('has everything but the schemas, managed fields and the copy of kubectl', () => {
    const { head } = headOf(stored(definition({}, SCHEMA, undefined, { type: 'object' })));
    expect(head).toEqual({
      kind: 'CustomResourceDefinition',
      apiVersion: 'apiextensions.k8s.io/v1',
      metadata: { name: 'shops.example.com', annotations: { note: '"openAPIV3Schema":{}' } },
      spec: {
        versions: [
          { name: 'v0', schema: { openAPIV3Schema: 0 }, served: true },
          { name: 'v1', served: true },
          { name: 'v2', schema: { openAPIV3Schema: 1 }, served: true },
        ],
      },
    });
  });

  it('finds each schema by its version', () => {
    const of = stored(definition({}, SCHEMA, undefined, { type: 'object' }));
    const schemas = storedSchemas(() => of);
    expect(schemas.schema('v0')).toEqual(SCHEMA);
    expect(schemas.bytes('v0')).toBe(Buffer.byteLength(JSON.stringify(SCHEMA)));
    expect(schemas.schema('v1')).toBeUndefined();
    expect(schemas.bytes('v1')).toBe(0);
    expect(schemas.schema('v2')).toEqual({ type: 'object' });
    expect(schemas.schema('v9')).toBeUndefined();
  });

  it('finds the end of schemas whose strings end with backslashes and have characters of several bytes', () => {
    const texts = ['\\', '\\"', '"\\\\', '}\\"{', 'größe }', '\u65e5\u672c {', '\u{1f600}"'];
    const first = { type: 'object', enum: texts, properties: Object.fromEntries(texts.map((t) => [t, { title: t }])) };
    const of = stored(definition({}, first, SCHEMA));
    const schemas = storedSchemas(() => of);
    expect(schemas.schema('v0')).toEqual(first);
    expect(schemas.schema('v1')).toEqual(SCHEMA);
  });

  it('keeps integers that a double cannot represent', () => {
    const text = '{"spec":{"versions":[{"name":"v0","schema":{"openAPIV3Schema":{"default":9007199254740993}}}]}}';
    const of = { json: Buffer.from(text) } as unknown as StoredObject;
    expect(storedSchemas(() => of).schema('v0')).toEqual({ default: 9007199254740993n });
  });

  it('compares schemas and nothing else', () => {
    const one = stored(definition({}, SCHEMA, { type: 'object' }));
    expect(
      sameSchemas(one, stored(definition({ status: { storedVersions: ['v0'] } }, SCHEMA, { type: 'object' }))),
    ).toBe(true);
    expect(sameSchemas(one, stored(definition({}, SCHEMA, { type: 'string' })))).toBe(false);
    expect(sameSchemas(one, stored(definition({}, SCHEMA)))).toBe(false);
  });
});

it('has bounds of numbers as doubles, and other integers with all digits', () => {
  const text = JSON.stringify(definition({}, { type: 'integer', maximum: 1, default: 2, maxLength: 3 }))
    .replace('"maximum":1', '"maximum":9223372036854775000')
    .replace('"default":2', '"default":9007199254740993')
    .replace('"maxLength":3', '"maxLength":9007199254740993');
  const o = { json: Buffer.from(text) } as unknown as StoredObject;
  expect(storedSchemas(() => o).schema('v0')).toEqual({
    type: 'integer',
    maximum: 9223372036854775000,
    default: 9007199254740993n,
    maxLength: 9007199254740993n,
  });
});
