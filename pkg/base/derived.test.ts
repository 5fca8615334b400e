import { expect, it } from 'vitest';
import { Derived } from './derived.js';

it('makes a value once for each state', async () => {
  const derived = new Derived<string>(0, 'none');
  const make = (): never => {
    throw new Error('made again');
  };
  expect(derived.at(0, make)).toBe('none');
  expect(derived.at(1, () => 'one')).toBe('one');
  expect(derived.at(1, make)).toBe('one');
  const two = derived.at(2, async () => 'two');
  expect(derived.at(2, make)).toBe(two);
  expect(await two).toBe('two');
  expect(derived.at(2, make)).toBe('two');
});

it('does not replace the value of a later state by that of an earlier one', async () => {
  const derived = new Derived<string>(0, 'none');
  let finish = (_: string): void => {};
  const slow = derived.at(1, () => new Promise<string>((resolve) => (finish = resolve)));
  expect(derived.at(2, () => 'two')).toBe('two');
  finish('one');
  expect(await slow).toBe('one');
  expect(derived.at(2, () => 'again')).toBe('two');
});

it('makes a value again after a failure', async () => {
  const derived = new Derived<string>(0, 'none');
  await expect(derived.at(1, () => Promise.reject(new Error('late')))).rejects.toThrow('late');
  expect(derived.at(1, () => 'one')).toBe('one');
  expect(() =>
    derived.at(2, () => {
      throw new Error('at once');
    }),
  ).toThrow('at once');
  expect(derived.at(2, () => 'two')).toBe('two');
});
