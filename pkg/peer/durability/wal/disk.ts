import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  statfsSync,
  unlinkSync,
  write,
  writeSync,
} from 'node:fs';
import { resolve as absolute, dirname, join } from 'node:path';
import { invariant } from '../../../base/index.js';
import { WAL_LIMITS } from '../../common/index.js';

/**
 * The disk as the log uses it. Tests replace the real one by a simulated one, which loses unsynced sectors, fails syncs
 * and fills up on demand.
 */
export interface LogFile {
  readonly size: number;
  /** Bytes at `position`; fewer than `length` at the end of the file. Synchronous: used at start only. */
  read(position: number, length: number): Uint8Array;
  /** Resolves when the operating system has the bytes. Extends the file if needed. Rejects with the errno in `code`. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /**
   * Resolves when everything written before is on stable storage. After a rejection the state of the data is unknown,
   * and a later successful sync proves nothing.
   */
  sync(): Promise<void>;
  /** Writes, then syncs. Resolves when the bytes are on stable storage. */
  writeDurably(bytes: Uint8Array, position: number): Promise<void>;
  close(): void;
}

export interface LogDisk {
  list(): readonly string[];
  open(name: string): LogFile;
  /** Opens a file for writing and creates it if it is absent. Existing content stays. */
  create(name: string): LogFile;
  rename(from: string, to: string): void;
  remove(name: string): void;
  /** The space of its file system. */
  room(): { readonly freeBytes: number; readonly totalBytes: number };
  /** Makes creations, renames and removals durable. */
  syncDirectory(): Promise<void>;
}

/**
 * A directory of the real file system. Creates it (mode 0700) if it is absent. `inlineBytesMax`: the largest write that runs on this thread
 * instead of the thread pool. If it is 0, a durable write is one call on the pool: a second descriptor of each file has O_DSYNC, by which
 * a write ends when its bytes are where fdatasync(2) would have brought them.
 */
export function nodeDisk(folder: string, inlineBytesMax: number = WAL_LIMITS.inlineWriteBytesMax): LogDisk {
  const directory = absolute(folder);
  const made = mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (made !== undefined) syncFolders(dirname(made), dirname(directory));
  return {
    list: () => readdirSync(directory),
    open: (name) => new NodeFile(join(directory, name), constants.O_RDWR, inlineBytesMax),
    create: (name) => new NodeFile(join(directory, name), constants.O_RDWR | constants.O_CREAT, inlineBytesMax),
    rename: (from, to) => renameSync(join(directory, from), join(directory, to)),
    remove: (name) => unlinkSync(join(directory, name)),
    room: () => {
      const { bavail, blocks, bsize } = statfsSync(directory);
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    },
    syncDirectory: () => {
      const fd = openSync(directory, 'r');
      return promised((done) => fsync(fd, done)).finally(() => closeSync(fd));
    },
  };
}

/** Syncs the folders from `lower` up to `upper`, so that new folders survive a power cut. */
function syncFolders(upper: string, lower: string): void {
  for (let folder = lower; folder.length >= upper.length; folder = dirname(folder)) {
    const fd = openSync(folder, 'r');
    fsyncSync(fd);
    closeSync(fd);
    if (folder === dirname(folder)) return;
  }
}

class NodeFile implements LogFile {
  readonly #fd: number;
  /** The same file with O_DSYNC; undefined where durable writes are two calls. */
  readonly #durableFd: number | undefined;
  readonly #inlineBytesMax: number;
  #size: number;

  constructor(path: string, flags: number, inlineBytesMax: number) {
    this.#fd = openSync(path, flags, 0o600);
    // On macOS O_DSYNC leaves the bytes in the cache of the drive; fdatasync of Node does not.
    const hasDurableWrites = inlineBytesMax === 0 && process.platform === 'linux';
    this.#durableFd = hasDurableWrites ? openSync(path, constants.O_RDWR | constants.O_DSYNC) : undefined;
    this.#inlineBytesMax = inlineBytesMax;
    this.#size = fstatSync(this.#fd).size;
  }

  get size(): number {
    return this.#size;
  }

  read(position: number, length: number): Uint8Array {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.#size - position)));
    let at = 0;
    while (at < bytes.length) {
      const n = readSync(this.#fd, bytes, at, bytes.length - at, position + at);
      if (n === 0) break;
      at += n;
    }
    return bytes.subarray(0, at);
  }

  async write(bytes: Uint8Array, position: number): Promise<void> {
    let at = 0;
    // A copy into the page cache takes microseconds, a call on the thread pool about thirty.
    while (at < bytes.length) {
      const rest = bytes.length - at;
      const n =
        rest <= this.#inlineBytesMax
          ? writeSync(this.#fd, bytes, at, rest, position + at)
          : await writeOnPool(this.#fd, bytes, at, rest, position + at);
      invariant(n > 0, 'a write to the log took no bytes');
      at += n;
    }
    this.#size = Math.max(this.#size, position + bytes.length);
  }

  async sync(): Promise<void> {
    await promised((done) => fdatasync(this.#fd, done));
    this.#checkName();
  }

  async writeDurably(bytes: Uint8Array, position: number): Promise<void> {
    if (this.#durableFd === undefined) {
      await this.write(bytes, position);
      return this.sync();
    }
    for (let at = 0; at < bytes.length; ) {
      const n = await writeOnPool(this.#durableFd, bytes, at, bytes.length - at, position + at);
      invariant(n > 0, 'a write to the log took no bytes');
      at += n;
    }
    this.#size = Math.max(this.#size, position + bytes.length);
    this.#checkName();
  }

  /** A file without a name accepts writes and syncs, and is removed when it is closed. */
  #checkName(): void {
    if (fstatSync(this.#fd).nlink === 0)
      throw new Error('a file of the log has been removed while the peer was using it');
  }

  close(): void {
    closeSync(this.#fd);
    if (this.#durableFd !== undefined) closeSync(this.#durableFd);
  }
}

function writeOnPool(fd: number, bytes: Uint8Array, at: number, length: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, at, length, position, (error, n) => (error ? reject(error) : resolve(n)));
  });
}

function promised(start: (done: (error: Error | null | undefined) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => start((error) => (error ? reject(error) : resolve())));
}
