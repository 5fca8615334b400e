// Many runs of production peers in a row.

import { type PeerSimOptions, type PeerSimResult, simulatePeers } from './simulate.js';

export interface PeerSeedsResult {
  readonly runs: number;
  readonly events: number;
  readonly messages: number;
  readonly committed: number;
  readonly readsServed: number;
  readonly starts: number;
  /** The failed runs. Without `goOn` the first failure ends the series. */
  readonly failed: readonly PeerSimResult[];
}

/** Runs `count` seeds from `from` on, up to the first that fails. */
export async function runPeerSeeds(
  options: { readonly from: number; readonly count: number; readonly goOn?: boolean } & Omit<PeerSimOptions, 'seed'>,
): Promise<PeerSeedsResult> {
  const { from, count, goOn = false, ...rest } = options;
  const totals = { runs: 0, events: 0, messages: 0, committed: 0, readsServed: 0, starts: 0 };
  const failed: PeerSimResult[] = [];
  for (let seed = from; seed < from + count && (goOn || failed.length === 0); seed++) {
    const result = await simulatePeers({ ...rest, seed });
    totals.runs++;
    totals.events += result.events;
    totals.messages += result.messages;
    totals.committed += result.committed;
    totals.readsServed += result.readsServed;
    totals.starts += result.starts;
    if (result.failure !== undefined) failed.push(result);
  }
  return { ...totals, failed };
}

/** The command that repeats a run. */
export function replayPeerCommand(seed: number): string {
  return `make simpeer SEED=${seed}`;
}
