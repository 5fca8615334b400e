import { Random } from '../sim/random.js';
import { Clients } from './clients.js';
import { Cluster, type ClusterOptions } from './cluster.js';
import { History } from './history.js';
import { type Judgement, judge } from './judge.js';
import { type Fault, type Struck, strike } from './nemesis.js';

export interface ChaosOptions {
  readonly seed: number;
  /** The faults, one after the other: given in order, or drawn until the time is over. */
  readonly faults: readonly Fault[];
  /** Absent: each fault once, in order. Otherwise the seed draws faults for this many milliseconds. */
  readonly drawFor?: number;
  readonly cluster?: ClusterOptions;
  /** Bytes added to every value. */
  readonly padding?: number;
  readonly note?: (line: string) => void;
}

export interface ChaosResult {
  readonly seed: number;
  readonly judgement: Judgement;
  readonly struck: readonly Struck[];
  readonly acknowledged: number;
  readonly counts: Readonly<Record<string, number>>;
  /** Peers that exited without a fault that affects them. */
  readonly deaths: readonly string[];
}

const SETTLE_TIME = 60_000;
/** The minimum number of writes for a meaningful result; a slow machine runs longer. */
const WRITES_MIN = 100;

/**
 * Runs three peers with clients on all of them, injects faults one after the other, then checks everything that the
 * clients observed.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { seed, faults, drawFor, note = () => {} } = options;
  const random = new Random(seed);
  // Clients use a separate random stream, so that the number of requests does not change the faults.
  const clientRandom = new Random(seed + 1);
  const history = new History();
  const cluster = await Cluster.start({ proxied: true, ...options.cluster });
  const servers = new Map(cluster.names.map((name) => [name, cluster.url(name)]));
  const clients = new Clients({
    access: cluster.access,
    servers,
    random: clientRandom,
    history,
    writers: 4,
    readers: 3,
    pace: 20,
    padding: options.padding ?? 0,
  });
  const struck: Struck[] = [];
  try {
    await clients.start();
    const began = performance.now();
    const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, random.int(300, 1500)));
    await rest();
    for (let i = 0; drawFor === undefined ? i < faults.length : performance.now() - began < drawFor; i++) {
      const fault = drawFor === undefined ? faults[i]! : random.pick(faults);
      const one = await strike(fault, cluster, random);
      struck.push(one);
      note(`${((one.at - began) / 1000).toFixed(1)} s: ${one.name} (${one.hit}) for ${one.stood} ms`);
      await rest();
    }
    await cluster.leader();
    for (const end = performance.now() + SETTLE_TIME; clients.acknowledged < WRITES_MIN; await rest()) {
      if (performance.now() > end) break;
    }
    await clients.quiet();
    const end = await clients.settle(SETTLE_TIME);
    const judgement = judge(history, end);
    return {
      seed,
      judgement,
      struck,
      acknowledged: clients.acknowledged,
      counts: history.counts,
      deaths: cluster.deaths,
    };
  } catch (error) {
    throw new Error(`${(error as Error).message}\nseed ${seed}, after ${JSON.stringify(struck)}\n${cluster.outputs()}`);
  } finally {
    clients.close();
    await cluster.close();
  }
}
