import { expect, it } from 'vitest';
import { CURRENT, compile, DYN, failed, kubernetesEnvironment } from '../../pkg/cel/index.js';
import { cpuMilliseconds, threadMilliseconds } from './cputime.js';
import { ExecutedBlocks } from './executed.js';
import { type LongList, longLists } from './longlists.js';

/**
 * The cost of a list must grow linearly with its length. The test compares the code that is executed for one length and for a fourth of
 * it: linear work executes 4 times as many blocks, quadratic work 16 times. With all lists it also compares the CPU time of this process,
 * which includes the work of built-in functions; it uses the smallest of several runs, because of compilation and garbage collection.
 */
const ITEMS = 8_000;
const GROWTH_MAX = 8;
const TIME_GROWTH_MAX = 10;
/** The limit of the registry. */
const LONGEST = 10_000;
/** CPU milliseconds. Shorter times are not compared, because noise dominates them. */
const CHEAP = 60;
const RUNS = 3;
/** CPU milliseconds of the thread in one turn of the event loop. */
const TURN_MAX = 20;

/** Lists that once took quadratic time; `make fuzz` tries all lists. */
const ONCE_QUADRATIC = [
  'v1 ConfigMap metadata.ownerReferences, distinct',
  'storage.k8s.io/v1 StorageClass allowedTopologies, equal',
  'storage.k8s.io/v1 StorageClass allowedTopologies, distinct',
  'node.k8s.io/v1 RuntimeClass scheduling.tolerations, distinct',
  'v1 Pod spec.topologySpreadConstraints, distinct',
  'v1 Pod spec.volumes.0.projected.sources.0.configMap.items, distinct',
];
const everything = Number(process.env['FUZZ_MINUTES'] ?? 0) > 0;

/** A task of any size. It returns work of that size. */
type Sized = (size: number) => () => void | Promise<void>;

/** Names those tasks whose cost does not grow linearly from a fourth of `size` to `size`. */
function steepOnes(tasks: Iterable<readonly [name: string, task: Sized]>, size: number): Promise<string[]> {
  return ExecutedBlocks.with(async (executed) => {
    const steep: string[] = [];
    for (const [name, task] of tasks) {
      const short = await executed.during(task(size / 4));
      const long = await executed.during(task(size));
      if (long > GROWTH_MAX * short) steep.push(`${name}: ${short} blocks, then ${long}`);
    }
    return steep;
  });
}

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

const all = await longLists();

it('includes the lists that are always tested', () => {
  expect(ONCE_QUADRATIC.filter((name) => !all.some((l) => l.name === name))).toEqual([]);
});

it('recognizes quadratic cost', async () => {
  const pairs: Sized = (size) => () => {
    let equal = 0;
    for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) if (i === j) equal++;
    expect(equal).toBe(size);
  };
  expect(await steepOnes([['pairs', pairs]], ITEMS)).toHaveLength(1);
});

it('cost grows linearly with the length of a list', { timeout: 3_600_000 }, async () => {
  const tried = all.filter((list) => everything || ONCE_QUADRATIC.includes(list.name));
  const tasks = tried.map((list) => [list.name, (items: number) => list.body(items)] as const);
  expect(await steepOnes(tasks, ITEMS)).toEqual([]);
});

it.runIf(everything)('CPU time grows linearly with the length of a list', { timeout: 3_600_000 }, async () => {
  const steep: string[] = [];
  for (const list of all) {
    const long = await cost(list, ITEMS);
    if (long < CHEAP) continue;
    const short = await cost(list, ITEMS / 4);
    if (long > TIME_GROWTH_MAX * short) steep.push(`${list.name}: ${short.toFixed(0)} ms, then ${long.toFixed(0)} ms`);
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

it('cost grows linearly with the length of an expression', async () => {
  const environment = kubernetesEnvironment(CURRENT).extend({ object: DYN });
  const expressions: Readonly<Record<string, (n: number) => string>> = {
    disjunction: (n) => Array.from({ length: n }, () => 'object.a==1').join('||'),
    list: (n) => `[${Array.from({ length: 4 * n }, () => '1').join(',')}].size()>0`,
    map: (n) => `{${Array.from({ length: n }, (_, i) => `'k${i}':1`).join(',')}}.size()>0`,
    macros: (n) => Array.from({ length: n / 2 }, () => 'object.l.all(x,x>1)').join('&&'),
  };
  const tasks = Object.entries(expressions).map(([name, text]) => {
    const compiled: Sized = (size) => () => {
      if (failed(compile(text(size), environment))) throw new Error('the expression is invalid');
    };
    return [name, compiled] as const;
  });
  expect(await steepOnes(tasks, 7_000)).toEqual([]);
});
