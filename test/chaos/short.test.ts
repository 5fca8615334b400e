import { describe, expect, it } from 'vitest';
import { isBuilt } from './cluster.js';
import { FIVE_PEERS, SPLIT_MEMBER_FAULTS } from './membership.js';
import { FAULTS } from './nemesis.js';
import { runChaos } from './run.js';

if (!isBuilt) console.warn('chaos skipped: dist/ is missing (npm run build)');

/** The faults that every change is tested with; `make chaos` draws from all of them. */
const SHORT = ['kill the leader', 'isolate the leader', 'pause the leader', 'messages from the leader are lost'];

describe.skipIf(!isBuilt)('three peers under faults', () => {
  it('keep all guarantees', async () => {
    const faults = SHORT.map((name) => FAULTS.find((f) => f.name === name)!);
    const result = await runChaos({ seed: 1, faults });
    expect(result.judgement.violations).toEqual([]);
    expect(result.deaths).toEqual([]);
    expect(result.judgement.undecided).toEqual([]);
    expect(result.struck.length).toBe(SHORT.length);
    // The check is meaningful only if there were operations.
    expect(result.acknowledged).toBeGreaterThan(50);
    expect(result.judgement.events).toBeGreaterThan(100);
  });
});

describe.skipIf(!isBuilt)('five peers with membership changes during partitions', () => {
  it('keep all guarantees', async () => {
    const result = await runChaos({ seed: 2, faults: SPLIT_MEMBER_FAULTS, cluster: { names: FIVE_PEERS } });
    expect(result.judgement.violations).toEqual([]);
    expect(result.deaths).toEqual([]);
    expect(result.judgement.undecided).toEqual([]);
    expect(result.struck.length).toBe(SPLIT_MEMBER_FAULTS.length);
    expect(result.acknowledged).toBeGreaterThan(50);
  });
});
