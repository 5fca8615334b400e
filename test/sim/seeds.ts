// Runs a series of seeds.

import type { SimOptions, SimResult } from './simulate.js';
import { simulate } from './simulate.js';

export interface SeedsResult {
  readonly runs: number;
  readonly entries: number;
  readonly messages: number;
  readonly readsServed: number;
  readonly elections: number;
  /** The first run that failed; it ends the series. */
  readonly failed: SimResult | undefined;
}

/** Runs `count` seeds from `from` on, up to the first that fails. */
export function runSeeds(
  options: { readonly from: number; readonly count: number } & Omit<SimOptions, 'seed'>,
): SeedsResult {
  const { from, count, ...rest } = options;
  const totals = { runs: 0, entries: 0, messages: 0, readsServed: 0, elections: 0 };
  for (let seed = from; seed < from + count; seed++) {
    const result = simulate({ ...rest, seed });
    totals.runs++;
    totals.entries += result.entries;
    totals.messages += result.messages;
    totals.readsServed += result.readsServed;
    totals.elections += result.elections;
    if (result.failure !== undefined) return { ...totals, failed: result };
  }
  return { ...totals, failed: undefined };
}

/** The command that repeats a run. */
export function replayCommand(seed: number): string {
  return `make sim SEED=${seed}`;
}
