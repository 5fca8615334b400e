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

/** The file's text, or undefined when it is not there. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Makes a folder and those above it that are missing, for their owner alone. One after the other: asked for all of them at once,
 * Node never comes back where a file system takes no folders and says that there is none (/proc).
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
      throw new Error(`no folder can be made in ${dirname(folder)}: choose another place than ${folder}`);
    // Another process was quicker.
    if (code !== 'EEXIST' || !existsSync(folder)) throw error;
  }
}

/** Whole or not at all, on disk when this returns, readable by its owner only; makes the folder. */
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
