import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bootstrapFlowControl } from './bootstrap.js';
import { allocate, type Claim, seatLimits, smoothed } from './borrowing.js';
import { flowConfig } from './config.js';
import { DemandIntegrator } from './demand.js';

const SERVER_SEATS = 600;
const { prioritylevelconfigurations } = bootstrapFlowControl();
const { levels } = flowConfig([], prioritylevelconfigurations);
const byName = (values: readonly number[]) => Object.fromEntries(levels.map(({ name }, i) => [name, values[i]]));

describe('the seats of the bootstrap levels', () => {
  const limits = seatLimits(levels, SERVER_SEATS);

  it('are divided by shares, as kube-apiserver 1.37 reports them', () => {
    expect(byName(limits.map(({ nominal }) => nominal))).toEqual({
      exempt: 0,
      'catch-all': 13,
      'global-default': 49,
      'leader-election': 25,
      'node-high': 98,
      system: 74,
      'workload-high': 98,
      'workload-low': 245,
    });
    expect(byName(limits.map(({ lower }) => lower))).toEqual({
      exempt: 0,
      'catch-all': 13,
      'global-default': 24,
      'leader-election': 25,
      'node-high': 73,
      system: 50,
      'workload-high': 49,
      'workload-low': 24,
    });
  });

  it('are lent by levels without demand, as kube-apiserver 1.37 reports it for an idle server', () => {
    const claims = levels.map((level, i) => ({
      ...limits[i]!,
      exempt: level.exempt,
      smoothedDemand: 0,
      highWatermark: level.exempt ? 1 : 0,
    }));
    const { seats, fairFraction } = allocate(claims, SERVER_SEATS);
    expect(fairFraction).toBeCloseTo(599 / 258, 6);
    expect(byName(seats)).toEqual({
      exempt: 1,
      'catch-all': 30,
      'global-default': 56,
      'leader-election': 58,
      'node-high': 169,
      system: 116,
      'workload-high': 114,
      'workload-low': 56,
    });
  });
});

const claim: fc.Arbitrary<Claim> = fc
  .record({
    nominal: fc.nat(300),
    lendable: fc.nat(100),
    borrowing: fc.nat(300),
    smoothedDemand: fc.double({ min: 0, max: 1000, noNaN: true }),
    highWatermark: fc.nat(1000),
    exempt: fc.boolean(),
  })
  .map(({ nominal, lendable, borrowing, ...rest }) => ({
    ...rest,
    nominal,
    lower: nominal - Math.round((nominal * lendable) / 100),
    upper: nominal + borrowing,
  }));

describe('an allocation', () => {
  it('gives every level its minimum, at most its upper limit, and in total no more than available', () => {
    fc.assert(
      fc.property(
        fc.array(claim, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 2000 }),
        (claims, seats) => {
          const result = allocate(claims, seats);
          const floors = claims.map((c) => Math.max(c.lower, Math.min(c.nominal, c.highWatermark)));
          const limited = claims.flatMap((c, i) => (c.exempt ? [] : [i]));
          for (const i of limited) {
            expect(result.seats[i]).toBeGreaterThanOrEqual(Math.max(floors[i]!, 1));
            expect(result.seats[i]).toBeLessThanOrEqual(Math.max(claims[i]!.upper, floors[i]!, 1));
          }
          const floorSum = limited.reduce((sum, i) => sum + Math.max(floors[i]!, 1), 0);
          const sum = limited.reduce((total, i) => total + result.seats[i]!, 0);
          // Each level is rounded separately.
          expect(sum).toBeLessThanOrEqual(Math.max(seats, floorSum) + limited.length);
        },
      ),
    );
  });

  it('gives more to the level with more demand if their limits are the same', () => {
    const one = { nominal: 50, lower: 10, upper: 600, exempt: false, highWatermark: 0 };
    const { seats } = allocate(
      [
        { ...one, smoothedDemand: 100 },
        { ...one, smoothedDemand: 300 },
      ],
      100,
    );
    expect(seats).toEqual([25, 75]);
  });
});

describe('the demand', () => {
  it('is weighted by time', () => {
    const demand = new DemandIntegrator(0);
    demand.set(10, 0);
    demand.set(0, 2500);
    expect(demand.reset(10_000)).toEqual({ average: 2.5, deviation: Math.sqrt(25 - 6.25), highWatermark: 10 });
    expect(demand.reset(20_000)).toEqual({ average: 0, deviation: 0, highWatermark: 0 });
  });

  it('rises at once and falls slowly when smoothed', () => {
    const high = { average: 80, deviation: 20, highWatermark: 100 };
    const none = { average: 0, deviation: 0, highWatermark: 0 };
    expect(smoothed(3, high)).toBe(100);
    expect(smoothed(100, none)).toBeCloseTo(97.7);
  });
});
