import { expect, it } from 'vitest';
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
