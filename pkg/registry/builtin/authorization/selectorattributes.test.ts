import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/index.js';
import { ignoredSelectors, reviewedSelectors } from './selectorattributes.js';

const LABELS = 'spec.resourceAttributes.labelSelector ignored due to parse error';
const FIELDS = 'spec.resourceAttributes.fieldSelector ignored due to parse error';
const requirement = (operator: string, ...values: readonly string[]): JsonObject => ({
  key: 'a',
  operator,
  values: [...values],
});

describe('ignoredSelectors', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    ['none', {}, []],
    ['text that parses', { labelSelector: { rawSelector: 'a in (b),c' }, fieldSelector: { rawSelector: 'a=b' } }, []],
    ['text that does not', { labelSelector: { rawSelector: 'a in (' } }, [LABELS]],
    ['both', { labelSelector: { rawSelector: '!!' }, fieldSelector: { rawSelector: 'a' } }, [FIELDS, LABELS]],
    ['an operator of tomorrow', { labelSelector: { requirements: [requirement('Like', 'b')] } }, [LABELS]],
    ['a value that no label has', { labelSelector: { requirements: [requirement('In', 'b c')] } }, [LABELS]],
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
