import { expect, it } from 'vitest';
import { EncodingBudget } from './encodings.js';
import { cacheLimits } from './limits.js';

const COST = 1000 + cacheLimits.encodingOverheadBytes;

function owners(n: number) {
  const dropped: number[] = [];
  return { dropped, all: Array.from({ length: n }, (_, i) => ({ dropEncodings: () => dropped.push(i) })) };
}

it('lets the oldest go at the bound, and nothing before', () => {
  const budget = new EncodingBudget(3 * COST);
  const { all, dropped } = owners(5);
  for (const o of all.slice(0, 3)) budget.keep(o, 1000);
  expect([dropped, budget.bytes]).toEqual([[], 3 * COST]);
  for (const o of all.slice(3)) budget.keep(o, 1000);
  expect([dropped, budget.bytes]).toEqual([[0, 1], 3 * COST]);
});

it('counts several encodings of one owner together', () => {
  const budget = new EncodingBudget(3 * COST);
  const { all, dropped } = owners(3);
  budget.keep(all[0]!, 1000);
  budget.keep(all[1]!, 1000);
  budget.keep(all[0]!, 1000);
  budget.keep(all[2]!, 1000);
  expect([dropped, budget.bytes]).toEqual([[0], 2 * COST]);
});

it('is told when an owner has gone', () => {
  const budget = new EncodingBudget(2 * COST);
  const { all, dropped } = owners(3);
  for (const o of all.slice(0, 2)) budget.keep(o, 1000);
  budget.forget(all[0]!);
  budget.forget(all[0]!);
  budget.keep(all[2]!, 1000);
  expect([dropped, budget.bytes]).toEqual([[], 2 * COST]);
});

it('keeps what is larger than the bound by itself', () => {
  const budget = new EncodingBudget(COST);
  const { all, dropped } = owners(2);
  budget.keep(all[0]!, 1000);
  budget.keep(all[1]!, 5000);
  expect(dropped).toEqual([0]);
});
