import { expect, it } from 'vitest';
import { FieldErrors, FieldPath } from '../../api/index.js';
import { checkConstraints } from './constraints.js';

const pattern = '(x+y?)+[a-z]{50}1';

function errorsOf(value: string): FieldErrors {
  const found = new FieldErrors();
  checkConstraints(value, { pattern }, FieldPath.of('spec'), found);
  return found;
}

it('matches a long text in steps', () => {
  for (const [end, isMatch] of [
    ['1', true],
    ['2', false],
  ] as const) {
    const found = errorsOf('x'.repeat(20_000) + end);
    let steps = 0;
    for (const _ of found.steps()) steps++;
    expect(steps).toBeGreaterThan(20);
    expect(found.empty).toBe(isMatch);
  }
});

it('matches a short text at once', () => {
  const found = errorsOf(`${'x'.repeat(51)}1`);
  expect(found.pending).toBe(false);
  expect(found.empty).toBe(true);
});
