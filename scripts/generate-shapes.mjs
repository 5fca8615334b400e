#!/usr/bin/env node
// Writes pkg/schema/gen/shapes.d.ts, the field names of all built-in types for the compiler. Run after `npm run build`;
// `--check` only reports whether the file is current.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { shapesText } = await import(join(root, 'dist', 'pkg', 'schema', 'shapestext.js'));
const file = join(root, 'pkg', 'schema', 'gen', 'shapes.d.ts');
const text = shapesText();
if (process.argv.includes('--check')) process.exit(readFileSync(file, 'utf8') === text ? 0 : 1);
writeFileSync(file, text);
