import { readdirSync, readFileSync } from 'node:fs';

/**
 * The number of files that the store, the connections to other peers and modules may still open. RocksDB keeps the
 * most: it opens tables when it reads them.
 */
const RESERVE_FILES_MAX = 1024;
const RESERVE_FILES_MIN = 96;
/** The files that RocksDB keeps open if the limit allows it. */
const STORE_FILES_MAX = 512;
/** The share of a small limit that is reserved. */
const RESERVE_SHARE = 0.4;
/** The minimum number of connections, whatever the limit. */
const CONNECTIONS_MIN = 8;

/**
 * Returns how many client connections may be open, so that files for the store remain: `limit` minus the open files and
 * a reserve. Infinity if the limit is unknown.
 */
export function connectionsMax(limit: number | undefined, open: number): number {
  if (limit === undefined) return Infinity;
  return Math.max(CONNECTIONS_MIN, limit - open - reserveOf(limit));
}

/** How many files RocksDB may keep open: half of the reserve, because two engines are open while a snapshot is installed. */
export function storeFilesMax(limit: number | undefined): number {
  return limit === undefined ? STORE_FILES_MAX : Math.min(STORE_FILES_MAX, Math.floor(reserveOf(limit) / 2));
}

function reserveOf(limit: number): number {
  return Math.min(RESERVE_FILES_MAX, Math.max(RESERVE_FILES_MIN, Math.ceil(limit * RESERVE_SHARE)));
}

/**
 * Reads RLIMIT_NOFILE of this process (Node raises the soft limit to the hard one at start) and the number of open
 * files; Linux only.
 */
export function openFiles(): { readonly limit: number | undefined; readonly open: number } {
  try {
    const line = readFileSync('/proc/self/limits', 'latin1')
      .split('\n')
      .find((l) => l.startsWith('Max open files'));
    const soft = Number(line?.slice('Max open files'.length).trim().split(' ')[0]);
    if (!Number.isSafeInteger(soft)) return { limit: undefined, open: 0 };
    return { limit: soft, open: readdirSync('/proc/self/fd').length };
  } catch {
    // This system has no /proc: the limit is unknown.
    return { limit: undefined, open: 0 };
  }
}
