import type { SnapshotMeta, Write } from '../../../raft/index.js';

/** Where the consensus core's writes become durable. `WriteAheadLog` is one; in memory it is nothing at all. */
export interface Journal {
  /** Resolves when the write and every one before it is durable. A rejection is the end of this peer. */
  append(write: Write): Promise<void>;
  /** Gives up entries up to `base`. Resolves when that is durable. */
  cut(base: SnapshotMeta): Promise<void>;
  /** False: nothing new should be taken but what frees space. */
  readonly hasRoom: boolean;
  readonly sizeBytes: number;
  close(): Promise<void>;
}

/** For a peer that lives in memory only: tests, and the server as a library. */
export function memoryJournal(): Journal {
  const done = Promise.resolve();
  return { append: () => done, cut: () => done, hasRoom: true, sizeBytes: 0, close: () => done };
}
