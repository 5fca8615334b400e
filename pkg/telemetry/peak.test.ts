import { expect, it } from 'vitest';
import { RecentPeak } from './peak.js';

it('the highest level of the last seconds ends with them', () => {
  const peak = new RecentPeak();
  peak.add(1, 0);
  peak.add(1, 10);
  peak.add(-2, 20);
  expect(peak.peak(30)).toBe(2);
  expect(peak.peak(1500)).toBe(2);
  expect(peak.peak(2500)).toBe(0);
  peak.add(1, 2600);
  // A level that stays is not forgotten.
  expect(peak.peak(60_000)).toBe(1);
});
