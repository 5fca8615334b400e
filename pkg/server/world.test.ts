import { afterEach, expect, it, vi } from 'vitest';
import { threadWorld } from '../peer/thread/world.js';
import { systemWorld } from './world.js';

afterEach(() => vi.useRealTimers());

it.each([
  ['the server', systemWorld],
  ["the peer's thread", threadWorld()],
])("timers of %s do not fire early if their delay exceeds the platform's maximum", (_, { timers }) => {
  vi.useFakeTimers();
  const fired: string[] = [];
  const stops = [timers.after(2 ** 31, () => fired.push('after')), timers.every(2 ** 40, () => fired.push('every'))];
  vi.advanceTimersByTime(10);
  expect(fired).toEqual([]);
  for (const stop of stops) stop();
});
