import { describe, expect, it } from 'vitest';
import { Scheduler, type World } from '../base/index.js';
import { equals } from './compare.js';
import { compile, failed } from './compile.js';
import { CURRENT, kubernetesEnvironment } from './kubernetes.js';
import type { Execution } from './program.js';
import { Suspended } from './suspended.js';
import { isError, type Value } from './values.js';

const NUMBERS = `[${Array.from({ length: 30 }, (_, i) => i).join(', ')}]`;

/** Expressions with loops in every part of other loops. */
const EXPRESSIONS = [
  `${NUMBERS}.all(x, ${NUMBERS}.all(y, ${NUMBERS}.exists(z, z == x || z == y)))`,
  `${NUMBERS}.map(x, ${NUMBERS}.filter(y, y < x).map(z, z + x).size()).map(n, n * 2)`,
  `${NUMBERS}.filter(x, ${NUMBERS}.exists_one(y, ${NUMBERS}.all(z, z <= y) && x == y))`,
  `${NUMBERS}.map(x, ${NUMBERS}.map(y, [x, y])).map(l, l.map(p, p[0] * p[1]))`,
  `${NUMBERS}.all(x, ${NUMBERS}.map(y, y * x).all(y, y >= 0)) && ${NUMBERS}.map(x, ${NUMBERS}.all(y, y < 99)).all(b, b) ? ${NUMBERS}.map(x, ${NUMBERS}.size()) : []`,
  `${NUMBERS}.transformMap(i, v, ${NUMBERS}.exists(w, w == v * 2))`,
  `${NUMBERS}.map(x, ${NUMBERS}.all(y, 1000 / (29 - x) > y))`,
  `${NUMBERS}.exists(x, ${NUMBERS}.all(y, 10 / (y - 3) < 0))`,
];

function execution(text: string, spent: () => boolean, scheduler: Scheduler, limit: number): Execution {
  const compiled = compile(text, kubernetesEnvironment(CURRENT));
  if (failed(compiled)) throw new Error(compiled.error);
  return compiled.program.begin(() => undefined, limit, { spent, yield: () => scheduler.yield() });
}

/** Runs to the end and counts the interruptions. */
async function finish(e: Execution): Promise<{ readonly value: Value; readonly cost: number; readonly turns: number }> {
  for (let turns = 0; ; turns++) {
    try {
      return { ...e.run(), turns };
    } catch (error) {
      if (!(error instanceof Suspended)) throw error;
      await error.until;
    }
  }
}

const world = {
  clock: { now: () => 0, monotonic: () => performance.now() },
  timers: { immediate: (f: () => void) => void setImmediate(f) },
} as unknown as World;

describe('an evaluation whose time slice is used up', () => {
  const scheduler = new Scheduler(world, -1);

  it('continues in a later turn and has the same value and cost', async () => {
    for (const text of EXPRESSIONS) {
      const whole = execution(text, () => false, scheduler, 1_000_000).run();
      const sliced = await finish(execution(text, scheduler.spent, scheduler, 1_000_000));
      expect(sliced.cost, text).toBe(whole.cost);
      if (isError(whole.value)) expect(sliced.value, text).toEqual(whole.value);
      else expect(equals(sliced.value, whole.value), text).toBe(true);
      // One interruption for each 1,000 cost units, but not within an iteration.
      expect(sliced.turns, text).toBeGreaterThan(whole.cost / 1500 - 1);
    }
  });

  it('does not repeat completed work', async () => {
    let pieces = 0;
    const counting = () => ++pieces > 0;
    const text = `${EXPRESSIONS[0]} && ${EXPRESSIONS[0]} && ${EXPRESSIONS[0]}`;
    const { cost } = await finish(execution(text, counting, scheduler, 1_000_000));
    expect(pieces).toBeLessThan(cost / 900);
  });

  it('ends at its cost limit', async () => {
    const { value } = await finish(execution(EXPRESSIONS[0]!, scheduler.spent, scheduler, 20_000));
    expect(value).toMatchObject({ message: 'operation cancelled: actual cost limit exceeded' });
  });

  it('continues in the middle of a long search, and makes each search once', async () => {
    const text = `${'x'.repeat(200)}y`;
    const long = `'${'x'.repeat(40_000)}'`;
    const all = `'${text}'.findAll('x[xy]*z|x')`;
    for (const expression of [
      `${all}.size() + ${all}.size()`,
      `${long}.matches('^[xy]*z') || ${long}.find('x+') != ''`,
    ]) {
      const whole = execution(expression, () => false, scheduler, 1_000_000).run();
      const sliced = await finish(execution(expression, scheduler.spent, scheduler, 1_000_000));
      expect(isError(whole.value)).toBe(false);
      expect({ ...sliced, turns: 0 }).toEqual({ ...whole, turns: 0 });
      expect(sliced.turns).toBeGreaterThanOrEqual(2);
    }
  });

  it('continues in the middle of one match of a long text', async () => {
    const text = `'${'x'.repeat(20_000)}'`;
    for (const call of [
      `matches('(x+y?)+[a-z]{50}1')`,
      `find('(x+y?)+[a-z]{50}$') != ''`,
      `findAll('(x+y?)+[a-z]{50}1').size() == 0`,
    ]) {
      const whole = execution(`${text}.${call}`, () => false, scheduler, 1_000_000).run();
      const sliced = await finish(execution(`${text}.${call}`, scheduler.spent, scheduler, 1_000_000));
      expect(isError(whole.value)).toBe(false);
      expect({ ...sliced, turns: 0 }).toEqual({ ...whole, turns: 0 });
      expect(sliced.turns, call).toBeGreaterThan(20);
    }
  });

  it('ends searches that would read the text again and again', async () => {
    const { value } = execution(
      `'${'x'.repeat(30_000)}'.findAll('x[xy]*z|x')`,
      () => false,
      scheduler,
      1_000_000,
    ).run();
    expect(value).toMatchObject({ message: 'the text is too long for the regular expression' });
  });
});
