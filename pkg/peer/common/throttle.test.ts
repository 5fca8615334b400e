import { describe, expect, it } from 'vitest';
import { threadWorld } from '../thread/world.js';
import { Throttle } from './throttle.js';

const MiB = 2 ** 20;

/** Milliseconds of pause after pieces of 1 MiB that took these times. */
async function rests(...worked: number[]): Promise<number[]> {
  let now = 0;
  let rested = 0;
  const after = (milliseconds: number, f: () => void): (() => void) => {
    rested = milliseconds;
    now += milliseconds;
    queueMicrotask(f);
    return () => {};
  };
  const world = threadWorld();
  const pace = new Throttle(
    { ...world, clock: { now: () => now, monotonic: () => now }, timers: { ...world.timers, after } },
    { bytesPerSecondMax: 10 * MiB, bytesPerSecondMin: 2 * MiB },
  );
  const all: number[] = [];
  for (const milliseconds of worked) {
    now += milliseconds;
    rested = 0;
    await pace.rest(MiB);
    all.push(rested);
  }
  return all;
}

describe('the throttle of a snapshot', () => {
  it('is never above its highest rate', async () => {
    expect(await rests(0, 10, 40)).toEqual([100, 90, 60]);
  });

  it('waits at least as long as a piece took', async () => {
    expect(await rests(80, 200, 10)).toEqual([80, 200, 90]);
  });

  it('does not go below its lowest rate', async () => {
    expect(await rests(300, 499, 800)).toEqual([200, 1, 0]);
  });
});
