// The simulation can fail: a peer that lacks one of its protections is found out.

import { describe, expect, it } from 'vitest';
import { CheckFailed } from '../checker.js';
import { PEER_MUTATIONS } from './mutations.js';
import { runPeerSeeds } from './seeds.js';

/** Runs that a mutation may get through before it has to be caught. */
const SEEDS_MAX = 400;
const TIMEOUT = 600_000;

describe('a peer that', () => {
  for (const { name, faults, profile } of PEER_MUTATIONS) {
    it(
      name,
      async () => {
        const { failed } = await runPeerSeeds({ faults, profile, from: 1, count: SEEDS_MAX });
        // Caught by what a peer promises, not by a bug of the simulation.
        expect(failed[0]?.failure, `not caught in ${SEEDS_MAX} runs`).toBeInstanceOf(CheckFailed);
      },
      TIMEOUT,
    );
  }
});
