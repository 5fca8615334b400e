import type { SnapshotMeta, Write } from '../../../raft/index.js';

/** Makes the writes of the consensus core durable. `WriteAheadLog` implements it; a peer in memory does nothing. */
export interface Journal {
  /** Resolves when the write and every earlier one is durable. After a rejection the peer stops. */
  append(write: Write): Promise<void>;
  /** Drops entries up to `base`. Resolves when that is durable. */
  cut(base: SnapshotMeta): Promise<void>;
  /** False: accept only operations that free space. */
  readonly hasRoom: boolean;
  readonly sizeBytes: number;
  close(): Promise<void>;
}

/** For a peer in memory: tests, and the server as a library. */
export function memoryJournal(): Journal {
  const done = Promise.resolve();
  return { append: () => done, cut: () => done, hasRoom: true, sizeBytes: 0, close: () => done };
}
