import { expect, it } from 'vitest';
import { Printed } from './badvalue.js';
import { FieldErrors, FieldPath } from './field.js';
import { apiLimits } from './limits.js';

const { fieldErrorsMax, fieldErrorCharactersMax } = apiLimits;
const at = (i: number): FieldPath => FieldPath.of('spec').child('items').index(i);

it('keeps a limited number of errors, in order', () => {
  const errors = new FieldErrors();
  for (let i = 0; i < fieldErrorsMax + 5; i++) errors.required(at(i));
  errors.addAll([{ type: 'InternalError', field: '', message: 'x' }]);
  expect(errors.list).toHaveLength(fieldErrorsMax);
  expect(errors.list.at(-1)).toEqual({
    type: 'FieldValueRequired',
    field: `spec.items[${fieldErrorsMax - 1}]`,
    message: 'Required value',
  });
});

it('shows large values up to a total size', () => {
  const errors = new FieldErrors();
  const value = { a: 'x'.repeat(fieldErrorCharactersMax / 4) };
  for (let i = 0; i < 100; i++) errors.invalid(at(i), value, 'is wrong');
  expect(errors.list.map((e) => e.field)).toEqual([0, 1, 2, 3].map((i) => `spec.items[${i}]`));
});

it('prints long values in steps, with the same text in the same place', () => {
  const value = Array.from({ length: 3_000 }, (_, i) => `<${i}>`);
  const report = (errors: FieldErrors): FieldErrors =>
    errors.required(at(0)).invalid(at(1), value, 'is wrong').required(at(2));
  const whole = new FieldErrors();
  whole.adds(() => report(whole));
  const inSteps = report(new FieldErrors());
  let steps = 0;
  for (const _ of inSteps.steps()) steps++;
  expect(steps).toBeGreaterThan(10);
  expect(inSteps.list).toEqual(whole.list);
  expect(whole.list[1]?.message).toContain('"\\u003c2999\\u003e"]: is wrong');
});

it('prints a long value with a text of its own in a step of its own', () => {
  let printed = 0;
  const text = (): string => `text ${++printed}`;
  const errors = new FieldErrors().invalid(at(0), new Printed(text, Array(1_000).fill(1)), '');
  expect(printed).toBe(0);
  errors.finish();
  errors.invalid(at(0), new Printed(text, [1]), '');
  expect(errors.list.map((e) => e.message)).toEqual(['Invalid value: text 1', 'Invalid value: text 2']);
});

it('does not format errors that it drops', () => {
  const errors = new FieldErrors();
  for (let i = 0; i < fieldErrorsMax; i++) errors.required(at(i));
  const value = {
    get a(): string {
      throw new Error('it was shown');
    },
  };
  errors.invalid(at(0), value, 'is wrong').duplicate(at(0), value).notFound(at(0), value).typeInvalid(at(0), value, '');
  errors.notSupported(at(0), value, ['a']);
  expect(errors.empty).toBe(false);
});

/** Reports the paths of items `of` lists of lists; an item reports its error after those of its list. */
function nested(errors: FieldErrors, lists: number, items: number): void {
  const all = Array.from({ length: lists }, () => Array.from({ length: items }, (_, j) => j));
  errors.required(FieldPath.of('first'));
  errors.each(all, (list, i) => {
    errors.each(list, (j) => errors.required(FieldPath.of('a').index(i).child('b').index(j)));
    errors.required(FieldPath.of('a').index(i));
  });
  errors.required(FieldPath.of('last'));
}

it('checks long lists in pieces, with the errors in the same order', () => {
  const whole = new FieldErrors();
  whole.adds(() => nested(whole, 40, 100));
  const pieces = new FieldErrors();
  nested(pieces, 40, 100);
  let steps = 0;
  for (; pieces.pending; steps++) pieces.step();
  expect(steps).toBeGreaterThanOrEqual((40 * 100) / apiLimits.checkedAtOnce);
  expect(pieces.list).toEqual(whole.list);
  expect(whole.list).toHaveLength(40 * 101 + 2);
});

it('finishes checks that were put off before its errors are read', () => {
  const errors = new FieldErrors();
  errors.each(Array(2 * apiLimits.checkedAtOnce).fill(''), (_, i) => {
    if (i === apiLimits.checkedAtOnce + 1) errors.required(at(i));
  });
  expect(errors.pending).toBe(true);
  expect(errors.empty).toBe(false);
  expect(errors.pending).toBe(false);
});

it('runs what depends on a long list after it', () => {
  const errors = new FieldErrors();
  const found: number[] = [];
  errors.each(Array(2 * apiLimits.checkedAtOnce).fill(''), (_, i) => found.push(i));
  let seen = 0;
  errors.after(() => {
    seen = found.length;
  });
  errors.finish();
  expect(seen).toBe(2 * apiLimits.checkedAtOnce);
});

it('puts off a few items that are expensive, and checks few of them at once', () => {
  const errors = new FieldErrors();
  let checked = 0;
  errors.each(Array(20).fill(''), () => checked++, apiLimits.checkedAtOnce / 4);
  expect(checked).toBe(0);
  for (let before = 0; errors.pending; before = checked) {
    errors.step();
    expect(checked - before).toBeLessThanOrEqual(4);
  }
  expect(checked).toBe(20);
});

it('judges a check when all its items are done', () => {
  const errors = new FieldErrors();
  errors.each(Array(2 * apiLimits.checkedAtOnce).fill(''), () => errors.required(at(0)));
  const judged: boolean[] = [];
  const long = Array(2 * apiLimits.checkedAtOnce).fill('');
  errors.judge(
    () => errors.each(long, () => {}),
    (added) => judged.push(added),
  );
  errors.judge(
    () => errors.each(long, (_, i) => (i === long.length - 1 ? errors.required(at(i)) : undefined)),
    (added) => judged.push(added),
  );
  errors.finish();
  expect(judged).toEqual([false, true]);
});

it('runs a long check in steps, with its errors where it began', () => {
  const found = new FieldErrors();
  let steps = 0;
  const check = function* () {
    for (; steps < 5; steps++) yield undefined;
    found.required(at(1));
  };
  found.required(at(0));
  found.run(check());
  found.required(at(2));
  expect(steps).toBe(0);
  found.step();
  expect([steps, found.pending]).toEqual([0, true]);
  found.step();
  expect([steps, found.pending]).toEqual([1, true]);
  expect(found.list.map((e) => e.field)).toEqual([at(0), at(1), at(2)].map(String));
  expect(found.adds(() => found.run(check()))).toBe(true);
});
