import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exposedFiles, makeFolder } from './files.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trireme-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a folder', () => {
  it('is made with its parents, for its owner only, and unchanged when it exists', () => {
    const inner = join(folder, 'a', 'b');
    makeFolder(inner);
    makeFolder(inner);
    expect([inner, join(folder, 'a')].map((f) => statSync(f).mode & 0o777)).toEqual([0o700, 0o700]);
  });

  it('is not made in place of a file', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(() => makeFolder(file)).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
    expect(() => makeFolder(join(file, 'x'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
  });

  it.skipIf(!existsSync('/proc/self'))('is refused on a file system without folders', () => {
    expect(() => makeFolder('/proc/trireme/x')).toThrow(
      'cannot make a folder in /proc: choose another path than /proc/trireme',
    );
  });
});

it('reports keys that users other than their owner may read', () => {
  const files = ['a.key', 'b.key', 'c.key'].map((name) => join(folder, name));
  for (const file of files) writeFileSync(file, 'x', { mode: 0o600 });
  expect(exposedFiles([...files, join(folder, 'absent.key')])).toEqual([]);
  chmodSync(files[0]!, 0o640);
  chmodSync(files[2]!, 0o777);
  expect(exposedFiles(files)).toEqual([files[0], files[2]]);
});
