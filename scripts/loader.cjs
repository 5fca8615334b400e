// Loads the bundle (bundle.mjs copies this file into dist/bundle/) with V8's code cache, so that a start does not parse and compile
// 4 MB of source again.
//
// The cache of a file is `<file>.<program>.cache`: the SHA-256 of the source, then V8's data, with the functions that had run when
// it was written (codecache.mjs does that in `make build`). A cache of another source, of another version of V8, or that is
// missing changes nothing but the speed. Node.js has this built in from version 22 on (`module.enableCompileCache`).
'use strict';
const { createHash } = require('node:crypto');
const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const { Script } = require('node:vm');

const WRAPPER = ['(function (exports, require, module, __filename, __dirname) { ', '\n})'];
const DIGEST_BYTES = 32;

/** Runs an entry of the bundle, for example `apiserver.js`, and returns its exports. */
exports.run = (entry) => {
  const program = entry.replace(/\.js$/, '');
  const loaded = new Map();

  const load = (name) => {
    const known = loaded.get(name);
    if (known !== undefined) return known.module.exports;
    const file = join(__dirname, name);
    const source = readFileSync(file, 'latin1'); // bundle.mjs leaves only ASCII
    const digest = createHash('sha256').update(source, 'latin1').digest();
    const cache = `${file}.${program}.cache`;
    const cachedData = cachedFor(cache, digest);
    const script = new Script(WRAPPER.join(source), { filename: file, ...(cachedData && { cachedData }) });
    const module = { exports: {} };
    loaded.set(name, { module, script, digest, cache, compiled: cachedData === undefined || script.cachedDataRejected === true });
    const external = createRequire(file);
    const require = (id) => (id.startsWith('./') ? load(id.slice(2)) : external(id));
    script.runInThisContext().call(module.exports, module.exports, require, module, file, dirname(file));
    return module.exports;
  };

  if (process.env.TRIREME_CODE_CACHE === 'write') process.once('exit', () => write(loaded));
  return load(entry);
};

function cachedFor(cache, digest) {
  let bytes;
  try {
    bytes = readFileSync(cache);
  } catch {
    return undefined; // not written yet
  }
  return digest.equals(bytes.subarray(0, DIGEST_BYTES)) ? bytes.subarray(DIGEST_BYTES) : undefined;
}

function write(loaded) {
  for (const { script, digest, cache, compiled } of loaded.values()) {
    if (!compiled) continue;
    writeFileSync(`${cache}.tmp`, Buffer.concat([digest, script.createCachedData()]));
    renameSync(`${cache}.tmp`, cache);
  }
}
