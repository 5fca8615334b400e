import { randomBytes, randomUUID } from 'node:crypto';
import { timerMillisecondsMax, type World } from '../base/index.js';

/** The real clock, timers and random source. No other module uses them. */
export const systemWorld: World = {
  clock: {
    now: () => Date.now(),
    monotonic: () => performance.now(),
  },
  timers: {
    after(milliseconds, f) {
      const timer = setTimeout(f, Math.min(milliseconds, timerMillisecondsMax));
      return () => clearTimeout(timer);
    },
    immediate: (f) => void setImmediate(f),
    every(milliseconds, f) {
      const timer = setInterval(f, Math.min(milliseconds, timerMillisecondsMax));
      return () => clearInterval(timer);
    },
  },
  random: {
    float: () => Math.random(),
    bytes: (n) => randomBytes(n),
    uuid: () => randomUUID(),
  },
};
