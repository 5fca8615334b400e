import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/index.js';
import { ignoredSelectors } from './selectorattributes.js';

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
