import type { SmallFiles } from './smallfile.js';

/**
 * A file beside the state that says that the state must not be served again, and why. It outlives the process, because a service
 * manager restarts a peer on the same state. It goes when the folder is emptied.
 */
export const QUARANTINE_FILE = 'db/REFUSED';

export function quarantine(files: SmallFiles, why: string): void {
  files.write(QUARANTINE_FILE, `${why}\n`);
}

/** Why the state must not be served; undefined when there is no objection. */
export function quarantineReason(files: SmallFiles): string | undefined {
  return files.read(QUARANTINE_FILE)?.trim();
}
