import fc from 'fast-check';
import { RE2JS } from 're2js';
import { expect, it } from 'vitest';
import { finish } from '../base/index.js';
import { afterMatch, searchSteps } from './patternsearch.js';

const atoms = [
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  '\\b',
  '\\B',
  '^',
  '$',
  '\\w',
  '\\n',
  '(?i:A)',
  '(?m:^)',
  '(?m:$)',
  '(?s:.)',
  'é',
  '😀',
  '\\z',
];
const pattern = fc.letrec<{ part: string; whole: string }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...atoms),
    fc
      .tuple(tie('whole'), fc.constantFrom('', '*', '+?', '?', '*?', '{2}', '{1,3}'))
      .map(([p, times]) => `(?:${p})${times}`),
    tie('whole').map((p) => `(${p})`),
  ),
  whole: fc.oneof(
    fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
    fc.tuple(tie('part'), tie('part')).map(([a, b]) => `${a}|${b}`),
  ),
})).whole;
const text = fc
  .array(fc.constantFrom('a', 'b', 'A', 'c', '\n', ' ', '_', 'é', '😀', '\ud83d', '\ude00'), { maxLength: 12 })
  .map((letters) => letters.join(''));

it('finds the matches that the engine finds', () => {
  fc.assert(
    fc.property(pattern, text, (p, t) => {
      const expression = RE2JS.compile(p);
      const matcher = expression.matcher(t);
      for (let from = 0; ; ) {
        const found = finish(searchSteps(expression, t, from));
        const isFound = matcher.find();
        expect(found).toEqual(isFound ? { start: matcher.start(), end: matcher.end() } : undefined);
        if (found === undefined) return;
        from = afterMatch(t, found);
      }
    }),
    { numRuns: 3_000 },
  );
});

it('pauses after some thousand alternatives', () => {
  const expression = RE2JS.compile('(?i)(x+y?)+[a-z]{50}1');
  const text = 'x'.repeat(20_000);
  let steps = 0;
  for (const _ of searchSteps(expression, text)) steps++;
  // More than fifty alternatives run at each of the characters.
  expect(steps).toBeGreaterThan((20_000 * 50) / 20_000);
});
