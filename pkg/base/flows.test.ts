import { describe, expect, it } from 'vitest';
import { Flows } from './flows.js';
import { Scheduler } from './scheduler.js';
import type { World } from './world.js';

/** A world whose clock moves only by `work`, and whose turns end when the test says so. */
function steps() {
  let now = 0;
  let immediates: (() => void)[] = [];
  const world = {
    clock: { now: () => 0, monotonic: () => now },
    timers: { immediate: (f: () => void) => void immediates.push(f) },
  } as unknown as World;
  return {
    world,
    work: (milliseconds: number): void => {
      now += milliseconds;
    },
    turn: (): void => {
      const all = immediates;
      immediates = [];
      for (const f of all) f();
    },
  };
}

function server(sliceMilliseconds: number, heavyMilliseconds: number) {
  const { world, work, turn } = steps();
  const flows = new Flows(world);
  const scheduler = new Scheduler(world, sliceMilliseconds, { flows, heavyMilliseconds });
  const served: string[] = [];
  /** A request of so many milliseconds. */
  const request = (flow: string, milliseconds: number): void => {
    const begin = (): void => {
      served.push(flow);
      work(milliseconds);
    };
    if (scheduler.spent(flow)) scheduler.later(begin, flow);
    else {
      begin();
      scheduler.settle();
    }
  };
  const count = (flow: string): number => served.filter((name) => name === flow).length;
  return { world, flows, scheduler, work, turn, served, request, count };
}

describe('flows', () => {
  it('that are alone have the whole slice of each turn', () => {
    const { request, count } = server(8, 1);
    for (let i = 0; i < 20; i++) request('bulk', 0.5);
    expect(count('bulk')).toBe(17);
  });

  it('that use more than all others have a small slice beside them, and others the rest', () => {
    const { request, count, turn, served } = server(8, 1);
    request('small', 0.2);
    for (let i = 0; i < 20; i++) request('bulk', 0.5);
    const before = count('bulk');
    expect(before).toBeLessThan(6);
    request('small', 0.2);
    expect(served.at(-1)).toBe('small');
    for (let i = 0; i < 5; i++) {
      const earlier = count('bulk');
      turn();
      expect(count('bulk') - earlier).toBeGreaterThan(0);
      expect(count('bulk') - earlier).toBeLessThan(5);
    }
    turn();
    expect(count('bulk')).toBe(20);
  });

  it('of similar use all have most of the slice', () => {
    const { request, count, turn } = server(8, 0.1);
    for (let i = 0; i < 20; i++)
      for (const name of ['manager', 'manager', 'manager', 'scheduler', 'node']) request(name, 0.1);
    for (let i = 0; i < 100; i++) turn();
    const before = count('manager');
    for (let i = 0; i < 40; i++) request('manager', 0.1);
    const begun = count('manager') - before;
    // 4 ms beside 6 ms: 8 ms times 4/9.
    expect(begun).toBeGreaterThan(20);
    expect(begun).toBeLessThan(40);
  });

  it('wait in the order of their recent use, and each of them progresses', () => {
    const { request, turn, served, scheduler, work } = server(1, 1);
    request('bulk', 5);
    for (const name of ['bulk', 'bulk', 'other', 'bulk', 'other']) request(name, 2);
    served.length = 0;
    for (let i = 0; i < 6; i++) turn();
    expect(served).toEqual(['other', 'other', 'bulk', 'bulk', 'bulk']);
    work(1);
    expect(scheduler.spent('other')).toBe(false);
  });

  it('are forgotten after a while, so that one that is alone again has the whole slice', () => {
    const { request, count, turn, work } = server(8, 1);
    request('small', 0.2);
    for (let i = 0; i < 30; i++) turn();
    work(20_000);
    turn();
    request('bulk', 0.5);
    const before = count('bulk');
    for (let i = 0; i < 20; i++) request('bulk', 0.5);
    expect(count('bulk') - before).toBeGreaterThan(12);
  });

  it('share what they use among the schedulers of a server', () => {
    const { world, flows, request, work } = server(8, 1);
    const lists = new Scheduler(world, 2, { flows, heavyMilliseconds: 0.5 });
    request('small', 0.2);
    expect(lists.spent('bulk')).toBe(false);
    work(1);
    expect(lists.spent('bulk')).toBe(true);
    expect(lists.spent('small')).toBe(false);
  });

  it('do not starve beside work of the server that resumes in every turn', () => {
    const { scheduler, turn, served, work } = server(2, 0.5);
    const own = (): void => {
      void scheduler.yield().then(own);
    };
    for (let i = 0; i < 5; i++) own();
    const list = (): void => {
      served.push('list');
      work(0.6);
      scheduler.later(list, 'list');
    };
    scheduler.later(list, 'list');
    for (let i = 0; i < 40; i++) {
      for (let n = 0; n < 5; n++) void scheduler.yield();
      turn();
    }
    expect(served.length).toBeGreaterThan(10);
  });
});

describe('work that begins soon', () => {
  /** A scheduler with flows that have used so many milliseconds. */
  function used(milliseconds: Readonly<Record<string, number>>) {
    const { world, work, turn } = steps();
    const flows = new Flows(world);
    for (const [flow, some] of Object.entries(milliseconds)) flows.charge(flow, some);
    const scheduler = new Scheduler(world, 8, { flows, heavyMilliseconds: 0.05 });
    const served: string[] = [];
    const soon = (flow: string): void => scheduler.soon(() => void served.push(flow), flow);
    return { flows, scheduler, work, turn, served, soon };
  }

  it('begins at the end of the turn, in the order of use', () => {
    const { turn, served, soon } = used({ manager: 40, node: 35, scheduler: 25 });
    for (const flow of ['manager', 'scheduler', 'node', 'manager']) soon(flow);
    expect(served).toEqual([]);
    turn();
    expect(served).toEqual(['scheduler', 'node', 'manager', 'manager']);
  });

  it('begins at once beside a flow that uses more than all others together', () => {
    const { turn, served, soon } = used({ light: 1, heavy: 100 });
    for (const flow of ['heavy', 'light', 'new', '']) soon(flow);
    expect(served).toEqual(['light', 'new']);
    turn();
    expect(served).toEqual(['light', 'new', '', 'heavy']);
  });

  it('waits again when others use as much as that flow', () => {
    const { flows, served, soon } = used({ light: 1, heavy: 100 });
    flows.charge('other', 100);
    soon('light');
    expect(served).toEqual([]);
  });

  it('waits in any case when the turn has no time left', () => {
    const { scheduler, work, turn, served, soon } = used({ light: 1, heavy: 100 });
    scheduler.turn();
    work(9);
    soon('light');
    expect(served).toEqual([]);
    turn();
    expect(served).toEqual(['light']);
  });
});
