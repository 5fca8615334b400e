import { expect, it } from 'vitest';
import { withEmbedded } from './embedded.js';

const FIELDS = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' } };
const EMBEDDED = { type: 'object', 'x-kubernetes-embedded-resource': true } as const;
const OPEN = { ...EMBEDDED, 'x-kubernetes-preserve-unknown-fields': true } as const;
const KNOWN = { properties: FIELDS, required: ['kind', 'apiVersion'] };

it('returns a schema without embedded resources as it is', () => {
  const schema = {
    type: 'object',
    properties: {
      a: { type: 'array', items: { type: 'string' } },
      'x-kubernetes-embedded-resource': { type: 'string' },
    },
  };
  expect(withEmbedded(schema, FIELDS, 'v3')).toBe(schema);
});

it('adds the fields of objects to embedded resources, wherever they are', () => {
  const spec = { type: 'object', properties: { own: { type: 'string' } }, required: ['own', 'kind'] };
  const schema = {
    properties: {
      one: { ...EMBEDDED, properties: { spec, kind: { type: 'string', enum: ['A'] } }, required: ['spec', 'kind'] },
      list: { type: 'array', items: EMBEDDED },
      map: { type: 'object', additionalProperties: { type: 'object', properties: { inner: OPEN } } },
    },
  };
  expect(withEmbedded(schema, FIELDS, 'v3')).toEqual({
    properties: {
      one: { ...EMBEDDED, properties: { spec, ...FIELDS }, required: ['spec', 'kind', 'apiVersion'] },
      list: { type: 'array', items: { ...EMBEDDED, ...KNOWN } },
      map: { type: 'object', additionalProperties: { type: 'object', properties: { inner: { ...OPEN, ...KNOWN } } } },
    },
  });
});

it('adds nothing in v2 where unknown fields are preserved', () => {
  expect(withEmbedded(OPEN, FIELDS, 'v2')).toBe(OPEN);
  expect(withEmbedded(EMBEDDED, FIELDS, 'v2')).toEqual({ ...EMBEDDED, ...KNOWN });
});
