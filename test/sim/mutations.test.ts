// The simulation can fail: raft with one sentence wrong is found out.

import { describe, expect, it } from 'vitest';
import { RaftInvariantError } from '../../raft/index.js';
import { CheckFailed } from './checker.js';
import { MUTATIONS } from './mutations.js';
import { runSeeds } from './seeds.js';

/** Runs that a mutation may get through before it has to be caught. */
const SEEDS_MAX = 600;
const TIMEOUT = 600_000;

describe('a raft that', () => {
  for (const mutation of MUTATIONS) {
    it(
      mutation.name,
      () => {
        const { failed } = runSeeds({ ...mutation, from: 1, count: SEEDS_MAX });
        const { failure } = failed ?? {};
        // Caught by what raft promises, not by a bug of the simulation.
        expect(failure instanceof CheckFailed || failure instanceof RaftInvariantError, String(failure)).toBe(true);
      },
      TIMEOUT,
    );
  }
});
