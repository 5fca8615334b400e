import fc from 'fast-check';
import { expect, it } from 'vitest';
import { finish, sortInPlace, sortSteps } from './index.js';

it('sorts like Array.prototype.sort, also where items are equal', () => {
  const item = fc.record({ key: fc.nat(20), at: fc.nat() });
  const compare = (a: { key: number }, b: { key: number }): number => a.key - b.key;
  fc.assert(
    fc.property(fc.array(item, { maxLength: 2_500, size: 'max' }), (items) => {
      expect(finish(sortSteps(items, compare))).toEqual([...items].sort(compare));
    }),
    { numRuns: 30 },
  );
});

it('merges runs that are in order already', () => {
  const items = Array.from({ length: 20_000 }, (_, i) => (i + 7_000) % 20_000);
  let compared = 0;
  const sorted = finish(
    sortSteps(items, (a, b) => {
      compared++;
      return a - b;
    }),
  );
  expect(sorted).toEqual(Array.from({ length: 20_000 }, (_, i) => i));
  expect(compared).toBeLessThanOrEqual(2 * items.length);
});

it('pauses, and leaves the list as it is', () => {
  const items = Array.from({ length: 5_000 }, (_, i) => (i * 7_919) % 5_000);
  const given = [...items];
  const compared: number[] = [0];
  const steps = sortSteps(items, (a, b) => {
    compared[compared.length - 1]!++;
    return a - b;
  });
  while (steps.next().done !== true) compared.push(0);
  expect(compared.length).toBeGreaterThan(30);
  expect(Math.max(...compared)).toBeLessThan(10_000);
  expect(items).toEqual(given);
});

it('sorts short and long lists in place, and keeps equal items in order', () => {
  const item = fc.record({ key: fc.nat(9), at: fc.nat() });
  const compare = (a: { key: number }, b: { key: number }): number => a.key - b.key;
  fc.assert(
    fc.property(fc.array(item, { maxLength: 60, size: 'max' }), (items) => {
      const expected = [...items].sort(compare);
      expect(sortInPlace(items, compare)).toBe(items);
      expect(items).toEqual(expected);
    }),
  );
});
