import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the data folders of a cluster lie on, when it is not the file system of the test. */
export interface Disks {
  /** Makes a file system of its own for this folder. */
  attach(folder: string): void;
  /** Takes it away again, whatever state it is in. */
  detach(folder: string): void;
}

/** A file system in memory for each folder. Needs the right to mount. */
export function memoryDisks(mebibytes: number): Disks {
  return {
    attach(folder) {
      mkdirSync(folder, { recursive: true });
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder], { stdio: 'pipe' });
    },
    detach(folder) {
      if (isMounted(folder)) execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' });
    },
  };
}

export function isMounted(folder: string): boolean {
  return readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .some((line) => line.split(' ')[1] === folder);
}

/** Whether this process may mount file systems. */
export function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'trireme-mount-'));
  const disks = memoryDisks(1);
  try {
    disks.attach(folder);
    disks.detach(folder);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
