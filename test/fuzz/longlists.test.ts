import { expect, it } from 'vitest';
import { CURRENT, compile, DYN, failed, kubernetesEnvironment } from '../../pkg/cel/index.js';
import { ExecutedBlocks } from './executed.js';
import { longLists } from './longlists.js';

/**
 * The cost of a list must grow linearly with its length. The test compares the code that is executed for one length and for a fourth of
 * it: linear work executes 4 times as many blocks, quadratic work 16 times. `longlisttimes.test.ts` compares CPU time.
 */
const ITEMS = 8_000;
const GROWTH_MAX = 8;

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
async function steepOnes(tasks: Iterable<readonly [name: string, task: Sized]>, size: number): Promise<string[]> {
  const executed = await ExecutedBlocks.counter();
  const steep: string[] = [];
  for (const [name, task] of tasks) {
    const short = await executed.during(task(size / 4));
    const long = await executed.during(task(size));
    if (long > GROWTH_MAX * short) steep.push(`${name}: ${short} blocks, then ${long}`);
  }
  return steep;
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
