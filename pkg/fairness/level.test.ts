import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LevelConfig, PriorityLevel, type Queued, type Rejection, type Seat, type Work } from './level.js';
import { FlowControlMetrics } from './metrics.js';
import { deal, flowHash } from './shuffle.js';

/** A clock and timers that advance by hand. */
class HandTime {
  #now = 0;
  readonly #due: { at: number; f: () => void }[] = [];
  readonly clock = { now: () => this.#now, monotonic: () => this.#now };
  readonly timers = {
    after: (milliseconds: number, f: () => void) => {
      const entry = { at: this.#now + milliseconds, f };
      this.#due.push(entry);
      return () => void (this.#due.includes(entry) && this.#due.splice(this.#due.indexOf(entry), 1));
    },
    immediate: (f: () => void) => f(),
    every: () => () => {},
  };

  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const next = this.#due.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#due.splice(this.#due.indexOf(next), 1);
      this.#now = next.at;
      next.f();
    }
    this.#now = end;
  }
}

const ONE: Work = { initialSeats: 1, finalSeats: 0, additionalMilliseconds: 0 };
const wide = (initialSeats: number): Work => ({ ...ONE, initialSeats });
const QUEUING = { queues: 16, handSize: 4, queueLengthMax: 10 };

function level(seats: number, config: Partial<LevelConfig> = {}) {
  const time = new HandTime();
  const metrics = new FlowControlMetrics(time.clock, { readOnly: 40, mutating: 20 });
  const use = metrics.use('l');
  const options = { clock: time.clock, timers: time.timers, queueMilliseconds: 15_000, serverSeats: 60, use };
  const made = new PriorityLevel('l', { exempt: false, queuing: QUEUING, ...config }, seats, options);
  return { time, metrics, level: made };
}

const enter = (at: PriorityLevel, flow: string, work = ONE): Seat | Rejection | Queued =>
  at.enter({ schema: 's', distinguisher: flow, work });
const isSeat = (result: Seat | Rejection | Queued): result is Seat => typeof result === 'object' && 'leave' in result;
const isQueued = (result: Seat | Rejection | Queued): result is Queued =>
  typeof result === 'object' && 'cancel' in result;
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the use of a priority level', () => {
  /** The counts of a series by bucket, in milliseconds of observation, and the sum. */
  function observed(metrics: FlowControlMetrics, name: string, phase?: string): Record<string, number> {
    const { values } = metrics.families.find((f) => f.name === `apiserver_flowcontrol_${name}`)!.get();
    const mine = values.filter((v) => phase === undefined || v.labels['phase'] === phase);
    const found: Record<string, number> = {};
    let before = 0;
    for (const { metricName, labels, value } of mine) {
      if (metricName?.endsWith('_sum')) found['sum'] = value / 1e6;
      if (!metricName?.endsWith('_bucket')) continue;
      if (value > before) found[`le ${labels['le']}`] = (value - before) / 1e6;
      before = value;
    }
    return found;
  }

  it('is weighted with time', () => {
    const { level: l, time, metrics } = level(4);
    time.advance(10);
    const first = enter(l, 'a', wide(2)) as Seat;
    time.advance(5);
    first.leave();
    time.advance(20);
    expect(observed(metrics, 'priority_level_request_utilization', 'executing')).toEqual({
      'le 0': 30,
      'le 0.25': 5,
      sum: 1.25,
    });
    expect(observed(metrics, 'priority_level_seat_utilization')).toEqual({ 'le 0': 30, 'le 0.5': 5, sum: 2.5 });
    expect(observed(metrics, 'demand_seats')).toEqual({ 'le 0.2': 30, 'le 0.6': 5, sum: 2.5 });
  });

  it('counts the seats of a write until its events are sent, but the request until its response', () => {
    const { level: l, time, metrics } = level(4);
    const write = enter(l, 'a', { initialSeats: 1, finalSeats: 1, additionalMilliseconds: 7 }) as Seat;
    time.advance(2);
    write.leave();
    time.advance(10);
    expect(observed(metrics, 'priority_level_request_utilization', 'executing')).toEqual({
      'le 0': 10,
      'le 0.25': 2,
      sum: 0.5,
    });
    expect(observed(metrics, 'priority_level_seat_utilization')).toEqual({ 'le 0': 3, 'le 0.3': 9, sum: 2.25 });
  });

  it('has requests in queues relative to the length of all queues, and follows the seats of the level', () => {
    const { level: l, time, metrics } = level(1);
    enter(l, 'a');
    enter(l, 'b');
    time.advance(3);
    l.resize(2);
    time.advance(4);
    expect(observed(metrics, 'priority_level_request_utilization', 'waiting')).toEqual({
      'le 0': 4,
      'le 0.01': 3,
      sum: 3 / 160,
    });
    expect(observed(metrics, 'priority_level_seat_utilization')).toEqual({ 'le 1': 7, sum: 7 });
    expect(observed(metrics, 'demand_seats')).toEqual({ 'le 1': 4, 'le 2': 3, sum: 10 });
  });
});

describe('a priority level', () => {
  it('admits requests at once while it has seats, and queues the next', async () => {
    const { level: l } = level(2);
    const first = enter(l, 'a') as Seat;
    expect(isSeat(first) && isSeat(enter(l, 'b'))).toBe(true);
    const third = enter(l, 'c');
    expect(isQueued(third)).toBe(true);
    expect([l.executing, l.waiting, l.seatsInUse]).toEqual([2, 1, 2]);
    first.leave();
    first.leave();
    expect(isSeat((await (third as Queued).outcome) as Seat)).toBe(true);
    expect([l.executing, l.waiting, l.seatsInUse]).toEqual([2, 0, 2]);
  });

  it('rejects requests that do not fit if it does not queue', () => {
    const { level: l } = level(1, { queuing: undefined });
    const seat = enter(l, 'a') as Seat;
    expect(enter(l, 'b')).toBe('concurrency-limit');
    seat.leave();
    expect(isSeat(enter(l, 'b'))).toBe(true);
  });

  it('admits everything if it is exempt', () => {
    const { level: l } = level(0, { exempt: true, queuing: undefined });
    expect(Array.from({ length: 50 }, () => isSeat(enter(l, 'a')))).not.toContain(false);
    expect(l.executing).toBe(50);
  });

  it('rejects a request whose queue is full', () => {
    const { level: l } = level(1, { queuing: { queues: 1, handSize: 1, queueLengthMax: 2 } });
    enter(l, 'a');
    expect([enter(l, 'a'), enter(l, 'b')].map(isQueued)).toEqual([true, true]);
    expect(enter(l, 'c')).toBe('queue-full');
    expect(l.totals.rejected).toBe(1);
  });

  it('rejects a request that was queued too long, and removes it', async () => {
    const { level: l, time } = level(1);
    const seat = enter(l, 'a') as Seat;
    const queued = enter(l, 'b') as Queued;
    time.advance(15_000);
    expect(await queued.outcome).toBe('time-out');
    expect([l.waiting, l.totals.timedOut]).toEqual([0, 1]);
    seat.leave();
    expect([l.executing, l.seatsInUse, [...l.occupants].length]).toEqual([0, 0, 0]);
  });

  it('removes a queued request when its client has disconnected', async () => {
    const { level: l } = level(1);
    const seat = enter(l, 'a') as Seat;
    const queued = enter(l, 'b') as Queued;
    queued.cancel();
    expect(await queued.outcome).toBe('cancelled');
    seat.leave();
    queued.cancel();
    expect([l.executing, l.waiting, l.totals.cancelled]).toEqual([0, 0, 1]);
  });

  it('starts queued requests when it gets more seats', async () => {
    const { level: l } = level(1);
    enter(l, 'a');
    const queued = [enter(l, 'a'), enter(l, 'a'), enter(l, 'a')] as Queued[];
    l.resize(3);
    await settled();
    expect([l.executing, l.waiting]).toEqual([3, 1]);
    queued[2]!.cancel();
  });

  it('runs a request that is wider than the level alone, and does not starve it', async () => {
    const { level: l, time } = level(2, { queuing: { queues: 64, handSize: 1, queueLengthMax: 50 } });
    const order: string[] = [];
    const run = (flow: string, work: Work): void => {
      const serve = (seat: Seat): void => {
        order.push(`${flow} beside ${l.executing - 1}`);
        time.timers.after(10, () => seat.leave());
      };
      const entered = enter(l, flow, work);
      if (isSeat(entered)) serve(entered);
      else if (isQueued(entered)) void entered.outcome.then((result) => typeof result !== 'string' && serve(result));
    };
    for (let i = 0; i < 3; i++) run('narrow', ONE);
    run('wide', wide(5));
    for (let i = 0; i < 40; i++) run('narrow', ONE);
    for (let i = 0; i < 200 && order.length < 44; i++) {
      await settled();
      time.advance(5);
    }
    expect(order).toHaveLength(44);
    const at = order.indexOf('wide beside 0');
    expect(at).toBeGreaterThan(0);
    expect(at).toBeLessThan(20);
  });

  it('keeps the seats of a write until its events are delivered', () => {
    const { level: l, time } = level(10);
    const seat = enter(l, 'a', { initialSeats: 1, finalSeats: 4, additionalMilliseconds: 20 }) as Seat;
    expect(l.seatsInUse).toBe(4);
    seat.leave();
    expect(l.seatsInUse).toBe(4);
    time.advance(20);
    expect(l.seatsInUse).toBe(0);
  });

  it('serves a light flow while another one floods', async () => {
    const { level: l, time } = level(4, { queuing: { queues: 64, handSize: 6, queueLengthMax: 500 } });
    const order: string[] = [];
    const run = (flow: string): void => {
      const serve = (seat: Seat): void => {
        order.push(flow);
        time.timers.after(10, () => seat.leave());
      };
      const entered = enter(l, flow);
      if (isSeat(entered)) serve(entered);
      else if (isQueued(entered)) void entered.outcome.then((result) => typeof result !== 'string' && serve(result));
    };
    for (let i = 0; i < 400; i++) run('flood');
    for (let i = 0; i < 10; i++) run('light');
    for (let i = 0; i < 2000 && order.length < 410; i++) {
      await settled();
      time.advance(5);
    }
    expect(order).toHaveLength(410);
    // The flood fills at most six queues; one queue of the light flow gets its share of the turns.
    expect(order.lastIndexOf('light')).toBeLessThan(120);
  });

  it('never uses more seats than it has, and loses nothing, for any sequence of events', async () => {
    const step = fc.oneof(
      fc.record({
        do: fc.constant('enter' as const),
        flow: fc.constantFrom('a', 'b', 'c', 'd'),
        seats: fc.integer({ min: 1, max: 5 }),
      }),
      fc.record({ do: fc.constant('leave' as const), pick: fc.nat(20) }),
      fc.record({ do: fc.constant('cancel' as const), pick: fc.nat(20) }),
      fc.record({ do: fc.constant('advance' as const), milliseconds: fc.nat(4000) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 6 }), async (steps, seats) => {
        const { level: l, time } = level(seats, { queuing: { queues: 4, handSize: 2, queueLengthMax: 5 } });
        const open: Seat[] = [];
        const waiting: Queued[] = [];
        let entered = 0;
        let ended = 0;
        for (const s of steps) {
          if (s.do === 'enter') {
            entered++;
            const result = enter(l, s.flow, wide(s.seats));
            if (typeof result === 'string') ended++;
            else if (isSeat(result)) open.push(result);
            else {
              waiting.push(result);
              void result.outcome.then((outcome) => {
                waiting.splice(waiting.indexOf(result), 1);
                if (typeof outcome === 'string') ended++;
                else open.push(outcome);
              });
            }
          } else if (s.do === 'leave' && open.length > 0) {
            open.splice(s.pick % open.length, 1)[0]!.leave();
            ended++;
          } else if (s.do === 'cancel' && waiting.length > 0) waiting[s.pick % waiting.length]!.cancel();
          else if (s.do === 'advance') time.advance(s.milliseconds);
          await settled();
          expect([l.executing, l.waiting]).toEqual([open.length, waiting.length]);
          expect(entered).toBe(ended + open.length + waiting.length);
          if (l.executing > 1) expect(l.seatsInUse).toBeLessThanOrEqual(seats);
          if (l.waiting > 0) expect(l.executing).toBeGreaterThan(0);
        }
        while (open.length > 0) {
          open.pop()!.leave();
          await settled();
        }
        expect([l.executing, l.waiting, l.seatsInUse, [...l.occupants].length]).toEqual([0, 0, 0, 0]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('shuffle sharding', () => {
  it('deals distinct queues, the same for the same flow', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 128 }), fc.nat(7), (flow, deck, size) => {
        const hand = deal(flowHash('s', flow), deck, Math.min(size + 1, deck));
        expect(new Set(hand).size).toBe(hand.length);
        expect(hand.every((card) => card >= 0 && card < deck)).toBe(true);
        expect(deal(flowHash('s', flow), deck, hand.length)).toEqual(hand);
      }),
    );
  });

  it('spreads flows evenly', () => {
    const counts = new Array<number>(64).fill(0);
    for (let i = 0; i < 6400; i++) for (const card of deal(flowHash('s', `user-${i}`), 64, 6)) counts[card]!++;
    for (const count of counts) expect(Math.abs(count - 600)).toBeLessThan(150);
  });
});
