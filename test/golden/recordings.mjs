// The recorded responses of kube-apiserver, packed into recordings/*.br: one file for each folder, each a JSON object
// of texts by path.
import { readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

const folder = new URL('recordings/', import.meta.url);
let texts;

function all() {
  if (texts !== undefined) return texts;
  const packs = readdirSync(folder).filter((f) => f.endsWith('.br'));
  texts = new Map(packs.flatMap((f) => Object.entries(JSON.parse(brotliDecompressSync(readFileSync(new URL(f, folder)))))));
  return texts;
}

/** The paths below a folder (`cases/`, `validation/`, `openapi/`, `later/`), sorted. */
export function recordedPaths(prefix) {
  return [...all().keys()].filter((path) => path.startsWith(prefix)).sort();
}

/** Returns the text of a recording, for example `cases/lists.json`. Throws if there is none with that path. */
export function recordedText(path) {
  const text = all().get(path);
  if (text === undefined) throw new Error(`there is no recording ${path} in ${folder.pathname}`);
  return text;
}
