import { expect, it } from 'vitest';
import { indexesIn } from './indexes.js';

it.each([
  ['0,2-4', 4],
  ['+1', 1],
  ['9', 'too large index: "9"'],
  ['9223372036854775807', 'too large index: "9223372036854775807"'],
  ['9223372036854775808', 'cannot convert string to integer for index: "9223372036854775808"'],
  ['-9223372036854775809', expect.stringContaining('cannot convert string to integer')],
  ['1-2-3', expect.stringContaining('at most two parts')],
])('the indexes %j', (text, expected) => {
  expect(indexesIn(text, 9)).toEqual(expected);
});
