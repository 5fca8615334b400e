import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Niceness of the peer's thread: a serving thread under full load gets about a tenth of what this one asks for at the same time. */
export const PEER_THREAD_NICENESS = -10;

/**
 * Asks the scheduler to run the calling thread before the serving threads of this process and others, so that a heartbeat does not
 * wait for a core that is busy with a large request. Only Linux has priorities of single threads (setpriority(2)), and only who
 * may raise them (root, CAP_SYS_NICE) is heard: elsewhere nothing changes. The thread mostly waits, so nobody starves beside it.
 *
 * @returns whether it was granted.
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
