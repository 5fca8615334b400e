import { describe, expect, it } from 'vitest';
import { SNAPSHOT_LIMITS } from '../limits.js';
import { threadWorld } from '../thread/world.js';
import { Following } from './following.js';

function following() {
  let now = 0;
  const covered: number[] = [];
  const world = { ...threadWorld(), clock: { now: () => now, monotonic: () => now } };
  const made = new Following(world, (index) => covered.push(index));
  /** A round of so long, in which `applied` is reached; whether another follows. */
  const round = (milliseconds: number, applied: number): boolean => {
    now += milliseconds;
    made.sent(applied);
    return made.again(applied);
  };
  return { round, covered };
}

describe('a snapshot that follows', () => {
  it('ends with the round after a short one, and then covers nothing more', () => {
    const { round, covered } = following();
    expect([round(60_000, 100), round(3000, 130), round(200, 135)]).toEqual([true, true, true]);
    expect(covered.at(-1)).toBe(135);
    expect(round(100, 140)).toBe(false);
    expect(covered.at(-1)).toBe(135);
  });

  it('ends when it never comes near', () => {
    const { round, covered } = following();
    let rounds = 1;
    while (round(5000, rounds * 10)) rounds++;
    expect(rounds).toBe(SNAPSHOT_LIMITS.roundsMax);
    expect(covered.at(-1)).toBe((rounds - 1) * 10);
  });
});
