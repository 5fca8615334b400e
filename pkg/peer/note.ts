import * as node from 'node:fs';
import { join } from 'node:path';

/** What a note asks of the file system; a test looks on. */
export type NoteDisk = Pick<
  typeof node,
  'openSync' | 'writeFileSync' | 'fsyncSync' | 'closeSync' | 'renameSync' | 'unlinkSync'
>;

/**
 * A small file that is there whole or not at all, and durably so when the call returns: its bytes are synced before it gets its
 * name, and the folder after it got or lost it. Without the latter a power cut could take the name back.
 */
export function writeNote(folder: string, name: string, text: string, disk: NoteDisk = node): void {
  const draft = join(folder, `${name}.new`);
  const fd = disk.openSync(draft, 'w', 0o600);
  try {
    disk.writeFileSync(fd, text);
    disk.fsyncSync(fd);
  } finally {
    disk.closeSync(fd);
  }
  disk.renameSync(draft, join(folder, name));
  syncFolder(folder, disk);
}

/** Undefined when there is none. */
export function readNote(folder: string, name: string): string | undefined {
  try {
    return node.readFileSync(join(folder, name), 'utf8');
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

export function removeNote(folder: string, name: string, disk: NoteDisk = node): void {
  try {
    disk.unlinkSync(join(folder, name));
  } catch (error) {
    if (isAbsent(error)) return;
    throw error;
  }
  syncFolder(folder, disk);
}

function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function syncFolder(folder: string, disk: NoteDisk): void {
  const fd = disk.openSync(folder, 'r');
  try {
    disk.fsyncSync(fd);
  } finally {
    disk.closeSync(fd);
  }
}
