import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';

/** The text of a file, or undefined when it does not exist. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Makes a folder and its missing parents, readable by their owner only. The folders are made one by one, because Node's
 * recursive mkdir never returns on a file system that reports ENOENT for every mkdir (/proc).
 */
export function makeFolder(folder: string): void {
  const missing: string[] = [];
  for (let at = resolve(folder); !existsSync(at); at = dirname(at)) missing.push(at);
  for (const at of missing.reverse()) makeOne(at);
  if (!statSync(folder).isDirectory())
    throw Object.assign(new Error(`${folder} is a file`), { code: 'ENOTDIR' } satisfies Partial<NodeJS.ErrnoException>);
}

function makeOne(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT')
      throw new Error(`cannot make a folder in ${dirname(folder)}: choose another path than ${folder}`);
    // Another process made it first.
    if (code !== 'EEXIST' || !existsSync(folder)) throw error;
  }
}

/** Writes a file atomically, synced to disk, readable by its owner only. Makes the folder. */
export function writeSecret(file: string, text: string): void {
  makeFolder(dirname(file));
  const unfinished = `${file}.tmp`;
  const fd = openSync(unfinished, 'w', 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(unfinished, file);
  const folder = openSync(dirname(file), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Returns the files that users other than the owner may read or change, which private keys must not allow. Absent files
 * are ignored.
 */
export function exposedFiles(files: readonly string[]): readonly string[] {
  return files.filter((file) => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0);
}
