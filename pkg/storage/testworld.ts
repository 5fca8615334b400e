import type { World } from '../base/index.js';

/** A world for tests: time advances only by `advance`, and random values are repeatable. */
export interface TestWorld extends World {
  /** Advances time and runs the due timers, in order, each in a separate turn of the event loop. */
  advance(milliseconds: number): Promise<void>;
}

interface Timer {
  at: number;
  readonly period: number | undefined;
  readonly run: () => void;
}

export function testWorld(start: number, seed = 1): TestWorld {
  let now = start;
  const timers = new Set<Timer>();
  const add = (milliseconds: number, period: number | undefined, run: () => void): (() => void) => {
    const timer: Timer = { at: now + milliseconds, period, run };
    timers.add(timer);
    return () => timers.delete(timer);
  };
  let state = seed >>> 0 || 1;
  const next = (): number => {
    // xorshift: fast, repeatable, good enough for tests.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
  const bytes = (n: number): Uint8Array => Uint8Array.from({ length: n }, () => next() & 0xff);
  return {
    clock: { now: () => now, monotonic: () => now - start },
    timers: {
      after: (milliseconds, run) => add(milliseconds, undefined, run),
      immediate: (run) => void setImmediate(run),
      every: (milliseconds, run) => add(milliseconds, milliseconds, run),
    },
    random: {
      float: () => next() / 2 ** 32,
      bytes,
      uuid: () => {
        const hex = Buffer.from(bytes(16)).toString('hex');
        return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
      },
    },
    advance: async (milliseconds) => {
      const until = now + milliseconds;
      for (;;) {
        const due = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        now = due.at;
        if (due.period === undefined) timers.delete(due);
        else due.at += due.period;
        due.run();
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      now = until;
    },
  };
}
