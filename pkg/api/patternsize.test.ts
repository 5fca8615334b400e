import { expect, it } from 'vitest';
import { isPatternTooLarge, patternSize } from './index.js';

it.each([
  ['abc', 3, 3],
  ['[a-z0-9]+x', 3, 5],
  ['a{30}', 30, 70],
  ['(ab){2,10}', 30, 60],
  ['((a{1,30}){1,30})', 900, 5_000],
  ['\\pL{100}', 1_600, 2_000],
  ['\\{100}', 5, 7],
  ['[{100}]', 2, 2],
  ['[]{1000}]x', 3, 3],
  ['{,5}a{x}', 8, 8],
  ['(((', 0, 1],
  [')', 0, 3],
])('estimates the size of %s', (pattern, least, most) => {
  expect(patternSize(pattern)).toBeGreaterThanOrEqual(least);
  expect(patternSize(pattern)).toBeLessThanOrEqual(most);
});

it('allows the patterns that definitions have, and no programs of a million instructions', () => {
  const name = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
  const allowed = [
    `^${name}(\\.${name})*$`,
    '^.{1,1000}$',
    `^(${Array.from({ length: 500 }, (_, i) => `option-${i}`).join('|')})$`,
    '^(([0-9a-fA-F]{1,4}:){7,7}[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,7}:)$',
  ];
  expect(allowed.filter(isPatternTooLarge)).toEqual([]);
  const large = ['a{1,1000}'.repeat(20), '((a{1,100}){1,100}){1,100}', 'ab'.repeat(10_000), '\\pL'.repeat(2_000)];
  expect(large.filter((pattern) => !isPatternTooLarge(pattern))).toEqual([]);
});
