import { randomBytes, randomUUID } from 'node:crypto';
import type { World } from '../base/index.js';

/** The real clock, timers and random source. The only place that touches them. */
export const systemWorld: World = {
  clock: {
    now: () => Date.now(),
    monotonic: () => performance.now(),
  },
  timers: {
    after(milliseconds, f) {
      const timer = setTimeout(f, milliseconds);
      return () => clearTimeout(timer);
    },
    every(milliseconds, f) {
      const timer = setInterval(f, milliseconds);
      return () => clearInterval(timer);
    },
  },
  random: {
    float: () => Math.random(),
    bytes: (n) => randomBytes(n),
    uuid: () => randomUUID(),
  },
};
