import { readFileSync } from 'node:fs';
import type { World } from '../base/index.js';
import { OutboundKubeconfig, type ReviewTarget } from '../outbound/index.js';

/** Milliseconds for which the files of a kubeconfig are cached. */
const PERIOD = 5_000;

/**
 * The service in a kubeconfig. The kubeconfig, the authorities and the certificate in it are read again when they
 * change; while they are invalid, the last good ones are used. Throws `KubeconfigError` at the start.
 */
export function reviewTarget(file: string, world: World): ReviewTarget {
  let contents = new Map<string, string>();
  const load = (): ReturnType<ReviewTarget> => {
    const read = new Map<string, string>();
    const found = new OutboundKubeconfig({
      file,
      read: (path) => {
        const text = readFileSync(path, 'utf8');
        read.set(path, text);
        return text;
      },
    }).target();
    contents = read;
    return found;
  };
  let target = load();
  let lookedAt = world.clock.monotonic();
  return () => {
    const now = world.clock.monotonic();
    if (now - lookedAt < PERIOD) return target;
    lookedAt = now;
    try {
      for (const [path, text] of contents)
        if (readFileSync(path, 'utf8') !== text) {
          target = load();
          break;
        }
    } catch {
      // A file is being replaced: the server keeps the old content and checks again.
    }
    return target;
  };
}
