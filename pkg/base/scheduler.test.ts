import { describe, expect, it } from 'vitest';
import { finish, Scheduler, Slice, type Steps } from './scheduler.js';
import type { World } from './world.js';

const world = {
  clock: { now: () => 0, monotonic: () => performance.now() },
  timers: { immediate: (f: () => void) => void setImmediate(f) },
} as unknown as World;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Work of this many pieces; each piece records its name. */
function worker(scheduler: Scheduler, name: string, pieces: number, notes: string[]): void {
  let left = pieces;
  const go = (): void => {
    do {
      notes.push(name);
      if (--left === 0) return;
    } while (!scheduler.spent());
    scheduler.later(go);
  };
  if (scheduler.spent()) scheduler.later(go);
  else go();
}

describe('a scheduler', () => {
  it('runs everything at once while there is time', () => {
    const notes: string[] = [];
    worker(new Scheduler(world, Number.POSITIVE_INFINITY), 'a', 5, notes);
    expect(notes).toEqual(['a', 'a', 'a', 'a', 'a']);
  });

  it('grants turns in the order of requests when there is none', async () => {
    const scheduler = new Scheduler(world, -1);
    const notes: string[] = [];
    for (const name of ['a', 'b', 'c']) worker(scheduler, name, 3, notes);
    expect(notes).toEqual([]);
    for (let i = 0; i < 20; i++) await nextTurn();
    expect(notes.join('')).toBe('abcabcabc');
  });

  it('lets other work run between the pieces', async () => {
    const scheduler = new Scheduler(world, -1);
    const notes: string[] = [];
    worker(scheduler, 'list', 100, notes);
    for (let i = 0; i < 10; i++) {
      await nextTurn();
      notes.push('other');
    }
    expect(notes.filter((n) => n === 'other')).toHaveLength(10);
    expect(notes.filter((n) => n === 'list').length).toBeLessThan(20);
  });

  it('resumes one waiting piece of work in each turn', async () => {
    const scheduler = new Scheduler(world, Number.POSITIVE_INFINITY);
    const notes: string[] = [];
    const go = async (name: string): Promise<void> => {
      for (let i = 0; i < 3; i++) {
        await scheduler.yield();
        notes.push(name);
      }
    };
    const all = Promise.all(['a', 'b', 'c'].map(go));
    const end = all.then(() => notes.push('end'));
    while (!notes.includes('end')) {
      await nextTurn();
      notes.push('|');
    }
    await end;
    const turns = notes.join('').replace('end', '').split('|');
    expect(Math.max(...turns.map((t) => t.length))).toBe(1);
    expect(turns.join('')).toBe('abcabcabc');
  });
});

describe('a slice', () => {
  function* count(to: number, notes: string[]): Steps<number> {
    for (let i = 0; i < to; i++) {
      notes.push('step');
      yield;
    }
    return to;
  }

  it('runs steps at once while there is time', () => {
    const slice = new Slice(world, new Scheduler(world, 1), Number.POSITIVE_INFINITY);
    expect(slice.run(count(5, []))).toBe(5);
    expect(finish(count(5, []))).toBe(5);
  });

  it('yields between steps when there is none', async () => {
    const slice = new Slice(world, new Scheduler(world, Number.POSITIVE_INFINITY), -1);
    const notes: string[] = [];
    const result = slice.run(count(3, notes));
    expect(notes).toEqual(['step']);
    for (let i = 0; i < 3; i++) {
      await nextTurn();
      notes.push('|');
    }
    expect(await result).toBe(3);
    expect(notes.join('')).toBe('stepstep|step||');
  });

  it('yields after a stage that took the rest of the time', async () => {
    let now = 0;
    const timed: World = { ...world, clock: { ...world.clock, monotonic: () => now } };
    const slice = new Slice(timed, new Scheduler(timed, Number.POSITIVE_INFINITY), 8);
    // biome-ignore lint/correctness/useYield: a stage of one step
    function* stage(milliseconds: number): Steps<string> {
      now += milliseconds;
      return 'result';
    }
    expect(slice.run(stage(5))).toBe('result');
    let ended = false;
    const result = Promise.resolve(slice.run(stage(5))).finally(() => {
      ended = true;
    });
    for (let i = 0; i < 10; i++) await Promise.resolve();
    expect(ended).toBe(false);
    expect(await result).toBe('result');
    expect(slice.spent()).toBe(false);
  });

  it('counts all stages of a request in one turn together', async () => {
    let now = 0;
    const timed: World = { ...world, clock: { ...world.clock, monotonic: () => now } };
    const slice = new Slice(timed, new Scheduler(timed, Number.POSITIVE_INFINITY), 8);
    now += 5;
    expect(slice.spent()).toBe(false);
    await Promise.resolve();
    now += 5;
    expect(slice.spent()).toBe(true);
    // The request waited for something else: it has a new turn.
    await nextTurn();
    expect(slice.spent()).toBe(false);
    now += 5;
    expect(slice.spent()).toBe(false);
  });

  /** A clock set by hand, and slices of one scheduler on it. */
  function timed(): { work(slice: Slice, milliseconds: number): boolean; slice(): Slice } {
    let now = 0;
    const timedWorld: World = { ...world, clock: { ...world.clock, monotonic: () => now } };
    const scheduler = new Scheduler(timedWorld, Number.POSITIVE_INFINITY);
    const work = (slice: Slice, milliseconds: number): boolean => {
      now += milliseconds;
      return slice.spent();
    };
    return { work, slice: () => new Slice(timedWorld, scheduler, 8) };
  }

  it('does not count what other requests do between its stages', () => {
    const { work, slice } = timed();
    const [a, b] = [slice(), slice()];
    expect(work(a, 5)).toBe(false);
    expect(work(b, 5)).toBe(false);
    expect(work(a, 2)).toBe(false);
    expect(work(b, 2)).toBe(false);
    expect(work(a, 2)).toBe(true);
    expect(work(b, 0)).toBe(false);
  });

  it('lets only requests with little work continue in a long turn', () => {
    const { work, slice } = timed();
    const [few, many] = [slice(), slice()];
    expect(work(few, 1)).toBe(false);
    expect(work(many, 2)).toBe(false);
    for (const other of [slice(), slice(), slice(), slice()]) expect(work(other, 7)).toBe(false);
    expect(work(many, 0)).toBe(false);
    expect(work(slice(), 2)).toBe(true);
    expect(work(few, 0)).toBe(false);
    expect(work(many, 0)).toBe(true);
    expect(work(few, 1)).toBe(true);
  });
});
