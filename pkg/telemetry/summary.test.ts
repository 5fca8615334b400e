import { describe, expect, it } from 'vitest';
import { Exposition, SummaryFamily, TimedHistogramFamily } from './index.js';

const HOUR = 3_600_000;

describe('a summary', () => {
  it('has quantiles that are at most 1 % wrong', () => {
    const family = new SummaryFamily({ name: 's', help: 'h' }, ['l'], () => 0);
    const cell = family.add('x');
    for (let i = 1; i <= 1000; i++) family.observe(cell, i / 1000, 0);
    const { values } = family.get();
    const quantiles = values.slice(0, 3);
    expect(quantiles.map(({ labels }) => labels['quantile'])).toEqual([0.5, 0.9, 0.99]);
    for (const { labels, value } of quantiles)
      expect(Math.abs(value / Number(labels['quantile']) - 1)).toBeLessThan(0.011);
    expect(values.slice(3).map(({ value }) => value)).toEqual([expect.closeTo(500.5), 1000]);
  });

  it('forgets observations for its quantiles after five hours, but not for its totals', () => {
    let now = 0;
    const family = new SummaryFamily({ name: 's', help: 'h' }, [], () => now);
    const cell = family.add();
    family.observe(cell, 4, now);
    now = 3 * HOUR;
    family.observe(cell, 1, now);
    const median = (): number => family.get().values[0]!.value;
    const high = (): number => family.get().values[2]!.value;
    expect([median(), high()]).toEqual([expect.closeTo(1, 1), expect.closeTo(4, 1)]);
    now = 5 * HOUR;
    expect(high()).toBeCloseTo(1, 1);
    now = 9 * HOUR;
    expect(median()).toBeNaN();
    expect(
      family
        .get()
        .values.slice(3)
        .map(({ value }) => value),
    ).toEqual([5, 2]);
  });

  it('is exposed in the text format', async () => {
    const family = new SummaryFamily({ name: 's', help: 'h' }, ['l'], () => 0);
    family.observe(family.add('x'), 0, 0);
    const exposition = new Exposition({ process: false });
    exposition.add(family);
    const text = (await exposition.scrape('text')).toString();
    expect(text).toContain('# TYPE s summary\ns{l="x",quantile="0.5"} ');
    expect(text).toContain('s_sum{l="x"} 0\ns_count{l="x"} 1');
  });
});

describe('a timed histogram', () => {
  it('counts nanoseconds until it is read', () => {
    let now = 5;
    const family = new TimedHistogramFamily({ name: 't', help: 'h' }, [], [0, 0.5, 1], () => now);
    const ratio = family.at();
    ratio.limit(4, now);
    now = 6.5;
    ratio.add(2, now);
    now = 6.75;
    const values = (): readonly number[] => family.get().values.map(({ value }) => value);
    expect(values()).toEqual([1_500_000, 1_750_000, 1_750_000, 1_750_000, 125_000, 1_750_000]);
    family.reset();
    now = 7.75;
    expect(values()).toEqual([0, 1_000_000, 1_000_000, 1_000_000, 500_000, 1_000_000]);
    expect(family.at()).toBe(ratio);
  });
});
