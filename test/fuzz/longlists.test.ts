import { expect, it } from 'vitest';
import { type LongList, longLists } from './longlists.js';

/**
 * The cost of a list must grow with its length, not with its square. CPU time of this process is what is compared, of one length with
 * a fourth of it: linear work takes 4 times as long, quadratic work 16 times. The smallest of several runs counts, which leaves room
 * for compilation and garbage collection.
 */
const ITEMS = 8_000;
const FOURTH = ITEMS / 4;
const GROWTH_MAX = 10;
/** What is this cheap is not compared: noise would decide. CPU milliseconds. */
const CHEAP = 60;
const RUNS = 3;

/** Lists that once took quadratic time; `make fuzz` tries all. */
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
    const before = process.cpuUsage();
    await list.run(items);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
    if (least < CHEAP) break;
  }
  return least;
}

const all = await longLists();

it('finds the lists that are tried always', () => {
  expect(ONCE_QUADRATIC.filter((name) => !all.some((l) => l.name === name))).toEqual([]);
});

it('costs grow with the length of a list, and not faster', { timeout: 3_600_000 }, async () => {
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
