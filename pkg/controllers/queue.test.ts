import { expect, it } from 'vitest';
import { ApiError } from '../api/index.js';
import { TestWorld } from '../registry/testing.js';
import { WorkQueue } from './queue.js';

/** A queue with one worker, whose work ends when the test decides. */
function bench() {
  const world = new TestWorld();
  const done: string[] = [];
  const failures: string[] = [];
  let end: (error?: Error) => void = () => {};
  const queue = new WorkQueue({
    world,
    workers: 1,
    sync: (key) =>
      new Promise((resolve, reject) => {
        end = (error) => {
          if (error === undefined) done.push(key);
          error === undefined ? resolve() : reject(error);
        };
      }),
    failed: (key) => failures.push(key),
  });
  const finish = async (error?: Error): Promise<void> => {
    end(error);
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  return { world, queue, done, failures, finish };
}

it('holds a key once while it waits, and once more while it is processed', async () => {
  const { queue, done, finish } = bench();
  for (const key of ['a', 'a', 'b']) queue.add(key);
  expect(queue.counts).toMatchObject({ depth: 2, adds: 2 });
  queue.start();
  queue.add('a');
  queue.add('a');
  expect(queue.counts).toMatchObject({ depth: 2, adds: 3 });
  for (let i = 0; i < 3; i++) await finish();
  expect(done).toEqual(['a', 'b', 'a']);
  expect(queue.counts).toMatchObject({ depth: 0, outstanding: 0, adds: 3, retries: 0 });
});

it('retries a failed key after a delay, and counts the retry', async () => {
  const { world, queue, done, failures, finish } = bench();
  queue.start();
  queue.add('a');
  await finish(new Error('not yet'));
  expect(failures).toEqual(['a']);
  expect(queue.counts).toMatchObject({ depth: 0, outstanding: 1, adds: 1, retries: 1 });
  world.advance(50);
  await finish();
  expect(done).toEqual(['a']);
  expect(queue.counts).toMatchObject({ depth: 0, adds: 2, retries: 1 });
});

it('does not report conflicts of a key before the sixth in a row', async () => {
  const { world, queue, done, failures, finish } = bench();
  queue.start();
  queue.add('a');
  for (let i = 0; i < 5; i++) {
    await finish(new ApiError(409, 'Conflict', 'the object has been modified'));
    world.advance(60_000);
  }
  expect(failures).toEqual([]);
  expect(queue.counts).toMatchObject({ retries: 5 });
  await finish(new ApiError(409, 'Conflict', 'the object has been modified'));
  expect(failures).toEqual(['a']);
  world.advance(60_000);
  await finish();
  queue.add('a');
  await finish(new ApiError(409, 'Conflict', 'the object has been modified'));
  expect(failures).toEqual(['a']);
  expect(done).toEqual(['a']);
});

it('processes a delayed key at the earliest of its times', async () => {
  const { world, queue, done, finish } = bench();
  queue.start();
  for (const wait of [1000, 500, 2000]) queue.addAfter('a', wait);
  world.advance(499);
  expect(queue.counts).toMatchObject({ adds: 0, outstanding: 1 });
  world.advance(1);
  await finish();
  expect(done).toEqual(['a']);
  world.advance(5000);
  expect(queue.counts).toMatchObject({ adds: 1, outstanding: 0 });
});

it('measures how long keys waited and were processed', async () => {
  const { world, queue, finish } = bench();
  queue.add('a');
  queue.add('b');
  world.advance(2000);
  queue.start();
  world.advance(500);
  await finish();
  world.advance(250);
  await finish();
  const { waited, worked } = queue.counts;
  expect([waited.sum, worked.sum]).toEqual([4.5, 0.75]);
  expect([...waited.counts].reduce((a, b) => a + b)).toBe(2);
});

it('counts the time of keys that are being processed', async () => {
  const { world, queue, finish } = bench();
  queue.start();
  queue.add('a');
  world.advance(2000);
  expect(queue.counts.unfinished).toEqual({ total: 2, longest: 2 });
  await finish();
  expect(queue.counts.unfinished).toEqual({ total: 0, longest: 0 });
});
