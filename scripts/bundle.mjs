// Bundles the compiled code into a few files to make the start faster: finding, reading and linking some 600 small modules takes
// most of the start time (515 ms of CPU instead of 150). The tree in dist/ stays unchanged, except that the programs' main files
// only load their bundle.
//
//     dist/bundle/apiserver.js, ctl.js, envtest.js, peer.js, server.js    entries, CommonJS; shared code is in chunks beside them
//     dist/bundle/loader.js                                               loads them, with V8's code cache if codecache.mjs wrote one
//     dist/bundle/worker.js                                               what the server starts as the peer's thread: peer.js
//     dist/bundle/library.mjs                                             the library as an ES module: server.js
//     dist/bundle/data/                                                   files that pkg/schema reads at run time
//
// The server's main file must set UV_THREADPOOL_SIZE before the thread pool (file system, RocksDB, the log's sync) is first used,
// and the loader of ES modules uses it before the first line of such a module runs. With the default of 4
// threads, a few slow reads of the store delay the log's sync.
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const scripts = dirname(fileURLToPath(import.meta.url));
const dist = join(scripts, '..', 'dist');
const out = join(dist, 'bundle');

const POOL_THREADS = 16;
// The server has some 1,400 functions worth optimizing, none of which takes more than a few percent of its time. V8 inlines up to 920 bytes of
// bytecode into each, and compiling them took a sixth of the CPU time of a cluster's first minute. With a third of that, and functions of up
// to 60 bytes (27) free, requests cost the same (get 0.98 times, create 0.94, patch 1.03, list 0.9) and that minute 0.9 to 0.94 times.
const OPTIMIZER = ['--max-inlined-bytecode-size-cumulative=300', '--max-inlined-bytecode-size-small=60'];
const COMMONJS = '{ "type": "commonjs" }\n';
const PROGRAMS = { apiserver: 'cmd/apiserver/main.js', ctl: 'cmd/ctl/main.js', envtest: 'cmd/envtest/main.js' };
const OTHERS = { server: 'pkg/server/library.js', peer: 'pkg/peer/thread/worker.js' };

const input = {};
for (const [name, file] of Object.entries({ ...PROGRAMS, ...OTHERS })) {
  if (existsSync(join(dist, file))) input[name] = join(dist, file);
}

rmSync(out, { recursive: true, force: true });
const bundle = await rolldown({
  input,
  platform: 'node',
  // Native code is loaded from its installed location.
  external: ['rocksdb', 'level-rocksdb'],
  logLevel: 'silent',
});
const written = await bundle.write({
  dir: out,
  format: 'cjs',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  sourcemap: true,
});
await bundle.close();
writeFileSync(join(out, 'LICENSES.txt'), licenses(written.output.flatMap((chunk) => Object.keys(chunk.modules ?? {}))));

// A single character beyond Latin-1 makes V8 keep a whole source with two bytes for each character, 5 MB instead of
// 2.5. Strings, patterns and names may use escapes.
for (const name of readdirSync(out).filter((file) => file.endsWith('.js'))) {
  const source = readFileSync(join(out, name), 'utf8');
  if (/\\[^\x00-\x7f]/.test(source)) throw new Error(`${name}: a character beyond ASCII stands behind a backslash and cannot be escaped`);
  const ascii = source.replace(/^#!.*\n/, '\n').replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (ascii !== source) writeFileSync(join(out, name), ascii);
}
cpSync(join(dist, 'pkg/schema/data'), join(out, 'data'), { recursive: true });
cpSync(join(scripts, 'loader.cjs'), join(out, 'loader.js'));
writeFileSync(join(out, 'package.json'), COMMONJS);
// The thread's file is next to the code that starts it, so it must have the same name as in the tree.
if (input.peer !== undefined) writeFileSync(join(out, 'worker.js'), "require('./loader.js').run('peer.js');\n");
if (input.server !== undefined) {
  const names = written.output.find((chunk) => chunk.name === 'server' && chunk.isEntry).exports;
  const load = "import { createRequire } from 'node:module';\n";
  const run = "createRequire(import.meta.url)('./loader.js').run('server.js')";
  writeFileSync(join(out, 'library.mjs'), `${load}export const { ${names.join(', ')} } = ${run};\n`);
}

const pool = `process.env.UV_THREADPOOL_SIZE ??= '${POOL_THREADS}';\n`;
const optimizer = `for (const f of ${JSON.stringify(OPTIMIZER)}) require('node:v8').setFlagsFromString(f);\n`;
const BEFORE = { apiserver: pool + optimizer, envtest: pool + optimizer, ctl: '' };

for (const [name, file] of Object.entries(PROGRAMS)) {
  if (input[name] === undefined) continue;
  const main = join(dist, file);
  const loader = relative(dirname(main), join(out, 'loader.js')).replaceAll('\\', '/');
  writeFileSync(main, `#!/usr/bin/env node\n${BEFORE[name]}require('${loader}').run('${name}.js');\n`);
  writeFileSync(join(dirname(main), 'package.json'), COMMONJS);
  chmodSync(main, 0o755);
}

// The assets folder of envtest, for KUBEBUILDER_ASSETS.
const assets = join(dist, 'envtest');
mkdirSync(assets, { recursive: true });
for (const name of ['kube-apiserver', 'etcd']) {
  const file = join(assets, name);
  writeFileSync(file, `#!/bin/sh\nexec node "$(dirname "$(readlink -f "$0")")/../${PROGRAMS.envtest}" ${name} "$@"\n`);
  chmodSync(file, 0o755);
}

/** The licences of the bundled packages, which must be distributed with copies. */
function licenses(modules) {
  const folders = new Set(modules.flatMap((id) => /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []));
  return [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((f) => /^licen[cs]e/i.test(f));
    const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
    return `${name} ${version} (${license})\n${text}`;
  }).join(`\n${'-'.repeat(80)}\n\n`);
}
