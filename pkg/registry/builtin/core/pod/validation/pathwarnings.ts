import type { Shaped } from '../../../../../api/index.js';
import { withoutTrailing } from '../../../../../base/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { at, objectsAt, textAt } from '../../../access.js';

/** Warnings about overlapping paths in a volume. */

type Warn = (text: string) => void;

export function volumePathWarnings(volume: Shaped<shapes.CoreV1Volume>, warn: Warn): void {
  const name = textAt(volume, 'name');
  const single = [
    ['configMap', 'name', 'ConfigMap'],
    ['secret', 'secretName', 'Secret'],
  ] as const;
  for (const [source, field, kind] of single) {
    const paths = objectsAt(volume, source, 'items').map((i) => textAt(i, 'path'));
    overlaps(paths, `volume "${name}" (${kind} "${textAt(volume, source, field)}")`, warn);
  }
  overlaps(
    objectsAt(volume, 'downwardAPI', 'items').map((i) => textAt(i, 'path')),
    `volume "${name}" (DownwardAPI)`,
    warn,
  );
  if (at(volume, 'projected') === undefined) return;
  const all = objectsAt(volume, 'projected', 'sources').flatMap((s) => [
    ...(['configMap', 'secret', 'downwardAPI'] as const).flatMap((source) =>
      objectsAt(s, source, 'items').map((i) => textAt(i, 'path')),
    ),
    ...(['serviceAccountToken', 'clusterTrustBundle'] as const).map((source) => textAt(s, source, 'path')),
  ]);
  overlaps(all, `volume "${name}" (Projected)`, warn);
}

function overlaps(paths: readonly string[], what: string, warn: Warn): void {
  const tree = new PathTree();
  for (const path of paths.filter((p) => p !== '').map((p) => withoutTrailing(p, '/'))) {
    const other = tree.add(path);
    if (other !== undefined) warn(`${what}: overlapping paths: "${path}" with "${other}"`);
  }
}

interface Folder {
  readonly inside: Map<string, Folder>;
  /** The index of the first path that ends here, and of the first that ends here or below. */
  own: number;
  first: number;
}

/** A tree of paths. Finding an overlap takes time linear in the segments of the new path. */
class PathTree {
  readonly #root: Folder = { inside: new Map(), own: Infinity, first: Infinity };
  readonly #paths: string[] = [];

  /** Adds a path. Returns the first earlier path that it equals, is inside of or contains. */
  add(path: string): string | undefined {
    const number = this.#paths.push(path) - 1;
    let found = Infinity;
    let folder = this.#root;
    for (const part of path.split('/')) {
      let next = folder.inside.get(part);
      if (next === undefined) {
        next = { inside: new Map(), own: Infinity, first: Infinity };
        folder.inside.set(part, next);
      }
      folder = next;
      found = Math.min(found, folder.own);
      if (folder.first === Infinity) folder.first = number;
    }
    return this.#overlap(folder, found, number);
  }

  #overlap(folder: Folder, above: number, number: number): string | undefined {
    const found = Math.min(above, folder.first === number ? Infinity : folder.first);
    if (folder.own === Infinity) folder.own = number;
    return found === Infinity ? undefined : this.#paths[found];
  }
}
