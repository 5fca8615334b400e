import { describe, expect, it } from 'vitest';
import type { World } from '../base/index.js';
import { Places } from './inflight.js';
import { limits } from './limits.js';

function world() {
  const timers: { at: number; f: () => void; on: boolean }[] = [];
  let now = 0;
  const w = {
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

/** In what order those who wait get in. */
function entering(places: Places, user: string, order: string[], name: string): void {
  void (places.enter(user) as Promise<string>).then((outcome) => order.push(`${name} ${outcome}`));
}

describe('places', () => {
  it('are given until there are none, then passed on', async () => {
    const places = new Places(world().w, 2);
    expect([places.enter('a'), places.enter('a')]).toEqual([true, true]);
    const third = places.enter('a');
    expect(third).toBeInstanceOf(Promise);
    places.leave();
    expect(await third).toBe('entered');
    expect(places.taken).toBe(2);
    places.leave();
    places.leave();
    expect(places.taken).toBe(0);
  });

  it('go round the users that wait', async () => {
    const places = new Places(world().w, 1);
    places.enter('a');
    const order: string[] = [];
    entering(places, 'a', order, 'a1');
    entering(places, 'a', order, 'a2');
    entering(places, 'a', order, 'a3');
    entering(places, 'b', order, 'b1');
    for (let i = 0; i < 4; i++) places.leave();
    await Promise.resolve();
    expect(order).toEqual(['a1 entered', 'b1 entered', 'a2 entered', 'a3 entered']);
    places.leave();
    expect(places.taken).toBe(0);
  });

  it('are not waited for longer than the bound', async () => {
    const { w, pass } = world();
    const places = new Places(w, 1);
    places.enter('a');
    const waiting = places.enter('b');
    pass(limits.queueTime);
    expect(await waiting).toBe('timedOut');
    places.leave();
    expect(places.taken).toBe(0);
  });

  it('are refused when too many wait', () => {
    const places = new Places(world().w, 1);
    places.enter('a');
    for (let i = 0; i < limits.queuedPerPlace; i++) void places.enter('a');
    expect(places.enter('a')).toBe(false);
  });

  it('have no bound when none is set', () => {
    const places = new Places(world().w, 0);
    for (let i = 0; i < 1000; i++) expect(places.enter('a')).toBe(true);
  });
});
