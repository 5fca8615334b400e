import { existsSync, readFileSync } from 'node:fs';

const THREAD = '/proc/thread-self/schedstat';
const TELLS_THREADS = existsSync(THREAD);

/** The CPU time of this process. Unlike the time of day it hardly depends on what else the machine does. */
export function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * The CPU time of this thread: what the event loop is held, with its part of garbage collection, but without the threads that compile and
 * collect beside it. Where the system does not tell (Linux does), that of the process.
 */
export function threadMilliseconds(): number {
  if (!TELLS_THREADS) return cpuMilliseconds();
  return Number(readFileSync(THREAD, 'latin1').split(' ', 1)[0]) / 1e6;
}
