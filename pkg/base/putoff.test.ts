import { expect, it } from 'vitest';
import { finish, PutOff, type Steps } from './index.js';

/** The number of items visited before each pause. */
function pieces(steps: Steps<void>, visited: () => number): number[] {
  const found: number[] = [];
  for (let before = visited(); ; before = visited()) {
    const { done } = steps.next();
    found.push(visited() - before);
    if (done === true) return found;
  }
}

const numbers = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

it('visits short lists at once', () => {
  const seen: number[] = [];
  const later = new PutOff();
  later.each(numbers(5), (n) => seen.push(n));
  expect(seen).toEqual([0, 1, 2, 3, 4]);
  finish(later.steps());
  expect(seen.length).toBe(5);
});

it('puts off long lists, also those in items, and visits every item once', () => {
  const seen = new Map<number, number>();
  const later = new PutOff();
  const visit = (n: number): void => void seen.set(n, (seen.get(n) ?? 0) + 1);
  later.each(numbers(40), (n) => {
    visit(n);
    later.each(numbers(n === 7 ? 3_000 : 20), (m) => visit(1_000_000 + n * 10_000 + m));
  });
  const atOnce = seen.size;
  expect(atOnce).toBeLessThan(400);
  const steps = pieces(later.steps(), () => seen.size);
  expect(Math.max(...steps)).toBeLessThan(600);
  expect(steps.length).toBeGreaterThan(10);
  expect(seen.size).toBe(40 + 39 * 20 + 3_000);
  expect([...seen.values()].every((times) => times === 1)).toBe(true);
});
