// Copies the data files that the built program reads into dist/: the compiler copies only code.
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);

/** Folders with data files, and the file extensions of data. */
const DATA = [{ folder: 'pkg/schema/data/', endings: ['.schema', '.doc', '.index', '.forms'] }];

for (const { folder, endings } of DATA) {
  const from = new URL(folder, root);
  const to = new URL(`dist/${folder}`, root);
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (endings.some((e) => name.endsWith(e))) cpSync(fileURLToPath(new URL(name, from)), fileURLToPath(new URL(name, to)));
  }
}
