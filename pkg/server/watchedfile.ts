import { readFile } from 'node:fs/promises';
import type { World } from '../base/index.js';

/** Milliseconds between checks of a file. It is small, and each check reads it. */
const PERIOD = 1_000;

/**
 * Calls `changed` with the text of a file whenever it differs from the last one, beginning with `text`. Checks do not
 * overlap: the next begins after `changed` has ended. If that resolves to 'again', it is called with the same text once more. A file that cannot be read is reported once, until it can be read
 * again. Returns the function that stops the checks.
 */
export function watchFile(
  world: World,
  path: string,
  text: string,
  changed: (text: string) => Promise<'again' | undefined>,
  unreadable: (error: Error) => void,
): () => void {
  let known: string | undefined = text;
  let stopped = false;
  let looking = false;
  let missing = false;
  const look = async (): Promise<void> => {
    let now: string;
    try {
      now = await readFile(path, 'utf8');
      missing = false;
    } catch (error) {
      if (!missing) unreadable(error as Error);
      missing = true;
      return;
    }
    if (stopped || now === known) return;
    const before = known;
    known = now;
    if ((await changed(now)) === 'again') known = before;
  };
  const cancel = world.timers.every(PERIOD, () => {
    if (looking) return;
    looking = true;
    void look().finally(() => {
      looking = false;
    });
  });
  return () => {
    stopped = true;
    cancel();
  };
}
