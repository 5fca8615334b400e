import { expect, it } from 'vitest';
import { withIntOrString } from './intorstring.js';

const marked = { 'x-kubernetes-int-or-string': true };
const types = [{ type: 'integer' }, { type: 'string' }];
const other = [{ minimum: 1 }];

it.each([
  ['states the types', marked, { ...marked, anyOf: types }],
  ['keeps other rules', { ...marked, anyOf: other }, { ...marked, anyOf: other, allOf: [{ anyOf: types }] }],
  [
    'puts the types before other rules',
    { ...marked, anyOf: other, allOf: [{ maximum: 3 }] },
    { ...marked, anyOf: other, allOf: [{ anyOf: types }, { maximum: 3 }] },
  ],
  ['states none twice', { ...marked, allOf: [{ anyOf: types }] }, { ...marked, allOf: [{ anyOf: types }] }],
  [
    'finds inner schemas',
    { properties: { a: { items: marked } }, additionalProperties: marked },
    { properties: { a: { items: { ...marked, anyOf: types } } }, additionalProperties: { ...marked, anyOf: types } },
  ],
])('%s', (_, schema, expected) => {
  expect(withIntOrString(schema)).toEqual(expected);
});

it('returns a schema without such values as it is', () => {
  const schema = { type: 'object', properties: { a: { ...marked, anyOf: types } } };
  expect(withIntOrString(schema)).toBe(schema);
});
