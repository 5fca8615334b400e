import { expect, it } from 'vitest';
import { withoutTrailing } from './text.js';

it.each([
  ['', ''],
  ['/', ''],
  ['a', 'a'],
  ['/a//', '/a'],
  ['//a', '//a'],
])('%j without its trailing slashes is %j', (text, expected) => {
  expect(withoutTrailing(text, '/')).toBe(expected);
});

it('strips a suffix of a million characters in linear time', () => {
  const text = `${'/'.repeat(1_000_000)}x`;
  expect(withoutTrailing(text, '/')).toBe(text);
});
