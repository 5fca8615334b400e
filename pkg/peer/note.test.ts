import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readNote, removeNote, writeNote } from './note.js';
import { keepRefusal, readRefusal } from './refusal.js';

/** What was asked of the file system, in order: a power cut keeps no more than what an fsync was asked for. */
const asked = vi.hoisted(() => ({ calls: [] as string[], names: new Map<number, string>() }));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return {
    ...fs,
    openSync: (path: string, ...rest: [string]) => {
      const fd = fs.openSync(path, ...rest);
      asked.names.set(fd, path);
      return fd;
    },
    fsyncSync: (fd: number) => {
      asked.calls.push(`sync ${asked.names.get(fd)}`);
      fs.fsyncSync(fd);
    },
    renameSync: (from: string, to: string) => {
      asked.calls.push(`rename ${from} ${to}`);
      fs.renameSync(from, to);
    },
    unlinkSync: (path: string) => {
      asked.calls.push(`remove ${path}`);
      fs.unlinkSync(path);
    },
  };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trireme-note-'));
  asked.calls = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a note', () => {
  it('has its name only when its bytes are safe, and is there only when its name is', () => {
    const file = join(folder, 'NOTE');
    writeNote(folder, 'NOTE', 'text');
    expect(asked.calls).toEqual([`sync ${file}.new`, `rename ${file}.new ${file}`, `sync ${folder}`]);
    expect(readNote(folder, 'NOTE')).toBe('text');
    asked.calls = [];
    removeNote(folder, 'NOTE');
    expect(asked.calls).toEqual([`remove ${file}`, `sync ${folder}`]);
    expect(readNote(folder, 'NOTE')).toBeUndefined();
    removeNote(folder, 'NOTE');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that a state must not be served is such a one', () => {
    expect(readRefusal(folder)).toBeUndefined();
    keepRefusal(folder, 'it differs');
    expect(readRefusal(folder)).toBe('it differs');
    expect(asked.calls.at(-1)).toBe(`sync ${folder}`);
  });
});
