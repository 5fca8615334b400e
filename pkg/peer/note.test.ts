import * as node from 'node:fs';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type NoteDisk, readNote, removeNote, writeNote } from './note.js';
import { keepRefusal, readRefusal } from './refusal.js';

/** What is asked of the file system, in order: a power cut keeps no more than what an fsync was asked for. */
function watched(): NoteDisk & { readonly calls: string[] } {
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
  folder = mkdtempSync(join(tmpdir(), 'trireme-note-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a note', () => {
  it('has its name only when its bytes are safe, and is there only when its name is', () => {
    const file = join(folder, 'NOTE');
    const writing = watched();
    writeNote(folder, 'NOTE', 'text', writing);
    expect(writing.calls).toEqual([`sync ${file}.new`, `rename ${file}.new ${file}`, `sync ${folder}`]);
    expect(readNote(folder, 'NOTE')).toBe('text');
    const removing = watched();
    removeNote(folder, 'NOTE', removing);
    expect(removing.calls).toEqual([`remove ${file}`, `sync ${folder}`]);
    expect(readNote(folder, 'NOTE')).toBeUndefined();
    removeNote(folder, 'NOTE');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that a state must not be served is such a one', () => {
    expect(readRefusal(folder)).toBeUndefined();
    const keeping = watched();
    keepRefusal(folder, 'it differs', keeping);
    expect(readRefusal(folder)).toBe('it differs');
    expect(keeping.calls.at(-1)).toBe(`sync ${folder}`);
  });
});
