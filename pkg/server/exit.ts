import type { Clock } from '../base/index.js';
import { ConfigError } from '../config/index.js';

/** A failed start: one line for the operator, and the exit code. */
export interface Failure {
  readonly code: number;
  readonly line: string;
}

/** The effect of a signal: stop gracefully, exit now, or nothing. */
export type Order = 'stop' | 'now' | 'nothing';

/**
 * The first signal stops the process gracefully, a later one at once. Signals within a short time count once: a signal
 * to a process group arrives twice if `make` also forwards it.
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
      return { code: EXIT_FAILED, line: `${e.address} is not an address of this machine (--bind-address)` };
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
      return { code: EXIT_FAILED, line: (e.message ?? String(error)).split('\n')[0] ?? 'unknown error' };
  }
}
