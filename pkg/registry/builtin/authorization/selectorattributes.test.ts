import { describe, expect, it } from 'vitest';
import { FieldErrors, FieldPath, type JsonObject } from '../../../api/index.js';
import { ignoredSelectors, reviewedSelectors, selectorAttributes } from './selectorattributes.js';

const LABELS = 'spec.resourceAttributes.labelSelector ignored due to parse error';
const FIELDS = 'spec.resourceAttributes.fieldSelector ignored due to parse error';
const requirement = (operator: string, ...values: readonly string[]): JsonObject => ({
  key: 'a',
  operator,
  values: [...values],
});

describe('selectorAttributes', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    ['no values', requirement('In'), ['values']],
    [
      'values that no label has',
      requirement('NotIn', 'b c', 'b', '', '-b', 'x'.repeat(64)),
      ['values[0]', 'values[3]', 'values[4]'],
    ],
    ['values that are not expected', requirement('Exists', 'b c'), ['values', 'values[0]']],
    ['values of an operator of tomorrow', requirement('Like', 'b c'), ['values[0]']],
    ['a key that no label has', { ...requirement('In', 'b c'), key: 'a b' }, ['key', 'values[0]']],
  ])('refuses in requirements for labels %s', (_name, given, fields) => {
    const found = new FieldErrors();
    selectorAttributes({ labelSelector: { requirements: [given] } }, FieldPath.of('r'), found);
    expect(found.list.map(({ field }) => field)).toEqual(fields.map((f) => `r.labelSelector.requirements[0].${f}`));
  });

  it('accepts any values in requirements for fields', () => {
    const found = new FieldErrors();
    selectorAttributes({ fieldSelector: { requirements: [requirement('In', 'b c')] } }, FieldPath.of('r'), found);
    expect(found.list).toEqual([]);
  });
});

describe('ignoredSelectors', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    ['none', {}, []],
    ['text that parses', { labelSelector: { rawSelector: 'a in (b),c' }, fieldSelector: { rawSelector: 'a=b' } }, []],
    ['text that does not', { labelSelector: { rawSelector: 'a in (' } }, [LABELS]],
    ['both', { labelSelector: { rawSelector: '!!' }, fieldSelector: { rawSelector: 'a' } }, [FIELDS, LABELS]],
    ['an operator of tomorrow', { labelSelector: { requirements: [requirement('Like', 'b')] } }, [LABELS]],
    ['a field of several values', { fieldSelector: { requirements: [requirement('In', 'b', 'c')] } }, [FIELDS]],
    ['a field that exists', { fieldSelector: { requirements: [requirement('Exists')] } }, [FIELDS]],
    [
      'one that can be used and one that cannot',
      { labelSelector: { requirements: [requirement('In', 'b'), requirement('Like')] } },
      ['spec.resourceAttributes.labelSelector partially ignored due to parse error'],
    ],
  ])('%s', (_name, resource, told) => {
    expect(ignoredSelectors(resource)).toEqual(told);
  });
});

describe('reviewedSelectors', () => {
  const field = { field: 'a', equal: true, value: 'b' };
  it.each<[string, JsonObject, object]>([
    ['none', {}, {}],
    ['text', { fieldSelector: { rawSelector: 'a=b' } }, { fieldSelector: [field] }],
    ['text that does not parse', { fieldSelector: { rawSelector: 'a' } }, {}],
    ['fields', { fieldSelector: { requirements: [requirement('In', 'b')] } }, { fieldSelector: [field] }],
    [
      'fields, negated',
      { fieldSelector: { requirements: [requirement('NotIn', 'b')] } },
      { fieldSelector: [{ ...field, equal: false }] },
    ],
    ['only what can be used', { fieldSelector: { requirements: [requirement('In', 'b', 'c')] } }, {}],
    [
      'labels',
      { labelSelector: { requirements: [requirement('NotIn', 'c', 'b', 'c'), requirement('DoesNotExist')] } },
      {
        labelSelector: [
          { key: 'a', operator: 'notin', values: ['b', 'c'] },
          { key: 'a', operator: '!', values: [] },
        ],
      },
    ],
  ])('%s', (_name, resource, selectors) => {
    expect(reviewedSelectors(resource)).toEqual(selectors);
  });
});
