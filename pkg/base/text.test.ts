import { expect, it } from 'vitest';
import { shellWord, withoutTrailing } from './text.js';

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

it.each([
  ['/a/b.kubeconfig', '/a/b.kubeconfig'],
  ['/odd place/b', "'/odd place/b'"],
  ["/it's/$b", String.raw`'/it'\''s/$b'`],
  ['', "''"],
])('%j is %j in a shell', (text, expected) => {
  expect(shellWord(text)).toBe(expected);
});
