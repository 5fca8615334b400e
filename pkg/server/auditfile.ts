import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { AuditOutput } from '../audit/index.js';
import type { Clock } from '../base/index.js';

export interface AuditFileOptions {
  readonly path: string;
  /** Bytes at which the file is rotated; 0: never. */
  readonly sizeMax: number;
  /** Rotated files that are kept; 0: not limited. */
  readonly backupsMax: number;
  /** Days that rotated files are kept; 0: not limited. */
  readonly daysMax: number;
  readonly compress: boolean;
  readonly clock: Clock;
  /** Called when rotated files could not be compressed or removed. */
  readonly failed: (error: Error) => void;
}

const DAY = 86_400_000;
/** Permissions of a new file, and the bits of permissions. */
const OWN = 0o600;
const PERMISSIONS = 0o777;
const LINE_BREAK = 0x0a;

/**
 * A log file that is rotated by its size: `audit.log` becomes `audit-2026-01-02T03-04-05.678.log`, and a new
 * `audit.log` begins. Rotated files are compressed and removed according to the flags.
 */
export class AuditFile implements AuditOutput {
  readonly #options: AuditFileOptions;
  #handle: FileHandle;
  #size: number;
  #tidying: Promise<void> | undefined;
  /** Whether a file was rotated after the present tidying had read the folder. */
  #isUntidy = false;

  private constructor(options: AuditFileOptions, handle: FileHandle, size: number) {
    this.#options = options;
    this.#handle = handle;
    this.#size = size;
  }

  /** Opens the file for appending. Creates its folder. */
  static async open(options: AuditFileOptions): Promise<AuditFile> {
    await mkdir(dirname(options.path), { recursive: true, mode: 0o700 });
    const handle = await open(options.path, 'a', OWN);
    const { size } = await handle.stat();
    const file = new AuditFile(options, handle, size);
    // The flags may have changed, and files may have become too old, since the last rotation.
    file.#tidySoon();
    return file;
  }

  /** Writes whole lines, each of which fits into a file. Calls must not overlap. */
  async write(bytes: Buffer): Promise<void> {
    const { sizeMax } = this.#options;
    let rest = bytes;
    while (sizeMax > 0 && rest.length > sizeMax) {
      const end = rest.lastIndexOf(LINE_BREAK, sizeMax - 1) + 1;
      if (end === 0) break;
      await this.#writePart(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
    await this.#writePart(rest);
  }

  async #writePart(bytes: Buffer): Promise<void> {
    const { sizeMax } = this.#options;
    if (sizeMax > 0 && this.#size > 0 && this.#size + bytes.length > sizeMax) await this.#rotate();
    let written = 0;
    try {
      while (written < bytes.length)
        written += (await this.#handle.write(bytes, written, bytes.length - written)).bytesWritten;
    } catch (error) {
      await this.#undo(written);
      throw error;
    }
    this.#size += bytes.length;
  }

  /** Removes the last bytes, because the next line must not continue a torn one. Others may have truncated the file meanwhile. */
  async #undo(bytes: number): Promise<void> {
    const { size } = await this.#handle.stat();
    if (bytes > 0 && size >= bytes) await this.#handle.truncate(size - bytes);
  }

  async close(): Promise<void> {
    await this.#handle.close();
    await this.#tidying;
  }

  async #rotate(): Promise<void> {
    const { path } = this.#options;
    const before = this.#handle;
    const mode = await this.#toBackup(path);
    this.#handle = await open(path, 'a', mode);
    await this.#handle.chmod(mode);
    this.#size = 0;
    await before.close();
    this.#tidySoon();
  }

  /** Renames the file. Returns the permissions of the next one: readers of the log may have been given access to it. */
  async #toBackup(path: string): Promise<number> {
    try {
      const { mode } = await stat(path);
      await rename(path, await this.#backupName());
      return mode & PERMISSIONS;
    } catch (error) {
      // Others may have removed or moved it.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return OWN;
      throw error;
    }
  }

  #tidySoon(): void {
    this.#isUntidy = true;
    this.#tidying ??= this.#tidyAll().finally(() => {
      this.#tidying = undefined;
    });
  }

  async #tidyAll(): Promise<void> {
    while (this.#isUntidy) {
      this.#isUntidy = false;
      await this.#tidy().catch((error: Error) => this.#options.failed(error));
    }
  }

  async #backupName(): Promise<string> {
    const { path, clock } = this.#options;
    const there = new Set(await readdir(dirname(path)));
    // Two rotations in one millisecond need different names.
    for (let at = clock.now(); ; at++) {
      const name = `${this.#stem}-${timeText(at)}${extname(path)}`;
      if (!there.has(name) && !there.has(`${name}.gz`)) return join(dirname(path), name);
    }
  }

  get #stem(): string {
    const { path } = this.#options;
    return basename(path, extname(path));
  }

  async #tidy(): Promise<void> {
    const { path, backupsMax, daysMax, compress, clock } = this.#options;
    const folder = dirname(path);
    const backups = (await readdir(folder))
      .map((name) => ({ name, time: this.#timeOf(name) }))
      .filter((b) => b.time !== undefined)
      .sort((a, b) => (a.name < b.name ? 1 : -1));
    const oldest = daysMax === 0 ? Number.NEGATIVE_INFINITY : clock.now() - daysMax * DAY;
    for (const [i, { name, time }] of backups.entries()) {
      const file = join(folder, name);
      if ((backupsMax > 0 && i >= backupsMax) || time! < oldest) await rm(file, { force: true });
      else if (compress && !name.endsWith('.gz')) await compressed(file);
    }
  }

  /** The time in the name of a rotated file, or undefined for other files. */
  #timeOf(name: string): number | undefined {
    const ending = extname(this.#options.path);
    const bare = name.endsWith('.gz') ? name.slice(0, -'.gz'.length) : name;
    const head = `${this.#stem}-`;
    if (!bare.startsWith(head) || !bare.endsWith(ending)) return undefined;
    const text = bare.slice(head.length, bare.length - ending.length);
    const time = Date.parse(`${text.slice(0, 10)}T${text.slice(11).replace('-', ':').replace('-', ':')}Z`);
    return Number.isNaN(time) ? undefined : time;
  }
}

/** `2026-01-02T03-04-05.678`: the names of files have no colons. */
const timeText = (ms: number): string => new Date(ms).toISOString().slice(0, -1).replaceAll(':', '-');

async function compressed(file: string): Promise<void> {
  const { mode } = await stat(file);
  await pipeline(createReadStream(file), createGzip(), createWriteStream(`${file}.gz`, { mode: OWN }));
  await chmod(`${file}.gz`, mode & PERMISSIONS);
  await rm(file, { force: true });
}

/** The standard output of the process. */
export const standardOutput: AuditOutput = {
  write: (bytes) =>
    new Promise((resolve, reject) => {
      process.stdout.write(bytes, (error) => (error === null || error === undefined ? resolve() : reject(error)));
    }),
  close: async () => {},
};
