import { randomBytes, randomUUID } from 'node:crypto';
import { timerMillisecondsMax, type World } from '../../base/index.js';

/**
 * The real world for the peer's thread. Functions cannot cross a thread boundary, so the entry of the thread is a composition root of its
 * own.
 */
export function threadWorld(): World {
  return {
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    timers: {
      after: (milliseconds, f) => {
        const timer = setTimeout(f, Math.min(milliseconds, timerMillisecondsMax));
        return () => clearTimeout(timer);
      },
      immediate: (f) => void setImmediate(f),
      every: (milliseconds, f) => {
        const timer = setInterval(f, Math.min(milliseconds, timerMillisecondsMax));
        return () => clearInterval(timer);
      },
    },
    random: { float: () => Math.random(), bytes: (n) => randomBytes(n), uuid: () => randomUUID() },
  };
}
