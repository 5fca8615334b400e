import type { Clock } from '../base/index.js';
import { ConfigError } from '../config/index.js';

/** A start that failed, in one line for the administrator, and the code the process ends with. */
export interface Failure {
  readonly code: number;
  readonly line: string;
}

/** What a signal asks for: to end in order, to end at once, or nothing new. */
export type Order = 'stop' | 'now' | 'nothing';

/**
 * The first signal ends the process in order, a later one at once. Those of one moment are one: who sends to a process group sends to
 * `make` in it as well, which passes it on.
 */
export function signalOrders(clock: Clock): () => Order {
  let first: number | undefined;
  return () => {
    const now = clock.monotonic();
    if (first === undefined) {
      first = now;
      return 'stop';
    }
    return now - first < ONE_MOMENT ? 'nothing' : 'now';
  };
}

const ONE_MOMENT = 500;

const EXIT_USAGE = 2;
const EXIT_FAILED = 1;

export function failureOf(error: unknown): Failure {
  const e = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (error instanceof ConfigError) return { code: EXIT_USAGE, line: e.message };
  switch (e.code) {
    case 'EADDRINUSE':
      return { code: EXIT_FAILED, line: `port ${e.port} on ${e.address} is taken by another process (--secure-port)` };
    case 'EADDRNOTAVAIL':
      return { code: EXIT_FAILED, line: `${e.address} is no address of this machine (--bind-address)` };
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return { code: EXIT_FAILED, line: `no permission: ${e.message}` };
    case 'ENOSPC':
      return { code: EXIT_FAILED, line: `no space left: ${e.message}` };
    case 'ENOTDIR':
    case 'EEXIST':
      return { code: EXIT_FAILED, line: `not a folder: ${e.message}` };
    default:
      return { code: EXIT_FAILED, line: (e.message ?? String(error)).split('\n')[0] ?? 'unknown fault' };
  }
}
