import { expect, it } from 'vitest';
import { CURRENT, compile, DYN, failed, kubernetesEnvironment } from '../../pkg/cel/index.js';
import { cpuMilliseconds, type LongList, longLists } from './longlists.js';

/**
 * The cost of a list must grow linearly with its length. The test compares the CPU time of this process for one length and for a
 * fourth of it: linear work takes 4 times as long, quadratic work 16 times. It uses the smallest of several runs, because of
 * compilation and garbage collection.
 */
const ITEMS = 8_000;
const FOURTH = ITEMS / 4;
/** The limit of the registry. */
const LONGEST = 10_000;
const GROWTH_MAX = 10;
/** CPU milliseconds. Shorter times are not compared, because noise dominates them. */
const CHEAP = 60;
const RUNS = 3;
/** CPU milliseconds of one turn of the event loop. */
const TURN_MAX = 30;

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

it('cost grows linearly with the length of a list', { timeout: 3_600_000 }, async () => {
  const steep: string[] = [];
  for (const list of all) {
    if (!everything && !ONCE_QUADRATIC.includes(list.name)) continue;
    const long = await cost(list, ITEMS);
    if (long < CHEAP) continue;
    const short = await cost(list, FOURTH);
    if (long > GROWTH_MAX * short) steep.push(`${list.name}: ${short.toFixed(0)} ms, then ${long.toFixed(0)} ms`);
  }
  expect(steep).toEqual([]);
});

/** The longest turn of the event loop while an object is created, in CPU milliseconds; the least of several runs. */
async function longestTurn(list: LongList): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < 2 * RUNS && least > TURN_MAX; i++) {
    const create = list.body(LONGEST);
    let longest = 0;
    let runs = true;
    let before = cpuMilliseconds();
    const turn = (): void => {
      longest = Math.max(longest, cpuMilliseconds() - before);
      before = cpuMilliseconds();
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

it('cost grows linearly with the length of an expression', { timeout: 3_600_000 }, () => {
  const environment = kubernetesEnvironment(CURRENT).extend({ object: DYN });
  const expressions: Readonly<Record<string, (n: number) => string>> = {
    disjunction: (n) => Array.from({ length: n }, () => 'object.a==1').join('||'),
    list: (n) => `[${Array.from({ length: 4 * n }, () => '1').join(',')}].size()>0`,
    map: (n) => `{${Array.from({ length: n }, (_, i) => `'k${i}':1`).join(',')}}.size()>0`,
    macros: (n) => Array.from({ length: n / 2 }, () => 'object.l.all(x,x>1)').join('&&'),
  };
  const cost = (text: string): number => {
    let least = Infinity;
    for (let i = 0; i < RUNS; i++) {
      const before = cpuMilliseconds();
      if (failed(compile(text, environment))) throw new Error('the expression is invalid');
      least = Math.min(least, cpuMilliseconds() - before);
    }
    return least;
  };
  const steep: string[] = [];
  for (const [name, of] of Object.entries(expressions)) {
    const [long, short] = [cost(of(7_000)), cost(of(1_750))];
    if (long > CHEAP && long > GROWTH_MAX * short)
      steep.push(`${name}: ${short.toFixed(0)} ms, then ${long.toFixed(0)} ms`);
  }
  expect(steep).toEqual([]);
});
