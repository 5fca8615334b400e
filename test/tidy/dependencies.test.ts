import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const SKIPPED = new Set(['node_modules', 'dist', 'gen', '.git', '.trireme']);

interface Package {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Package;

/** Programs that are started or configured rather than imported, by the file that names them. */
const PROGRAMS: Readonly<Record<string, string>> = {
  '@biomejs/biome': 'biome.json',
  '@types/node': 'tsconfig.json',
  'protobufjs-cli': 'proto',
  typescript: 'package.json',
};

function* texts(folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    if (SKIPPED.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* texts(path);
    else if (/\.m?ts$|\.mjs$/.test(entry.name)) yield readFileSync(join(root, path), 'utf8');
  }
}

it('has a caller for every declared dependency, and an exact version', () => {
  const all = ['cmd', 'pkg', 'proto', 'raft', 'scripts', 'test', 'examples'].flatMap((f) => [...texts(f)]);
  const declared = Object.entries({
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
    ...manifest.devDependencies,
  });
  const called = (name: string): boolean => {
    const forms = [`'${name}'`, `'${name}/`, `node_modules/${name}/`, `'node_modules', '${name}'`];
    return all.some((text) => forms.some((form) => text.includes(form)));
  };
  expect(declared.filter(([name]) => !called(name) && PROGRAMS[name] === undefined).map(([name]) => name)).toEqual([]);
  expect(declared.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

it('installs nothing for users except the native store, which in-memory tests do not need', () => {
  expect(manifest.dependencies ?? {}).toEqual({});
  expect(Object.keys(manifest.optionalDependencies ?? {}).sort()).toEqual(['level-rocksdb', 'rocksdb']);
});

const declarations = join(root, 'dist/pkg/server/library.d.ts');

it.skipIf(!existsSync(declarations))('the declarations of the npm package need no other file of it', () => {
  const { exports, files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(files).toContain(exports['.'].types.replace('./', ''));
  expect(readFileSync(declarations, 'utf8')).not.toMatch(/\b(?:from|import)\b\s*\(?\s*['"]/);
});
