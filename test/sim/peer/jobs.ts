// Runs a series of seeds in several processes. Each run needs only its seed, so the processes share nothing but the list of seeds.

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runPeerSeeds } from './seeds.js';

/** The seeds that a process runs at a time. */
export interface SeedRange {
  readonly from: number;
  readonly count: number;
}

export interface SeedsDone {
  readonly totals: Readonly<Record<string, number>>;
  readonly failed: readonly { readonly seed: number; readonly message: string }[];
}

const RANGE = 100;

/**
 * Most objects of a run die with it. A large young generation is collected less often, and threads that collect beside the run would take
 * the cores from the other processes.
 */
const NODE_FLAGS = ['--max-semi-space-size=64', '--single-threaded-gc'];

const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url));

/** What a process does with its seeds. */
export async function runRange({ from, count }: SeedRange): Promise<SeedsDone> {
  const { failed, ...totals } = await runPeerSeeds({ from, count, goOn: true });
  return { totals, failed: failed.map(({ seed, failure }) => ({ seed, message: failure!.message })) };
}

/**
 * Runs `count` seeds from `from` on in `jobs` processes. Without `goOn` no further range begins after a failure.
 *
 * @param progress called after each range with all that is done so far
 */
export async function runInProcesses(
  { from, count, jobs, goOn }: SeedRange & { readonly jobs: number; readonly goOn: boolean },
  progress: (done: SeedsDone) => void = () => {},
): Promise<SeedsDone> {
  const totals: Record<string, number> = {};
  const failed: SeedsDone['failed'][number][] = [];
  let next = from;
  const take = (): SeedRange | undefined => {
    const left = from + count - next;
    if (left <= 0 || (failed.length > 0 && !goOn)) return undefined;
    const range = { from: next, count: Math.min(RANGE, left) };
    next += range.count;
    return range;
  };
  const one = async (): Promise<void> => {
    const child = fork(WORKER, [], { execArgv: NODE_FLAGS });
    try {
      for (let range = take(); range !== undefined; range = take()) {
        const done = await ask(child, range);
        for (const [name, value] of Object.entries(done.totals)) totals[name] = (totals[name] ?? 0) + value;
        failed.push(...done.failed);
        progress({ totals, failed });
      }
    } finally {
      child.kill();
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, jobs) }, one));
  failed.sort((a, b) => a.seed - b.seed);
  return { totals, failed };
}

function ask(child: ChildProcess, range: SeedRange): Promise<SeedsDone> {
  return new Promise((resolve, reject) => {
    const exited = (code: number | null): void =>
      reject(new Error(`the process for seeds from ${range.from} on exited with ${code}`));
    child.once('exit', exited);
    child.once('message', (done) => {
      child.off('exit', exited);
      resolve(done as SeedsDone);
    });
    child.send(range);
  });
}
