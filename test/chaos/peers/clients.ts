import { checkLinearizable, type Model, type Operation, type Verdict } from '../linearizable.js';
import { NotDone, type PeerProcess, type ProcessCluster, pause } from './harness.js';

export type Input = { readonly kind: 'put'; readonly value: string } | { readonly kind: 'get' };
export type Output = string | null;

const register: Model<Output, Input, Output> = {
  initial: null,
  key: (state) => state ?? '-',
  step: (state, input, output) => {
    if (input.kind === 'put') return input.value;
    return output === undefined || output === state ? state : undefined;
  },
};

export interface KeyVerdict {
  readonly key: string;
  readonly operations: number;
  readonly verdict: Verdict<Input, Output>['kind'];
}

/** Clients of all peers on a few keys, each a register. They record their operations and the times. */
export class Clients {
  readonly #history = new Map<string, Operation<Input, Output>[]>();
  readonly #cluster: ProcessCluster;
  #running = true;
  readonly #done: Promise<unknown>;
  #answered = 0;

  constructor(cluster: ProcessCluster, keys: readonly string[]) {
    this.#cluster = cluster;
    for (const key of keys) this.#history.set(key, []);
    this.#done = Promise.all(keys.flatMap((key) => cluster.peers.map((_, i) => this.#client(key, i))));
  }

  async #client(key: string, i: number): Promise<void> {
    for (let n = 0; this.#running; n++) {
      const called = performance.now();
      const input: Input = n % 2 === 0 ? { kind: 'put', value: `${i}.${n}` } : { kind: 'get' };
      const output = await this.#do(this.#cluster.peers[i]!, key, input).catch((error) =>
        error instanceof NotDone ? ('refused' as const) : ('unknown' as const),
      );
      if (output === 'unknown') {
        if (input.kind === 'put') {
          this.#note(key, { input, output: undefined, called, returned: Number.POSITIVE_INFINITY });
        }
      } else if (output !== 'refused') {
        this.#note(key, { input, output: output.value, called, returned: performance.now() });
        this.#answered++;
      }
      await pause(output === 'unknown' || output === 'refused' ? 50 : 5);
    }
  }

  async #do(peer: PeerProcess, key: string, input: Input): Promise<{ readonly value: Output } | 'refused' | 'unknown'> {
    if (input.kind === 'put') {
      const result = await peer.put(key, input.value);
      return result.kind === 'committed' ? { value: input.value } : result.kind === 'refused' ? 'refused' : 'unknown';
    }
    const read = await peer.get(key);
    return read.kind === 'ok' ? { value: read.value } : 'refused';
  }

  #note(key: string, operation: Operation<Input, Output>): void {
    this.#history.get(key)!.push(operation);
  }

  /** Resolves when this many more requests have completed, however long that takes. */
  async answers(more: number): Promise<void> {
    const goal = this.#answered + more;
    for (const end = performance.now() + 60_000; this.#answered < goal; await pause(20)) {
      if (performance.now() > end) throw new Error(`${goal - this.#answered} of ${more} requests did not complete`);
    }
  }

  /** Stops the clients and checks the history. */
  async verdicts(): Promise<readonly KeyVerdict[]> {
    this.#running = false;
    await this.#done;
    return [...this.#history].map(([key, history]) => {
      const { kind } = checkLinearizable(register, history);
      return { key, operations: history.length, verdict: kind };
    });
  }
}
