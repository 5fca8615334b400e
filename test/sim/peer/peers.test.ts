// Clusters of production peers on a simulated clock, network and disk.
//
//   PEER_SEEDS=10000 npx vitest run test/sim/peer     that many seeds instead of the usual few
//   PEER_SEED=4711   npx vitest run test/sim/peer     only this one

import { describe, expect, it } from 'vitest';
import { replayPeerCommand, runPeerSeeds } from './seeds.js';
import { type PeerSimOptions, type PeerSimResult, simulatePeers } from './simulate.js';

// make passes empty ones for those not given.
const ONE = process.env['PEER_SEED'] || undefined;
const SEEDS = Number(process.env['PEER_SEEDS'] || 1000);
const CHUNK = 100;

const TIMEOUT = 3_600_000;

interface FailedRun extends Required<Pick<PeerSimOptions, 'seed' | 'profile' | 'without'>> {
  readonly what: string;
}

/** Runs that failed once, without the faults that the simulation did not have at that time. */
const FAILED: readonly FailedRun[] = [
  {
    seed: 200817,
    profile: { listMs: 0 },
    without: ['isolateRemoval', 'badEntry', 'badSnapshot'],
    what: 'a founder that had not taken part meets the cluster that its operator restored meanwhile',
  },
  ...[402889, 452020].map((seed) => ({
    seed,
    profile: {},
    without: ['badEntry', 'badSnapshot'] as const,
    what: 'a cut is planned before the phase without faults',
  })),
  {
    seed: 450536,
    profile: {},
    without: ['badEntry', 'badSnapshot'],
    what: 'a peer that was rolled back stops, as it must, after all members have run',
  },
  {
    seed: 401193,
    profile: {},
    without: [],
    what: 'a peer that was rolled back is the first to apply the change for which it stops',
  },
  { seed: 16288, profile: {}, without: [], what: 'the power fails while a snapshot is restored' },
  { seed: 16942, profile: {}, without: [], what: 'the disk is so full that no file can be created' },
  { seed: 7884, profile: {}, without: [], what: 'a removal of unknown outcome is committed after the disk was lost' },
];

function verdict(result: PeerSimResult | undefined): string {
  if (result?.failure === undefined) return 'right';
  return `seed ${result.seed}: ${result.failure.message}\nagain with: ${replayPeerCommand(result.seed)}`;
}

describe('simulated production peers', () => {
  if (ONE !== undefined) {
    it(`seed ${ONE}`, async () => expect(verdict(await simulatePeers({ seed: Number(ONE) }))).toBe('right'), TIMEOUT);
    return;
  }

  for (let from = 1; from <= SEEDS; from += CHUNK) {
    const count = Math.min(CHUNK, SEEDS - from + 1);
    it(
      `keep all guarantees, seeds ${from} to ${from + count - 1}`,
      async () => {
        const { failed, ...totals } = await runPeerSeeds({ from, count });
        expect(verdict(failed[0])).toBe('right');
        // Checks that enough happened in the runs: otherwise they would find nothing.
        expect(totals.committed).toBeGreaterThan(count * 10);
        expect(totals.readsServed).toBeGreaterThan(count * 5);
        expect(totals.starts).toBeGreaterThan(count * 4);
      },
      TIMEOUT,
    );
  }

  for (const { seed, profile, without, what } of FAILED) {
    it(`keep all guarantees, seed ${seed}: ${what}`, async () => {
      expect(verdict(await simulatePeers({ seed, profile, without }))).toBe('right');
    });
  }

  it('are deterministic for a seed', async () => {
    const trace = async (seed: number): Promise<string[]> => {
      const lines: string[] = [];
      await simulatePeers({ seed, trace: (line) => lines.push(line) });
      return lines;
    };
    for (const seed of [1, 2, 3, 4, 5]) {
      const first = await trace(seed);
      expect(first.length).toBeGreaterThan(100);
      expect(await trace(seed)).toEqual(first);
    }
    expect(await trace(1)).not.toEqual(await trace(2));
  });
});
