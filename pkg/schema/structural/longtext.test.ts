import { expect, it } from 'vitest';
import { FieldErrors, FieldPath, type JsonValue } from '../../api/index.js';
import type { Constraints } from '../types.js';
import { checkConstraints } from './constraints.js';

const pattern = '(x+y?)+[a-z]{50}1';

function errorsOf(value: JsonValue, constraints: Constraints = { pattern }): FieldErrors {
  const found = new FieldErrors();
  checkConstraints(value, constraints, FieldPath.of('spec'), found);
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

it('matches long texts in branches of combinations in steps', () => {
  const inside: Constraints = {
    anyOf: [{ properties: new Map([['a', { pattern }]]) }, { not: { items: { pattern } } }],
  };
  const text = 'x'.repeat(20_000);
  for (const [value, constraints, isValid] of [
    [`${text}1`, { allOf: [{ pattern }] }, true],
    [text, { anyOf: [{ maxLength: 1 }, { pattern }] }, false],
    [text, { not: { pattern } }, true],
    [{ a: `${text}1` }, inside, true],
    [[`${text}1`], { allOf: [inside] }, true],
  ] as const satisfies readonly (readonly [JsonValue, Constraints, boolean])[]) {
    const found = errorsOf(value as JsonValue, constraints);
    let steps = 0;
    for (const _ of found.steps()) steps++;
    expect(steps).toBeGreaterThan(20);
    expect(found.empty).toBe(isValid);
  }
});
