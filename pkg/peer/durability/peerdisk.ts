import { statfs } from 'node:fs';
import { join } from 'node:path';
import { type EngineHome, rocksHome } from '../../storage/index.js';
import { type PeerConfig, WAL_LIMITS } from '../common/index.js';
import { nodeSmallFiles, type SmallFiles } from './smallfile.js';
import { type LogDisk, nodeDisk } from './wal/disk.js';
import type { SegmentSizes } from './wal/log.js';

export interface Room {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** Everything that a peer keeps on disk. The real one is a data folder; tests simulate one. */
export interface PeerDisk {
  /** The engines of the state. */
  readonly home: EngineHome;
  /** Small files of the data folder, by their path in it. */
  readonly files: SmallFiles;
  /** Sizes of the log's segments; `WAL_LIMITS` when absent. */
  readonly segments?: SegmentSizes;
  /** The folder of the log, made when it is absent. */
  wal(): LogDisk;
  /** The data folder itself, made when it is absent. */
  folder(): LogDisk;
  /** The usage of the file system. Rejects with code `ENOENT` if the data folder is gone. */
  room(): Promise<Room>;
}

/** The data folder `dataDir` of the real file system. */
export function nodePeerDisk(
  dataDir: string,
  { openFiles, servesRequests = false }: Pick<PeerConfig, 'openFiles' | 'servesRequests'> = {},
): PeerDisk {
  const inlineBytesMax = servesRequests ? 0 : WAL_LIMITS.inlineWriteBytesMax;
  return {
    home: rocksHome(join(dataDir, 'db'), openFiles === undefined ? {} : { openFiles }),
    files: nodeSmallFiles(dataDir),
    wal: () => nodeDisk(join(dataDir, 'wal'), inlineBytesMax),
    folder: () => nodeDisk(dataDir),
    room: () =>
      new Promise((resolve, reject) => {
        statfs(dataDir, (error, stats) => {
          if (error !== null) reject(error);
          else resolve({ freeBytes: stats.bavail * stats.bsize, totalBytes: stats.blocks * stats.bsize });
        });
      }),
  };
}
