import { describe, expect, it } from 'vitest';
import { testWorld } from '../../storage/testworld.js';
import { Backoff } from './backoff.js';

describe('a peer that cannot receive a snapshot', () => {
  it('is retried after a delay that doubles, up to eight times the first', () => {
    const attempts = new Backoff(testWorld(0), 1000);
    const waits = Array.from({ length: 6 }, () => attempts.failed(1, 'no room').waitMs);
    expect(waits).toEqual([1000, 2000, 4000, 8000, 8000, 8000]);
    expect(attempts.failed(2, 'no room').waitMs).toBe(1000);
    attempts.succeeded(1);
    expect(attempts.failed(1, 'no room').waitMs).toBe(1000);
  });

  it('is logged at its first failure, if the reason changes, and if a new series starts', async () => {
    const world = testWorld(0);
    const attempts = new Backoff(world, 1000);
    const tells = (why: string): readonly boolean[] => [attempts.begins(1), attempts.failed(1, why).isNews];
    expect(tells('17 bytes left')).toEqual([true, true]);
    expect(tells('4 bytes left')).toEqual([false, false]);
    expect(tells('the stream broke')).toEqual([false, true]);
    expect(tells('4 bytes left')).toEqual([false, true]);
    await world.advance(32_000);
    expect(attempts.begins(1)).toBe(false);
    await world.advance(1);
    expect(tells('4 bytes left')).toEqual([true, true]);
    attempts.succeeded(1);
    expect(attempts.begins(1)).toBe(true);
  });
});
