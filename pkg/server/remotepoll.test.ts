import { expect, it } from 'vitest';
import { OutboundError } from '../outbound/index.js';
import { TestWorld } from '../registry/testing.js';
import { RemotePoll } from './remotepoll.js';

/** A server that gives the next of `answers` to each question, and the last one from then on. */
function polled(...answers: readonly (boolean | Error)[]) {
  const world = new TestWorld();
  const unusable: unknown[] = [];
  let asked = 0;
  const ask = (): Promise<boolean> => {
    const answer = answers[Math.min(asked++, answers.length - 1)]!;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const poll = new RemotePoll({
    timers: world.timers,
    ask,
    unusable: (e) => unusable.push(e),
    every: 100,
    again: 10,
    againMax: 40,
  });
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  /** The times of the questions in the next `milliseconds`, from now on. */
  const times = async (milliseconds: number): Promise<readonly number[]> => {
    const found: number[] = [];
    for (let at = 0; at < milliseconds; at++) {
      const before = asked;
      world.advance(at === 0 ? 0 : 1);
      await settled();
      if (asked > before) found.push(at);
    }
    return found;
  };
  return { poll, times, settled, unusable, asked: () => asked };
}

it('asks an available server again and again', async () => {
  const { poll, times, settled, asked } = polled(true);
  expect(await times(300)).toEqual([]);
  poll.setAvailable(true);
  poll.setAvailable(true);
  await settled();
  expect(asked()).toBe(1);
  expect(await times(250)).toEqual([100, 200]);
});

it('waits longer after each failure, and the usual time after a success', async () => {
  const { poll, times, settled } = polled(false, new OutboundError('dial', 'refused'), false, false, false, true);
  poll.setAvailable(true);
  await settled();
  expect(await times(400)).toEqual([10, 30, 70, 110, 150, 250, 350]);
});

it('reports an answer that cannot be used, and asks again', async () => {
  const { poll, times, settled, unusable } = polled(new RangeError('too deep'), new OutboundError('dial', 'no'), true);
  poll.setAvailable(true);
  await settled();
  expect(await times(150)).toEqual([10, 30, 130]);
  expect(unusable).toEqual([new RangeError('too deep')]);
});

it('asks at once when the server comes back, also after the time of the next question has passed', async () => {
  const { poll, times, settled, asked } = polled(true);
  poll.setAvailable(true);
  await settled();
  poll.setAvailable(false);
  expect(await times(1000)).toEqual([]);
  poll.setAvailable(true);
  await settled();
  expect(asked()).toBe(2);
  expect(await times(150)).toEqual([100]);
});
