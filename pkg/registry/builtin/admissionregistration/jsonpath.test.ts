import { expect, it } from 'vitest';
import { jsonPathProblem } from './jsonpath.js';

it.each([
  'spec.validations[0].expression',
  '.spec',
  'a b',
  'a/b/c',
  '$',
  '@',
  'a.',
  '..a',
  "['a']",
  'x_y',
  '-1',
  '1.5',
  '1a',
  'é',
  '"x"',
  'a:b',
  '',
  'a[*]',
  'a[0:2,1]',
])('%s is a JSONPath', (text) => {
  expect(jsonPathProblem(text)).toBeUndefined();
});

it.each([
  ['-a', 'cannot parse number -'],
  ['10.0.0.300', 'cannot parse number 10.0.0.300'],
  ['a[0', 'unterminated array'],
  ['a[x]', 'invalid array index x'],
  ['*', "unrecognized character in action: U+002A '*'"],
  ['a,b', "unrecognized character in action: U+002C ','"],
  ['(a)', "unrecognized character in action: U+0028 '('"],
  ["'", 'unterminated quoted string'],
  ['[?(@.a', 'unterminated filter'],
])('%s is none', (text, problem) => {
  expect(jsonPathProblem(text)).toBe(problem);
});
