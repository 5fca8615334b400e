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

it('takes a million characters that are not at the end without going over them again and again', () => {
  const text = `${'/'.repeat(1_000_000)}x`;
  expect(withoutTrailing(text, '/')).toBe(text);
});
