import type { JsonObject } from '../../../../../api/index.js';
import { withoutTrailing } from '../../../../../base/index.js';
import { at, objectsAt, textAt } from '../../../access.js';

/** Files of a volume that would lie in, or upon, one another. */

type Warn = (text: string) => void;

export function volumePathWarnings(volume: JsonObject, warn: Warn): void {
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
    ...['configMap', 'secret', 'downwardAPI'].flatMap((source) =>
      objectsAt(s, source, 'items').map((i) => textAt(i, 'path')),
    ),
    ...['serviceAccountToken', 'clusterTrustBundle'].map((source) => textAt(s, source, 'path')),
  ]);
  overlaps(all, `volume "${name}" (Projected)`, warn);
}

function overlaps(paths: readonly string[], what: string, warn: Warn): void {
  const earlier: string[] = [];
  for (const path of paths.filter((p) => p !== '').map((p) => withoutTrailing(p, '/'))) {
    const other = earlier.find((e) => e === path || path.startsWith(`${e}/`) || e.startsWith(`${path}/`));
    if (other !== undefined) warn(`${what}: overlapping paths: "${path}" with "${other}"`);
    earlier.push(path);
  }
}
