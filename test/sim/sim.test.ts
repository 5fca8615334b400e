// Runs thousands of simulated clusters with faults. For millions: make sim SEEDS=1000000.
//
//   SIM_SEEDS=20000 npx vitest run test/sim/sim.test.ts     that many seeds instead of the usual few
//   SIM_FROM=100001 SIM_SEEDS=20000 npx ...                 the same from another seed on
//   SIM_SEED=4711   npx vitest run test/sim/sim.test.ts     only this one

import { describe, expect, it } from 'vitest';
import { replayCommand, runSeeds } from './seeds.js';
import type { SimResult } from './simulate.js';
import { simulate } from './simulate.js';

// make passes empty ones for those not given.
const ONE = process.env['SIM_SEED'] || undefined;
const SEEDS = Number(process.env['SIM_SEEDS'] || 2000);
const FROM = Number(process.env['SIM_FROM'] || 1);
const CHUNK = 250;
const TIMEOUT = 600_000;

function verdict(result: SimResult | undefined): string {
  if (result?.failure === undefined) return 'right';
  return `seed ${result.seed}: ${result.failure.message}\nagain with: ${replayCommand(result.seed)}`;
}

describe('simulated clusters', () => {
  if (ONE !== undefined) {
    it(`seed ${ONE}`, () => expect(verdict(simulate({ seed: Number(ONE) }))).toBe('right'), TIMEOUT);
    return;
  }

  for (let from = FROM; from < FROM + SEEDS; from += CHUNK) {
    const count = Math.min(CHUNK, FROM + SEEDS - from);
    it(
      `keep all guarantees, seeds ${from} to ${from + count - 1}`,
      () => {
        const { failed, ...totals } = runSeeds({ from, count });
        expect(verdict(failed)).toBe('right');
        // Checks that the runs did something: otherwise they would find nothing.
        expect(totals.entries).toBeGreaterThan(count * 20);
        expect(totals.readsServed).toBeGreaterThan(count * 5);
        expect(totals.elections).toBeGreaterThan(count);
      },
      TIMEOUT,
    );
  }

  // Four founders, of which some were replaced: the log of each had four voters, but not the same four.
  it('hang only the disks of a minority, seed 2427', () => expect(verdict(simulate({ seed: 2427 }))).toBe('right'));

  it('are deterministic for a seed', () => {
    const trace = (seed: number): string[] => {
      const lines: string[] = [];
      simulate({ seed, trace: (line) => lines.push(line) });
      return lines;
    };
    expect(trace(12)).toEqual(trace(12));
    expect(trace(12)).not.toEqual(trace(13));
  });
});
