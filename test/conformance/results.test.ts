import { describe, expect, it } from 'vitest';
import { judged, type Outcome, optionMissing, type Recorded, reasonOf } from './e2e/results.mjs';

const covered = '[sig-node] ConfigMap should update ConfigMap successfully [Conformance] [NodeConformance]';
const other = '[sig-api-machinery] Watchers should receive events';

const failed: Outcome = { state: 'failed', reason: 'timeout' };
const stateOf = (name: string, before: Recorded): string | undefined =>
  judged('trireme', new Map([[name, failed]]), before).get(name)?.state;

describe('the judgement of end-to-end outcomes', () => {
  it('reports the failure of a spec that passed before, although a rule excludes its like', () => {
    expect(reasonOf(covered)).toBe('needs containers that run');
    expect(stateOf(covered, { [covered]: { trireme: { state: 'passed' } } })).toBe('failed');
    expect(stateOf(covered, {})).toBe('not applicable');
    expect(stateOf(covered, { [covered]: { trireme: failed } })).toBe('not applicable');
  });

  it('excuses a failure that kube-apiserver shares', () => {
    const shared = { 'kube-apiserver': { state: 'failed', reason: 'no image' } } as const;
    expect(stateOf(other, { [other]: shared })).toBe('not applicable');
    expect(stateOf(other, { [other]: { ...shared, trireme: { state: 'passed' } } })).toBe('failed');
    expect(stateOf(other, {})).toBe('failed');
  });

  it('does not run a spec without the options with which it passed', () => {
    const gated = '[sig-apps] Job should create Workload [Alpha] [Feature:OffByDefault]';
    expect(optionMissing(gated, {})).toBe('gates');
    expect(optionMissing(gated, { gates: 'GenericWorkload=true' })).toBeUndefined();
    expect(optionMissing('[sig-network] [Feature:IPv6DualStack] should create', { gates: 'A=true' })).toBe(
      'dual-stack',
    );
    expect(optionMissing(other, {})).toBeUndefined();
  });
});
