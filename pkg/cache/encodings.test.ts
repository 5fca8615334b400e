import { describe, expect, it } from 'vitest';
import { EncodingBudget } from './encodings.js';
import { cacheLimits } from './limits.js';

const COST = 1000 + cacheLimits.encodingOverheadBytes;

/** Returns a budget for `n` encodings of 1,000 bytes. */
function budgetOf(places: number) {
  const clock = { time: 0, now: () => 0, monotonic: () => clock.time };
  const dropped: number[] = [];
  const owners = Array.from({ length: 100 }, (_, i) => ({ dropEncodings: () => dropped.push(i) }));
  const budget = new EncodingBudget(clock, places * COST);
  const keep = (...which: readonly number[]): boolean[] => which.map((i) => budget.keep(owners[i]!, 1000));
  return { clock, dropped, owners, budget, keep };
}

describe('the budget of encodings', () => {
  it('keeps encodings that fit, and prefers those in use to new ones', () => {
    const { budget, keep, dropped } = budgetOf(3);
    expect(keep(0, 1, 2, 3, 4)).toEqual([true, true, true, false, false]);
    expect([dropped, budget.bytes]).toEqual([[], 3 * COST]);
  });

  it('evicts an encoding that was not used for a while', () => {
    const { budget, keep, dropped, clock, owners } = budgetOf(3);
    keep(0, 1, 2);
    clock.time = cacheLimits.encodingKeptTime;
    budget.use(owners[0]!);
    expect(keep(3, 4, 5)).toEqual([true, true, false]);
    expect([dropped, budget.bytes]).toEqual([[1, 2], 3 * COST]);
  });

  it('finds an unused encoding behind many used ones, after several attempts', () => {
    const { budget, keep, dropped, clock, owners } = budgetOf(90);
    keep(...Array.from({ length: 90 }, (_, i) => i));
    clock.time = cacheLimits.encodingKeptTime;
    for (let i = 0; i < 80; i++) budget.use(owners[i]!);
    expect(keep(95, 96)).toEqual([false, false]);
    clock.time += cacheLimits.encodingsLookInterval;
    expect(keep(97)).toEqual([true]);
    expect(dropped).toEqual([80]);
  });

  it('counts several encodings of one owner together', () => {
    const { budget, keep, dropped, clock } = budgetOf(3);
    keep(0, 1, 0);
    clock.time = cacheLimits.encodingKeptTime;
    expect(keep(2)).toEqual([true]);
    expect([dropped, budget.bytes]).toEqual([[0], 2 * COST]);
  });

  it('frees the bytes of an owner that is dropped', () => {
    const { budget, keep, owners } = budgetOf(2);
    keep(0, 1);
    budget.forget(owners[0]!);
    budget.forget(owners[0]!);
    expect(budget.bytes).toBe(COST);
    expect(keep(2)).toEqual([true]);
  });

  it('does not keep an encoding larger than the budget', () => {
    const { budget, owners, dropped } = budgetOf(1);
    expect(budget.keep(owners[0]!, 5000)).toBe(false);
    expect([dropped, budget.bytes]).toEqual([[], 0]);
  });
});
