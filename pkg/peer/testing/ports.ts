import { createServer } from 'node:net';
import { threadId } from 'node:worker_threads';

/**
 * Ports for peers that are stopped and started again. They are below the ephemeral range, so that the port of a stopped peer stays free. Each
 * thread of a test run uses a range of its own.
 */
const RANGE = { from: 16_000, to: 32_000, threads: 4 } as const;
const each = (RANGE.to - RANGE.from) / RANGE.threads;
const first = RANGE.from + (threadId % RANGE.threads) * each;
let next = Math.floor(Math.random() * each);

export async function freePorts(count: number): Promise<readonly number[]> {
  const found: number[] = [];
  for (let tried = 0; found.length < count; tried++) {
    if (tried === each) throw new Error(`of ports ${first} to ${first + each} fewer than ${count} are free`);
    const port = first + next;
    next = (next + 1) % each;
    if (await isFree(port)) found.push(port);
  }
  return found;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
