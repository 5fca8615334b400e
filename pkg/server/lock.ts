import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, readIfThere } from './files.js';

/**
 * Locks a data folder for one process. The lock names its owner by process id and start time, so that the lock of a
 * killed process is stale even if its id is in use again. The lock gives an early and clear error message. If two
 * processes remove the same stale lock at once, the lock of the store keeps them apart.
 */
export function lockFolder(folder: string): { release(): void } {
  makeFolder(folder);
  const file = join(folder, 'lock');
  const mine = `${process.pid} ${startTime(process.pid) ?? ''}\n`;
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      const fd = openSync(file, 'wx', 0o600);
      writeSync(fd, mine);
      closeSync(fd);
      return {
        release() {
          if (readIfThere(file) === mine) unlinkSync(file);
        },
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = readIfThere(file);
    const pid = owner === undefined ? undefined : livingOwner(owner);
    if (pid !== undefined) throw new Error(`data folder ${folder} is in use by process ${pid}`);
    try {
      unlinkSync(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error(`data folder ${folder} is being opened by another process`);
}

/**
 * Returns the process that a lock names, if it still runs. It may be this one, which may have opened the folder before.
 */
function livingOwner(text: string): number | undefined {
  const [id = '', started = ''] = text.trim().split(' ');
  const pid = Number(id);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return undefined;
  }
  if (isDead(pid)) return undefined;
  const now = startTime(pid);
  return now === undefined || started === '' || now === started ? pid : undefined;
}

/** Clock ticks from boot to the start of the process; undefined if the system does not report it. */
const startTime = (pid: number): string | undefined => statOf(pid)?.[19];

/** Reports whether a process is a zombie: it still answers signals but holds no files. */
const isDead = (pid: number): boolean => ['Z', 'X'].includes(statOf(pid)?.[0] ?? '');

/** The fields of `/proc/<pid>/stat` after the command (proc(5)): the first is the state, the 20th the start time. */
function statOf(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
