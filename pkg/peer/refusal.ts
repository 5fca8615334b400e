import { type NoteDisk, readNote, writeNote } from './note.js';

/**
 * A note beside the state that it must not be served again, and why. It outlives the process: whoever starts the peer anew,
 * a service manager most likely, starts it on the same state. It goes when the folder is emptied.
 */
const NAME = 'REFUSED';

export function keepRefusal(stateFolder: string, why: string, disk?: NoteDisk): void {
  writeNote(stateFolder, NAME, `${why}\n`, disk);
}

/** Why the state in this folder must not be served; undefined when nothing is known against it. */
export function readRefusal(stateFolder: string): string | undefined {
  return readNote(stateFolder, NAME)?.trim();
}
