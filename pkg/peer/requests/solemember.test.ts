import { describe, expect, it } from 'vitest';
import { type Configuration, emptyConfiguration, toPeerId } from '../../../raft/index.js';
import { SoleMember } from './solemember.js';

const SELF = toPeerId(1);
const OTHER = toPeerId(2);
const alone: Configuration = { ...emptyConfiguration(), voters: [SELF] };

function surroundings() {
  const now = { configuration: alone, isCommitted: true };
  const sole = new SoleMember({
    self: SELF,
    configuration: () => now.configuration,
    leadsByCommitted: () => now.isCommitted,
  });
  return { now, sole };
}

describe('the only member', () => {
  it('is in one period until the configuration has another one', () => {
    const { now, sole } = surroundings();
    const first = sole.period();
    expect(first).not.toBe(0);
    expect(sole.cell[0]).toBe(first);
    sole.reconfigured();
    expect(sole.period()).toBe(first);
    now.configuration = { ...alone, learners: [OTHER] };
    sole.reconfigured();
    expect(sole.cell[0]).toBe(0);
    expect(sole.period()).toBe(0);
    now.configuration = alone;
    expect(sole.period()).not.toBe(first);
    expect(sole.cell[0]).not.toBe(0);
  });

  it('is not known to be that before its configuration is committed', () => {
    const { now, sole } = surroundings();
    now.isCommitted = false;
    expect(sole.period()).toBe(0);
    expect(sole.cell[0]).toBe(0);
    now.isCommitted = true;
    expect(sole.period()).not.toBe(0);
  });

  it.each([
    { ...alone, voters: [SELF, OTHER] },
    { ...alone, votersOutgoing: [SELF, OTHER] },
    { ...alone, voters: [OTHER] },
    emptyConfiguration(),
  ])('does not begin a period with the configuration %j', (configuration) => {
    const { now, sole } = surroundings();
    now.configuration = configuration;
    expect(sole.period()).toBe(0);
    expect(sole.cell[0]).toBe(0);
  });
});
