import * as node from 'node:fs';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { quarantine, quarantineReason } from './quarantine.js';
import { nodeSmallFiles, type SmallFileDisk } from './smallfile.js';

/** Records the calls to the file system, in order: a power cut keeps only what an fsync covered. */
function watched(): SmallFileDisk & { readonly calls: string[] } {
  const calls: string[] = [];
  const names = new Map<number, string>();
  return {
    ...node,
    calls,
    openSync: (path, ...rest) => {
      const fd = node.openSync(path, ...rest);
      names.set(fd, String(path));
      return fd;
    },
    fsyncSync: (fd) => {
      calls.push(`sync ${names.get(fd)}`);
      node.fsyncSync(fd);
    },
    renameSync: (from, to) => {
      calls.push(`rename ${from} ${to}`);
      node.renameSync(from, to);
    },
    unlinkSync: (path) => {
      calls.push(`remove ${path}`);
      node.unlinkSync(path);
    },
  };
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trireme-file-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a small file', () => {
  it('is renamed only after its content is synced, and the folder is synced after a rename or removal', () => {
    const file = join(folder, 'NOTE');
    const writing = watched();
    nodeSmallFiles(folder, writing).write('NOTE', 'text');
    expect(writing.calls).toEqual([`sync ${file}.new`, `rename ${file}.new ${file}`, `sync ${folder}`]);
    expect(nodeSmallFiles(folder).read('NOTE')).toBe('text');
    const removing = watched();
    nodeSmallFiles(folder, removing).remove('NOTE');
    expect(removing.calls).toEqual([`remove ${file}`, `sync ${folder}`]);
    expect(nodeSmallFiles(folder).read('NOTE')).toBeUndefined();
    nodeSmallFiles(folder).remove('NOTE');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('records that a state must not be served', () => {
    mkdirSync(join(folder, 'db'));
    expect(quarantineReason(nodeSmallFiles(folder))).toBeUndefined();
    const keeping = watched();
    quarantine(nodeSmallFiles(folder, keeping), 'it differs');
    expect(quarantineReason(nodeSmallFiles(folder))).toBe('it differs');
    expect(keeping.calls.at(-1)).toBe(`sync ${join(folder, 'db')}`);
  });
});
