import { describe, expect, it } from 'vitest';
import type { World } from '../base/index.js';
import { InFlightLimiter } from './inflight.js';
import { limits } from './limits.js';

function world() {
  const timers: { at: number; f: () => void; on: boolean }[] = [];
  let now = 0;
  const w = {
    clock: { monotonic: () => now },
    timers: {
      after(ms: number, f: () => void) {
        const timer = { at: now + ms, f, on: true };
        timers.push(timer);
        return () => {
          timer.on = false;
        };
      },
    },
  } as unknown as World;
  const pass = (ms: number): void => {
    now += ms;
    for (const t of timers.splice(0)) {
      if (!t.on) continue;
      if (t.at <= now) t.f();
      else timers.push(t);
    }
  };
  return { w, pass };
}

/** The order in which waiting requests are admitted. */
function entering(limiter: InFlightLimiter, user: string, order: string[], name: string): void {
  void (limiter.enter(user) as Promise<string>).then((outcome) => order.push(`${name} ${outcome}`));
}

describe('in-flight limiter', () => {
  it('measures the running requests over time', () => {
    const { w } = world();
    const limiter = new InFlightLimiter(w, 1, { add: (change, now) => void seen.push([change, now]) });
    const seen: [number, number][] = [];
    limiter.enter('a');
    void limiter.enter('a');
    limiter.leave();
    expect(seen).toEqual([[1, 0]]);
    limiter.leave();
    expect(seen).toEqual([
      [1, 0],
      [-1, 0],
    ]);
  });

  it('admits requests up to the limit, then queues them', async () => {
    const limiter = new InFlightLimiter(world().w, 2);
    expect([limiter.enter('a'), limiter.enter('a')]).toEqual([true, true]);
    const third = limiter.enter('a');
    expect(third).toBeInstanceOf(Promise);
    limiter.leave();
    expect(await third).toBe('entered');
    expect(limiter.running).toBe(2);
    limiter.leave();
    limiter.leave();
    expect(limiter.running).toBe(0);
  });

  it('serves waiting users in turn', async () => {
    const limiter = new InFlightLimiter(world().w, 1);
    limiter.enter('a');
    const order: string[] = [];
    entering(limiter, 'a', order, 'a1');
    entering(limiter, 'a', order, 'a2');
    entering(limiter, 'a', order, 'a3');
    entering(limiter, 'b', order, 'b1');
    for (let i = 0; i < 4; i++) limiter.leave();
    await Promise.resolve();
    expect(order).toEqual(['a1 entered', 'b1 entered', 'a2 entered', 'a3 entered']);
    limiter.leave();
    expect(limiter.running).toBe(0);
  });

  it('limits the time in the queue', async () => {
    const { w, pass } = world();
    const limiter = new InFlightLimiter(w, 1);
    limiter.enter('a');
    const waiting = limiter.enter('b');
    pass(limits.queueTime);
    expect(await waiting).toBe('timedOut');
    limiter.leave();
    expect(limiter.running).toBe(0);
  });

  it('rejects a request when the queue is full', () => {
    const limiter = new InFlightLimiter(world().w, 1);
    limiter.enter('a');
    for (let i = 0; i < limits.queuedPerPlaceOfUser; i++) void limiter.enter('a');
    expect(limiter.enter('a')).toBe(false);
    for (let i = limits.queuedPerPlaceOfUser; i < limits.queuedPerPlace; i++)
      expect(limiter.enter(`user ${i}`)).toBeInstanceOf(Promise);
    expect(limiter.enter('b')).toBe(false);
  });

  it('has no limit when none is set', () => {
    const limiter = new InFlightLimiter(world().w, 0);
    for (let i = 0; i < 1000; i++) expect(limiter.enter('a')).toBe(true);
  });
});
