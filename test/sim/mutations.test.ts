// Shows that the simulation can fail: it detects a core with one broken rule.

import { describe, expect, it } from 'vitest';
import { RaftInvariantError } from '../../raft/index.js';
import { CheckFailed } from './checker.js';
import { MUTATIONS } from './mutations.js';
import { runSeeds } from './seeds.js';
import { simulate } from './simulate.js';

/** The number of runs within which a mutation must be detected. */
const SEEDS_MAX = 600;
const TIMEOUT = 600_000;

describe('a raft that', () => {
  for (const mutation of MUTATIONS) {
    it(
      mutation.name,
      () => {
        const { failed } = runSeeds({ ...mutation, from: 1, count: SEEDS_MAX });
        const { failure, seed } = failed ?? {};
        // Detected by a guarantee of raft, not by a bug of the simulation.
        expect(failure instanceof CheckFailed || failure instanceof RaftInvariantError, String(failure)).toBe(true);
        // The same run succeeds with the rule, so the fault was detected and not something else.
        const { profile = {} } = mutation;
        expect(simulate({ seed: seed!, profile }).failure).toBe(undefined);
      },
      TIMEOUT,
    );
  }
});
