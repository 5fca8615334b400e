import { expect, it } from 'vitest';
import { urlProblem } from './urlsyntax.js';

it.each<readonly [string, string | undefined]>([
  ['https://example.com/a b?c=%#d', undefined],
  ['https://user@[::1]:443/a%20b', undefined],
  ['a:b', undefined],
  ['', undefined],
  ['150%', 'parse "150%": invalid URL escape "%"'],
  ['https://a%zz', 'parse "https://a%zz": invalid URL escape "%zz"'],
  ['https://a%41', 'parse "https://a%41": invalid URL escape "%41"'],
  ['https://h/%2', 'parse "https://h/%2": invalid URL escape "%2"'],
  [':x', 'parse ":x": missing protocol scheme'],
  ['1http://x', 'parse "1http://x": first path segment in URL cannot contain colon'],
  ['https://a b/', 'parse "https://a b/": invalid character " " in host name'],
  ['https://[::1', 'parse "https://[::1": missing \']\' in host'],
  ['https://h:x', 'parse "https://h:x": invalid port ":x" after host'],
  ['https://h/\u007f#%zz', 'parse "https://h/\\x7f": net/url: invalid control character in URL'],
])('%s', (text, problem) => {
  expect(urlProblem(text)).toBe(problem);
});
