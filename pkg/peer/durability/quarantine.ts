import type { SmallFiles } from './smallfile.js';

/**
 * A file beside the state which records that the state must not be served again, and why. It outlives the process,
 * because a service manager would restart a peer on the same state. It is removed with the content of the folder.
 */
export const QUARANTINE_FILE = 'db/REFUSED';

export function quarantine(files: SmallFiles, why: string): void {
  files.write(QUARANTINE_FILE, `${why}\n`);
}

/** Why the state must not be served; undefined if it may. */
export function quarantineReason(files: SmallFiles): string | undefined {
  return files.read(QUARANTINE_FILE)?.trim();
}
