// Shows that the simulation can fail: it detects a peer without one of its protections.

import { describe, expect, it } from 'vitest';
import { CheckFailed } from '../checker.js';
import { PEER_MUTATIONS } from './mutations.js';
import { runPeerSeeds } from './seeds.js';
import { simulatePeers } from './simulate.js';

/** The number of runs within which a mutation must be detected. */
const SEEDS_MAX = 400;
const TIMEOUT = 600_000;

describe('a peer that', () => {
  for (const { name, faults, profile } of PEER_MUTATIONS) {
    it(
      name,
      async () => {
        const { failed } = await runPeerSeeds({ faults, profile, from: 1, count: SEEDS_MAX });
        const [detected] = failed;
        // Detected by a guarantee of the peer, not by a bug of the simulation.
        expect(detected?.failure, `not detected in ${SEEDS_MAX} runs`).toBeInstanceOf(CheckFailed);
        // The same run succeeds with the protection, so the fault was detected and not something else.
        expect((await simulatePeers({ seed: detected!.seed, profile })).failure).toBe(undefined);
      },
      TIMEOUT,
    );
  }
});
