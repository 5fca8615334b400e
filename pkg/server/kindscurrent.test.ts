import { describe, expect, it } from 'vitest';
import { Bench } from '../registry/testing.js';
import { kindsCurrent } from './kindscurrent.js';

const never = (): Promise<void> => new Promise(() => {});

describe('the wait for definitions that another peer established', () => {
  it('ends when the cache is fresh and what it has is served', async () => {
    const { world } = await Bench.open();
    const steps: string[] = [];
    const step = (name: string) => async () => {
      await Promise.resolve();
      steps.push(name);
    };
    await kindsCurrent(world, { cache: { fresh: step('fresh') } } as never, { settled: step('settled') });
    expect(steps).toEqual(['fresh', 'settled']);
  });

  it.each<[string, () => Promise<void>, () => Promise<void>]>([
    ['the store does not answer', never, () => Promise.resolve()],
    ['the store refuses', () => Promise.reject(new Error('no leader')), never],
    ['its kinds take long', () => Promise.resolve(), never],
  ])('ends in time if %s', async (_name, fresh, settled) => {
    const { world } = await Bench.open();
    const waiting = kindsCurrent(world, { cache: { fresh } } as never, { settled });
    world.advance(1_000);
    expect(await waiting).toBeUndefined();
  });
});
