import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** The niceness of the peer's thread. A busy serving thread then gets about a tenth of the time of this one. */
export const PEER_THREAD_NICENESS = -10;

/**
 * Asks the scheduler to prefer the calling thread to the serving threads, so that a heartbeat does not wait for a core
 * that is busy with a large request. Only Linux has priorities of single threads (setpriority(2)), and raising them
 * needs root or CAP_SYS_NICE; otherwise nothing changes. The thread is mostly idle, so others are not starved.
 * @returns whether the priority was granted
 */
export function preferThisThread(): boolean {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, PEER_THREAD_NICENESS);
    return true;
  } catch {
    return false;
  }
}
