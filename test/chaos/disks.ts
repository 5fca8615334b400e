import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The file systems of the data folders of a cluster. */
export interface Disks {
  /** Creates a file system for this folder. */
  attach(folder: string): void;
  /** Removes it, whatever its state. */
  detach(folder: string): void;
}

/** An in-memory file system for each folder. Requires permission to mount. */
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

/** An in-memory file system for each folder. Requires permission to mount. */
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

/** File systems on devices that can be frozen: every write and sync then blocks. */
export interface HangingDisks extends Disks {
  /** Blocks all writes until `thaw`, or for this long at most. */
  freeze(folder: string): Promise<void>;
  thaw(folder: string): void;
}

/** The longest freeze: no file system may stay frozen, whatever happens to the test. */
const FROZEN_SECONDS_MAX = 60;

/** Ext4 on a loop device for each folder. Requires permission to mount. */
export function hangingDisks(mebibytes: number): HangingDisks {
  const keepers = new Map<string, ChildProcess>();
  const image = (folder: string): string => `${folder}.image`;
  const thaw = (folder: string): void => {
    const keeper = keepers.get(folder);
    if (keeper === undefined) return;
    keepers.delete(folder);
    keeper.kill();
    spawnSync('fsfreeze', ['--unfreeze', folder]);
  };
  return {
    attach(folder) {
      mkdirSync(folder, { recursive: true });
      execFileSync('truncate', ['-s', `${mebibytes}M`, image(folder)]);
      execFileSync('mkfs.ext4', ['-q', '-F', '-m', '0', image(folder)], { stdio: 'pipe' });
      execFileSync('mount', ['-o', 'loop', image(folder), folder], { stdio: 'pipe' });
    },
    detach(folder) {
      thaw(folder);
      if (isMounted(folder)) execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' });
      rmSync(image(folder), { force: true });
    },
    freeze(folder) {
      // A separate process freezes and thaws the file system, so that it is thawed even when this process has exited.
      const script = `fsfreeze --freeze "$1" && echo frozen && trap : TERM && sleep ${FROZEN_SECONDS_MAX}; fsfreeze --unfreeze "$1"`;
      const keeper = spawn('sh', ['-c', script, 'sh', folder], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
      keepers.set(folder, keeper);
      return new Promise((resolve, reject) => {
        keeper.stdout.once('data', () => resolve());
        keeper.once('exit', (code) => reject(new Error(`${folder} was not frozen (${code})`)));
      });
    },
    thaw,
  };
}

/** The reason why no disk can be frozen on this machine; undefined if one can. */
export async function whyNoHanging(): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'trireme-hang-'));
  const disk = join(folder, 'disk');
  const disks = hangingDisks(16);
  try {
    disks.attach(disk);
    await disks.freeze(disk);
    return undefined;
  } catch (error) {
    return (error as Error).message.split('\n').slice(0, 2).join(' ');
  } finally {
    disks.detach(disk);
    rmSync(folder, { recursive: true, force: true });
  }
}
