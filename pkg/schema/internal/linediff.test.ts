import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from './linediff.js';

const lines = (text: string): readonly string[] => (text === '' ? [] : text.split(' '));

/** Applies the hunks to `before`, and checks the lines that they expect there. */
function patched(before: readonly string[], hunks: string): readonly string[] {
  const out: string[] = [];
  let i = 0;
  for (const line of hunks.split('\n').slice(0, -1)) {
    const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@$/.exec(line);
    if (header !== null) {
      const start = header[2] === '0' ? Number(header[1]) : Number(header[1]) - 1;
      while (i < start) out.push(before[i++]!);
      expect(out.length).toBe(header[4] === '0' ? Number(header[3]) : Number(header[3]) - 1);
      continue;
    }
    if (line[0] !== '+') expect(line.slice(1)).toBe(before[i]);
    if (line[0] === '-') i++;
    else if (line[0] === '+') out.push(line.slice(1));
    else out.push(before[i++]!);
  }
  return [...out, ...before.slice(i)];
}

describe('unifiedDiff', () => {
  const table: readonly (readonly [name: string, before: string, after: string, hunks: string])[] = [
    ['nothing differs', 'a b c', 'a b c', ''],
    ['nothing and nothing', '', '', ''],
    [
      'one line in the middle',
      'a b c d e f g h',
      'a b c d X f g h',
      '@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+X\n f\n g\n h\n',
    ],
    ['the first line', 'a b c d e', 'X b c d e', '@@ -1,4 +1,4 @@\n-a\n+X\n b\n c\n d\n'],
    ['the last line goes', 'a b c d e', 'a b c d', '@@ -2,4 +2,3 @@\n b\n c\n d\n-e\n'],
    ['all is new', '', 'a b', '@@ -0,0 +1,2 @@\n+a\n+b\n'],
    ['all is gone', 'a', '', '@@ -1 +0,0 @@\n-a\n'],
    ['one line only', 'a', 'b', '@@ -1 +1 @@\n-a\n+b\n'],
    [
      'two places, six lines apart: one hunk',
      'x 1 2 3 4 5 6 y',
      'X 1 2 3 4 5 6 Y',
      '@@ -1,8 +1,8 @@\n-x\n+X\n 1\n 2\n 3\n 4\n 5\n 6\n-y\n+Y\n',
    ],
    [
      'two places, seven lines apart: two hunks',
      'x 1 2 3 4 5 6 7 y',
      'X 1 2 3 4 5 6 7 Y',
      '@@ -1,4 +1,4 @@\n-x\n+X\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-y\n+Y\n',
    ],
    // the longest block is found first: the end of the list is matched with the lines after it, not with those before
    [
      'an entry appended to a list',
      '[ { n:a v:null } ] z y x',
      '[ { n:a v:null } { n:b v:null } ] z y x',
      '@@ -1,6 +1,10 @@\n [\n {\n n:a\n+v:null\n+}\n+{\n+n:b\n v:null\n }\n ]\n',
    ],
  ];
  it.each(table)('%s', (_name, before, after, hunks) => {
    expect(unifiedDiff(lines(before), lines(after))).toBe(hunks);
  });

  it('of many lines, common ones begin no match', () => {
    const many = Array.from({ length: 300 }, (_, i) => (i % 2 === 0 ? 'null' : `${i}`));
    const after = [...many.slice(0, 100), 'null', 'null', ...many.slice(100)];
    expect(patched(many, unifiedDiff(many, after))).toEqual(after);
  });

  it('describes how to get from one text to the other, however few steps it may take', () => {
    const few = fc.array(fc.constantFrom('a', 'b', 'c', 'd', '{', '}'), { maxLength: 40 });
    const many = fc.array(fc.constantFrom('null', '{', '}', ...'abcdefghijklmnop'), { minLength: 150, maxLength: 300 });
    for (const of of [few, many]) {
      fc.assert(
        fc.property(of, of, fc.constantFrom(0, 1, 50, 100_000), (before, after, steps) => {
          expect(patched(before, unifiedDiff(before, after, steps))).toEqual(after);
        }),
      );
    }
  });

  it('stops matching when its steps are used up: the rest is replaced as a whole', () => {
    const before = Array.from({ length: 20 }, (_, i) => `${i}`);
    const after = [...before].reverse();
    const replaced = (hunks: string): number => hunks.split('\n').filter((l) => l.startsWith('-')).length;
    expect(replaced(unifiedDiff(before, after))).toBe(19);
    expect(replaced(unifiedDiff(before, after, 0))).toBe(20);
  });
});
