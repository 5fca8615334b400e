import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { initialConfiguration, isJoint, leaveJoint, members, planChange } from './membership.js';
import { isQuorum, quorumIndex } from './quorum.js';
import type { Configuration, LogIndex, MemberChange, PeerId } from './types.js';
import { toLogIndex, toPeerId } from './types.js';

const ids = fc.uniqueArray(fc.integer({ min: 1, max: 6 }).map(toPeerId), { maxLength: 5 });
const sorted = (list: readonly PeerId[]) => [...list].sort((a, b) => a - b);
const configuration = fc.record({ voters: ids, votersOutgoing: ids }).map(
  ({ voters, votersOutgoing }): Configuration => ({
    voters: sorted(voters),
    votersOutgoing: sorted(votersOutgoing),
    learners: [],
    learnersNext: [],
  }),
);

/** Every set of peers 1..6. */
const subsets = Array.from({ length: 64 }, (_, bits) => {
  return new Set([1, 2, 3, 4, 5, 6].filter((id) => (bits >> (id - 1)) & 1).map(toPeerId));
});

const quorumsOf = (config: Configuration) => subsets.filter((set) => isQuorum(config, (id) => set.has(id)));

describe('quorum', () => {
  it('counts majorities of both halves (paper 5.2, section 6)', () => {
    const config: Configuration = {
      voters: [1, 2, 3].map(toPeerId),
      votersOutgoing: [3, 4, 5].map(toPeerId),
      learners: [],
      learnersNext: [],
    };
    const has = (...which: number[]) => isQuorum(config, (id) => which.includes(id));
    expect([has(1, 2), has(3, 4), has(1, 3, 4), has(1, 2, 4, 5), has(1, 2, 4)]).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
  });

  it('finds no quorum without voters', () => {
    expect(isQuorum(initialConfiguration([]), () => true)).toBe(false);
    expect(quorumIndex(initialConfiguration([]), () => toLogIndex(7))).toBe(0);
  });

  it('any two quorums of one configuration share a peer', () => {
    fc.assert(
      fc.property(configuration, (config) => {
        for (const a of quorumsOf(config)) {
          for (const b of quorumsOf(config)) if (![...a].some((id) => b.has(id))) return false;
        }
        return true;
      }),
      { numRuns: 50 },
    );
  });

  it('commits exactly the highest index that a quorum has', () => {
    const indexes = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(configuration, indexes, (config, at) => {
        fc.pre(config.voters.length > 0);
        const indexOf = (id: PeerId) => at[id - 1] as LogIndex;
        const committed = quorumIndex(config, indexOf);
        expect(isQuorum(config, (id) => indexOf(id) >= committed)).toBe(true);
        expect(isQuorum(config, (id) => indexOf(id) > committed)).toBe(false);
      }),
    );
  });
});

describe('membership', () => {
  const change = fc.record({
    kind: fc.constantFrom<MemberChange['kind']>('addVoter', 'addLearner', 'remove'),
    id: fc.integer({ min: 1, max: 6 }).map(toPeerId),
  });

  it('every step of a change shares a peer in any two quorums with the step before it (dissertation 4.2, 4.3)', () => {
    fc.assert(
      fc.property(ids, fc.array(change, { maxLength: 4 }), (voters, changes) => {
        fc.pre(voters.length > 0);
        const before = initialConfiguration(voters);
        const plan = planChange(before, changes);
        if (plan.kind === 'invalid') return;
        const steps = [before, plan.config, ...(isJoint(plan.config) ? [leaveJoint(plan.config)] : [])];
        for (let i = 1; i < steps.length; i++) {
          for (const a of quorumsOf(steps[i - 1]!)) {
            for (const b of quorumsOf(steps[i]!)) expect([...a].some((id) => b.has(id))).toBe(true);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it('leads to the requested configuration', () => {
    fc.assert(
      fc.property(ids, fc.array(change, { maxLength: 4 }), (voters, changes) => {
        fc.pre(voters.length > 0);
        const plan = planChange(initialConfiguration(voters), changes);
        if (plan.kind === 'invalid') return;
        const end = isJoint(plan.config) ? leaveJoint(plan.config) : plan.config;
        for (const { kind, id } of changes) {
          expect(end.voters.includes(id)).toBe(kind === 'addVoter');
          expect(end.learners.includes(id)).toBe(kind === 'addLearner');
        }
        const untouched = voters.filter((id) => !changes.some((c) => c.id === id));
        expect(untouched.every((id) => end.voters.includes(id))).toBe(true);
        expect(members(end).length).toBe(end.voters.length + end.learners.length);
      }),
    );
  });
});
