// Generates proto/gen/*.ts from proto/*.proto: `node proto/generate.mjs`. The generated files are checked in; a test
// compares them.
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const pbjs = join(here, '..', 'node_modules', 'protobufjs-cli', 'bin', 'pbjs');

const OPTIONS = ['--no-convert', '--no-verify', '--no-delimited', '--no-typeurl', '--no-comments', '--no-service', '--force-number'];

/** Names of the contracts, without `.proto`. */
export function contracts() {
  return readdirSync(here)
    .filter((name) => name.endsWith('.proto'))
    .map((name) => name.slice(0, -'.proto'.length))
    .sort();
}

/**
 * The static code of one contract, as TypeScript that is not type-checked, so that tsc copies it to dist/. Its types
 * are in proto/<name>.ts.
 */
export function generate(name) {
  const code = execFileSync(
    process.execPath,
    [pbjs, '-t', 'static-module', '-w', 'es6', '-r', `trireme-${name}`, '--dependency', 'protobufjs/minimal.js', ...OPTIONS, join(here, `${name}.proto`)],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  // protobufjs is CommonJS: an ES module can rely only on its default export.
  const body = code.replace('import * as $protobuf from', 'import $protobuf from').replace(/^\/\*eslint.*\*\/\n/, '');
  return `// @ts-nocheck\n// Made by proto/generate.mjs from ${name}.proto. Do not edit.\n${body}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of contracts()) writeFileSync(join(here, 'gen', `${name}.ts`), generate(name));
}
