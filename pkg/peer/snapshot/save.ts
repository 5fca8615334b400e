import { createReadStream } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Random } from '../../base/index.js';
import { inspectSnapshot, type StateMachine } from '../../storage/index.js';
import { RESTORE_LIMITS } from '../common/index.js';

export interface SavedSnapshot {
  readonly file: string;
  readonly revision: number;
  readonly bytes: number;
  /** The hash of the state, as peers compare it. */
  readonly hash: string;
}

/** The calls that saving makes to the file system. Tests observe them. */
export type SaveDisk = Pick<typeof fs, 'open' | 'rename' | 'rm'>;

/**
 * Saves a snapshot of the current state to a new file. The file is written, synced, read back and checked before it is
 * renamed to its final name; then its folder is synced. Rejects if it cannot be written, and leaves nothing behind.
 */
export async function saveSnapshot(
  machine: StateMachine,
  file: string,
  random: Random,
  disk: SaveDisk = fs,
): Promise<SavedSnapshot> {
  // A unique name, because another call may write the same file.
  const draft = `${file}.${random.uuid().slice(0, 8)}.part`;
  try {
    const bytes = await writeDraft(machine, draft, disk);
    const meta = await inspectSnapshot(createReadStream(draft, { highWaterMark: RESTORE_LIMITS.readBytes }));
    await disk.rename(draft, file);
    await syncFolder(dirname(file), disk);
    return { file, bytes, revision: meta.applied, hash: meta.chain };
  } catch (error) {
    await disk.rm(draft, { force: true });
    throw error;
  }
}

async function writeDraft(machine: StateMachine, draft: string, disk: SaveDisk): Promise<number> {
  const snapshot = await machine.openSnapshot();
  let bytes = 0;
  try {
    const out = await disk.open(draft, 'wx', 0o600);
    try {
      for await (const chunk of snapshot.chunks()) {
        bytes += chunk.length;
        await out.writeFile(chunk);
      }
      await out.sync();
    } finally {
      await out.close();
    }
  } finally {
    await snapshot.close();
  }
  return bytes;
}

async function syncFolder(folder: string, disk: SaveDisk): Promise<void> {
  const handle = await disk.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
