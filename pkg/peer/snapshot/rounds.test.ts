import { describe, expect, it } from 'vitest';
import { testWorld } from '../../storage/testworld.js';
import { SNAPSHOT_LIMITS } from '../common/limits.js';
import { threadWorld } from '../thread/world.js';
import { Rounds, untilApplied } from './rounds.js';

function following() {
  let now = 0;
  const covered: number[] = [];
  const world = { ...threadWorld(), clock: { now: () => now, monotonic: () => now } };
  const made = new Rounds(world, (index) => covered.push(index));
  /** Ends a round of this duration that reached `applied`; returns whether another follows. */
  const round = (milliseconds: number, applied: number): boolean => {
    now += milliseconds;
    made.sent(applied);
    return made.again(applied);
  };
  return { round, covered };
}

describe('a snapshot taken in rounds', () => {
  it('ends with the round after a short one', () => {
    const { round, covered } = following();
    expect([round(60_000, 100), round(3000, 130), round(200, 135)]).toEqual([true, true, true]);
    expect(covered.at(-1)).toBe(135);
    expect(round(100, 140)).toBe(false);
    expect(covered.at(-1)).toBe(135);
  });

  it('ends if it never catches up', () => {
    const { round, covered } = following();
    let rounds = 1;
    while (round(5000, rounds * 10)) rounds++;
    expect(rounds).toBe(SNAPSHOT_LIMITS.roundsMax);
    expect(covered.at(-1)).toBe((rounds - 1) * 10);
  });
});

describe('the applied index of a snapshot', () => {
  it('is awaited until it is applied, but not on a peer that stops', async () => {
    let applied = 4;
    let stopped: string | undefined;
    const world = testWorld(0);
    const ended: string[] = [];
    const wait = (index: number) =>
      untilApplied(index, { world, applied: () => applied, stopped: () => stopped }).then(
        () => ended.push(`${index}`),
        (error: Error) => ended.push(error.message),
      );
    const both = [wait(5), wait(6)];
    await world.advance(3);
    expect(ended).toEqual([]);
    applied = 5;
    await world.advance(3);
    expect(ended).toEqual(['5']);
    stopped = 'this peer is closed';
    await world.advance(3);
    expect(ended).toEqual(['5', 'this peer is closed']);
    await Promise.all(both);
  });
});
