import * as node from 'node:fs';
import { dirname, join } from 'node:path';

/** The calls that small files make to the file system. Tests observe them. */
export type SmallFileDisk = Pick<
  typeof node,
  'openSync' | 'writeFileSync' | 'fsyncSync' | 'closeSync' | 'renameSync' | 'unlinkSync'
>;

/** Small text files of a data folder. Each is present as a whole or not at all. */
export interface SmallFiles {
  /** Undefined when the file does not exist. */
  read(name: string): string | undefined;
  /** The file is durable when the call returns. */
  write(name: string, text: string): void;
  /** The removal is durable when the call returns. */
  remove(name: string): void;
}

/**
 * Small files below `folder`. The content is synced before the file is renamed, and the folder after a rename or
 * removal: otherwise a power cut could undo it.
 */
export function nodeSmallFiles(folder: string, disk: SmallFileDisk = node): SmallFiles {
  return {
    read: (name) => {
      try {
        return node.readFileSync(join(folder, name), 'utf8');
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    },
    write: (name, text) => {
      const file = join(folder, name);
      const draft = `${file}.new`;
      const fd = disk.openSync(draft, 'w', 0o600);
      try {
        disk.writeFileSync(fd, text);
        disk.fsyncSync(fd);
      } finally {
        disk.closeSync(fd);
      }
      disk.renameSync(draft, file);
      syncFolder(dirname(file), disk);
    },
    remove: (name) => {
      const file = join(folder, name);
      try {
        disk.unlinkSync(file);
      } catch (error) {
        if (isAbsent(error)) return;
        throw error;
      }
      syncFolder(dirname(file), disk);
    },
  };
}

function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function syncFolder(folder: string, disk: SmallFileDisk): void {
  const fd = disk.openSync(folder, 'r');
  try {
    disk.fsyncSync(fd);
  } finally {
    disk.closeSync(fd);
  }
}
