import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const loader = fileURLToPath(new URL('../../scripts/loader.cjs', import.meta.url));
const CACHE = 'a.js.a.cache';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trireme-loader-'));
  copyFileSync(loader, join(folder, 'loader.js'));
  entry('one');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes an entry that prints a word, of a length that depends only on the word's. */
function entry(word: string): void {
  writeFileSync(
    join(folder, 'a.js'),
    `function f() { return '${word}'; }\nprocess.stdout.write(f() + require('node:path').sep);\n`,
  );
}

function run(env: Record<string, string> = {}): string {
  const program = `require(${JSON.stringify(join(folder, 'loader.js'))}).run('a.js');`;
  return execFileSync(process.execPath, ['-e', program], { env: { ...process.env, ...env }, encoding: 'utf8' });
}

describe('the loader of the bundle', () => {
  it('runs an entry without a cache, writes one only when asked, and runs it again with the cache', () => {
    expect(run()).toBe('one/');
    expect(readdirSync(folder)).not.toContain(CACHE);
    expect(run({ TRIREME_CODE_CACHE: 'write' })).toBe('one/');
    expect(readdirSync(folder)).toContain(CACHE);
    expect(run()).toBe('one/');
  });

  it('does not use the cache of another source of the same length, which V8 would accept', () => {
    run({ TRIREME_CODE_CACHE: 'write' });
    entry('two');
    expect(run()).toBe('two/');
    run({ TRIREME_CODE_CACHE: 'write' });
    expect(run()).toBe('two/');
  });

  it('ignores a damaged or empty cache', () => {
    run({ TRIREME_CODE_CACHE: 'write' });
    const cache = join(folder, CACHE);
    const bytes = readFileSync(cache);
    writeFileSync(cache, bytes.subarray(0, 40));
    expect(run()).toBe('one/');
    writeFileSync(cache, '');
    expect(run()).toBe('one/');
  });
});
