import { describe, expect, it } from 'vitest';
import { matches } from './clusterroleaggregation.js';

describe('selectors of an aggregation', () => {
  const labels = { tier: 'a', on: 'true' };

  it.each([
    [{}, true],
    [{ matchLabels: { tier: 'a' } }, true],
    [{ matchLabels: { tier: 'b' } }, false],
    [{ matchLabels: { constructor: 'x' } }, false],
    [{ matchExpressions: [{ key: 'tier', operator: 'In', values: ['a', 'b'] }] }, true],
    [{ matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['a'] }] }, false],
    [{ matchExpressions: [{ key: 'none', operator: 'NotIn', values: ['a'] }] }, true],
    [
      {
        matchExpressions: [
          { key: 'on', operator: 'Exists' },
          { key: 'off', operator: 'DoesNotExist' },
        ],
      },
      true,
    ],
    [{ matchExpressions: [{ key: 'on', operator: 'Near' }] }, false],
  ])('%j: %s', (selector, expected) => {
    expect(matches(selector, labels)).toBe(expected);
  });
});
