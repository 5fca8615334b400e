import { afterEach, describe, expect, it } from 'vitest';
import { checkLinearizable, type Model, type Operation } from '../linearizable.js';
import { canRun, folder, NotDone, PeerProcess, ProcessCluster, pause } from './harness.js';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

function room(): string {
  const made = folder();
  cleanups.push(() => made.remove());
  return made.path;
}

/** Writes to fresh keys until the peer dies; the keys acknowledged. */
async function writeUntilDeath(peer: PeerProcess, writers: number, prefix: string): Promise<string[]> {
  const acknowledged: string[] = [];
  const one = async (writer: number): Promise<void> => {
    for (let n = 0; ; n++) {
      const key = `${prefix}/${writer}/${n}`;
      const result = await peer.put(key, key).catch(() => undefined);
      if (result === undefined) return;
      if (result.kind === 'committed') acknowledged.push(key);
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, i) => one(i)));
  return acknowledged;
}

describe.runIf(canRun())('one peer that is killed', () => {
  // The fault: a single peer acknowledges a write before its log is synced, and loses it in a crash.
  it('loses no acknowledged write', { timeout: 120_000 }, async () => {
    const dataDir = room();
    const acknowledged: string[] = [];
    for (let round = 0; round < 4; round++) {
      const peer = new PeerProcess();
      cleanups.push(() => peer.kill());
      await peer.open({ dataDir, snapshotCount: 300 });
      const found = new Set((await peer.all()).map(([key]) => key));
      expect(acknowledged.filter((key) => !found.has(key))).toEqual([]);
      const writing = writeUntilDeath(peer, 8, `/round${round}`);
      await pause(150 + round * 130);
      await peer.kill();
      acknowledged.push(...(await writing));
    }
    expect(acknowledged.length).toBeGreaterThan(50);
  });
});

type Input = { readonly kind: 'put'; readonly value: string } | { readonly kind: 'get' };
type Output = string | null;

const register: Model<Output, Input, Output> = {
  initial: null,
  key: (state) => state ?? '-',
  step: (state, input, output) => {
    if (input.kind === 'put') return input.value;
    return output === undefined || output === state ? state : undefined;
  },
};

/** Clients of all peers at once on a few keys, writing down what they did. */
class Clients {
  readonly history = new Map<string, Operation<Input, Output>[]>();
  readonly #cluster: ProcessCluster;
  #running = true;
  readonly #done: Promise<unknown>;
  acknowledged = 0;

  constructor(cluster: ProcessCluster, keys: readonly string[]) {
    this.#cluster = cluster;
    this.#done = Promise.all(keys.flatMap((key) => [0, 1, 2].map((i) => this.#client(key, i))));
    for (const key of keys) this.history.set(key, []);
  }

  async #client(key: string, i: number): Promise<void> {
    for (let n = 0; this.#running; n++) {
      const peer = this.#cluster.peers[i]!;
      const called = performance.now();
      const input: Input = n % 2 === 0 ? { kind: 'put', value: `${i}.${n}` } : { kind: 'get' };
      const output = await this.#do(peer, key, input).catch((error) =>
        error instanceof NotDone ? ('refused' as const) : ('unknown' as const),
      );
      if (output === 'unknown') {
        if (input.kind === 'put')
          this.#note(key, { input, output: undefined, called, returned: Number.POSITIVE_INFINITY });
      } else if (output !== 'refused') {
        this.#note(key, { input, output: output.value, called, returned: performance.now() });
        this.acknowledged++;
      }
      await pause(output === 'unknown' || output === 'refused' ? 50 : 5);
    }
  }

  async #do(peer: PeerProcess, key: string, input: Input): Promise<{ value: Output } | 'refused' | 'unknown'> {
    if (input.kind === 'put') {
      const result = await peer.put(key, input.value);
      return result.kind === 'committed' ? { value: input.value } : result.kind === 'refused' ? 'refused' : 'unknown';
    }
    const read = await peer.get(key);
    return read.kind === 'ok' ? { value: read.value } : 'refused';
  }

  #note(key: string, operation: Operation<Input, Output>): void {
    this.history.get(key)!.push(operation);
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#done;
  }
}

async function judged(nemesis: (cluster: ProcessCluster) => Promise<void>): Promise<void> {
  const cluster = await ProcessCluster.start(room(), { snapshotCount: 200 });
  cleanups.push(() => cluster.stop());
  await cluster.leader();
  const clients = new Clients(cluster, ['/a', '/b', '/c']);
  await pause(500);
  await nemesis(cluster);
  await cluster.leader();
  await pause(700);
  await clients.stop();
  for (const [key, history] of clients.history) {
    const verdict = checkLinearizable(register, history);
    expect({ key, operations: history.length, ...verdict }).toMatchObject({ kind: 'linearizable' });
  }
  expect(clients.acknowledged).toBeGreaterThan(100);
}

describe.runIf(canRun())('three peers under faults stay linearizable', () => {
  it('when the leader is killed and comes back', { timeout: 120_000 }, () =>
    judged(async (cluster) => {
      for (let round = 0; round < 2; round++) {
        const i = await cluster.leader();
        await cluster.peers[i]!.kill();
        await pause(1500);
        await cluster.open(i);
        await pause(500);
      }
    }),
  );

  it('when all are killed at once', { timeout: 120_000 }, () =>
    judged(async (cluster) => {
      await Promise.all(cluster.peers.map((peer) => peer.kill()));
      await Promise.all(cluster.peers.map((_, i) => cluster.open(i)));
    }),
  );

  // The fault: a leader that was paused answers a read by what it knew before others went on without it.
  it('when the leader is stopped long enough to be deposed, and goes on', { timeout: 120_000 }, () =>
    judged(async (cluster) => {
      for (let round = 0; round < 2; round++) {
        const i = await cluster.leader();
        cluster.peers[i]!.signal('SIGSTOP');
        await pause(2500);
        cluster.peers[i]!.signal('SIGCONT');
        await pause(500);
      }
    }),
  );
});
