import { closeSync, fsyncSync, openSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A small file that is there whole or not at all, and durably so when the call returns: its bytes are synced before it gets its
 * name, and the folder after it got or lost it. Without the latter a power cut could take the name back.
 */
export function writeNote(folder: string, name: string, text: string): void {
  const draft = join(folder, `${name}.new`);
  const fd = openSync(draft, 'w', 0o600);
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, join(folder, name));
  syncFolder(folder);
}

/** Undefined when there is none. */
export function readNote(folder: string, name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

export function removeNote(folder: string, name: string): void {
  try {
    unlinkSync(join(folder, name));
  } catch (error) {
    if (isAbsent(error)) return;
    throw error;
  }
  syncFolder(folder);
}

function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
