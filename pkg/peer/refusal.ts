import { closeSync, fsyncSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A note beside the state that it must not be served again, and why. It outlives the process: whoever starts the peer anew,
 * a service manager most likely, starts it on the same state. It goes when the folder is emptied.
 */
const NAME = 'REFUSED';

export function keepRefusal(stateFolder: string, why: string): void {
  const fd = openSync(join(stateFolder, NAME), 'w', 0o600);
  try {
    writeFileSync(fd, `${why}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Why the state in this folder must not be served; undefined when nothing is known against it. */
export function readRefusal(stateFolder: string): string | undefined {
  try {
    return readFileSync(join(stateFolder, NAME), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
