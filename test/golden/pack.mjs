#!/usr/bin/env node
// Packs a folder of recordings into recordings/*.br, or checks that the packed recordings equal those in the folder:
//   node test/golden/pack.mjs [--check] FOLDER
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants } from 'node:zlib';
import { recordedPaths, recordedText } from './recordings.mjs';

const { values: o, positionals } = parseArgs({ allowPositionals: true, options: { check: { type: 'boolean' } } });
const [source] = positionals;
if (source === undefined) throw new Error('usage: node test/golden/pack.mjs [--check] FOLDER');
const files = (folder) => readdirSync(join(source, folder)).filter((f) => /\.jsonl?$/.test(f)).sort().map((f) => join(folder, f));
const packs = { cases: files('cases'), validation: files('validation'), later: files('later'), structure: [...files('.'), ...files('openapi')] };
if (o.check) check(Object.values(packs).flat());
else pack();

function check(paths) {
  const packed = recordedPaths('');
  const stale = [...new Set([...paths, ...packed])].filter((p) => !paths.includes(p) || !packed.includes(p) || readFileSync(join(source, p), 'utf8') !== recordedText(p));
  for (const path of stale) console.log(`recordings: ${path} differs from the packed recording; run node test/golden/pack.mjs ${source}`);
  process.exitCode = stale.length > 0 ? 1 : 0;
}

function pack() {
  mkdirSync(new URL('recordings/', import.meta.url), { recursive: true });
  for (const [name, paths] of Object.entries(packs)) {
    const text = Buffer.from(JSON.stringify(Object.fromEntries(paths.map((p) => [p, readFileSync(join(source, p), 'utf8')]))));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
    writeFileSync(new URL(`recordings/${name}.br`, import.meta.url), brotliCompressSync(text, { params }));
  }
}
