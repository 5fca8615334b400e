import { expect, it } from 'vitest';
import { cpuMilliseconds, threadMilliseconds } from './cputime.js';
import { type LongList, longLists } from './longlists.js';

/**
 * The CPU time of long lists (`make fuzz`), which includes the work of built-in functions. It is the least of several runs, because of
 * compilation and garbage collection. `longlists.test.ts` compares the code that is executed; its counter slows the process down, so
 * this is another file.
 */
const ITEMS = 8_000;
const GROWTH_MAX = 10;
/** The limit of the registry. */
const LONGEST = 10_000;
/** CPU milliseconds. Shorter times are not compared, because noise dominates them. */
const CHEAP = 60;
const RUNS = 3;
/** CPU milliseconds of the thread in one turn of the event loop. */
const TURN_MAX = 20;

const everything = Number(process.env['FUZZ_MINUTES'] ?? 0) > 0;
const all = everything ? await longLists() : [];

/** The CPU time in milliseconds; the least of several runs. */
async function cost(list: LongList, items: number): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < RUNS; i++) {
    const create = list.body(items);
    const before = cpuMilliseconds();
    await create();
    least = Math.min(least, cpuMilliseconds() - before);
    if (least < CHEAP) break;
  }
  return least;
}

it.runIf(everything)('CPU time grows linearly with the length of a list', { timeout: 3_600_000 }, async () => {
  const steep: string[] = [];
  for (const list of all) {
    const long = await cost(list, ITEMS);
    if (long < CHEAP) continue;
    const short = await cost(list, ITEMS / 4);
    if (long > GROWTH_MAX * short) steep.push(`${list.name}: ${short.toFixed(0)} ms, then ${long.toFixed(0)} ms`);
  }
  expect(steep).toEqual([]);
});

/** The longest turn of the event loop while an object is created, in CPU milliseconds of the thread; the least of several runs. */
async function longestTurn(list: LongList): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < 2 * RUNS && least > TURN_MAX; i++) {
    const create = list.body(LONGEST);
    let longest = 0;
    let runs = true;
    let before = threadMilliseconds();
    const turn = (): void => {
      longest = Math.max(longest, threadMilliseconds() - before);
      before = threadMilliseconds();
      if (runs) setImmediate(turn);
    };
    setImmediate(turn);
    await create();
    runs = false;
    await new Promise((resolve) => setImmediate(resolve));
    least = Math.min(least, longest);
  }
  return least;
}

it.runIf(everything)('no list holds the event loop for long', { timeout: 3_600_000 }, async () => {
  const long: string[] = [];
  for (const list of all) {
    const turn = await longestTurn(list);
    if (turn > TURN_MAX) long.push(`${list.name}: ${turn.toFixed(0)} ms`);
  }
  expect(long).toEqual([]);
});
