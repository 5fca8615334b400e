import { type HardState, MemoryLog, type SnapshotMeta, type Write } from '../../../raft/index.js';
import type { World } from '../../base/index.js';
import { decodeIdentity, encodeIdentity, type Identity, type PeerConfig, type PeerMetrics } from '../common/index.js';
import { forceNewCluster } from './forcenew.js';
import { readMarker, removeMarker } from './installmarker.js';
import { type Journal, memoryJournal } from './journal.js';
import type { PeerDisk } from './peerdisk.js';
import type { SmallFiles } from './smallfile.js';
import { reserveOn } from './space.js';
import { type LogWorld, WriteAheadLog } from './wal/log.js';
import { hasLog, LogCorruptError } from './wal/recover.js';

/** The log of this peer, and the initial state of the consensus core. */
export interface OpenedLog {
  readonly journal: Journal;
  readonly tail: MemoryLog;
  readonly hardState: HardState | undefined;
  readonly identity: Identity;
}

/** The identity of a new peer, and the base of its log. */
export interface Founding {
  readonly identity: Identity;
  readonly base: SnapshotMeta;
}

/** Opens the log, or creates it with the identity that `found` returns. `applied` is the index of the state. */
export async function openLog(
  config: PeerConfig,
  disk: PeerDisk | undefined,
  world: World,
  metrics: PeerMetrics,
  applied: number,
  found: () => Promise<Founding>,
): Promise<OpenedLog> {
  if (disk === undefined) {
    const { identity, base } = await found();
    return { journal: memoryJournal(), tail: new MemoryLog(base), hardState: undefined, identity };
  }
  const logWorld: LogWorld = {
    ...world,
    disk: disk.wal(),
    keepFree: (diskBytes) => reserveOn(diskBytes, config.diskReserveBytes),
    ...(disk.segments === undefined ? {} : { segments: disk.segments }),
    synced: (milliseconds) => metrics.walFsync.observe(milliseconds / 1000),
  };
  if (hasLog(logWorld.disk)) {
    const log = await openExisting(logWorld, disk.files, applied);
    return config.forceNewCluster === true ? forceNewCluster(log, applied) : log;
  }
  if (config.forceNewCluster === true) throw new Error('--force-new-cluster needs the data directory of a member');
  if (applied > 0) {
    throw new LogCorruptError(
      `There is a state up to revision ${applied} in ${disk.home.name}, but no log beside it`,
      'If a restore into this data directory was interrupted: empty the directory and restore again',
    );
  }
  return createLog(logWorld, await found());
}

export async function createLog(logWorld: LogWorld, { identity, base }: Founding): Promise<OpenedLog> {
  const hardState: HardState = { term: base.term, vote: 0 as HardState['vote'], commit: base.index };
  const journal = await WriteAheadLog.create(logWorld, { identity: encodeIdentity(identity), base, hardState });
  return { journal, tail: new MemoryLog(base), hardState, identity };
}

async function openExisting(logWorld: LogWorld, files: SmallFiles, applied: number): Promise<OpenedLog> {
  const { log, recovered } = await WriteAheadLog.open(logWorld);
  try {
    const identity = decodeIdentity(recovered.identity);
    const { base, entries, hardState: logged } = recovered;
    const marker = readMarker(files);
    if (marker === undefined || applied < marker.snapshot.index || base.index >= marker.snapshot.index) {
      // No installation was under way, the state was not replaced yet, or the log was replaced already.
      removeMarker(files);
      return { journal: log, tail: new MemoryLog(base, entries), hardState: logged, identity };
    }
    const { snapshot } = marker;
    const hardState = logged.term > marker.hardState.term ? { ...logged, commit: snapshot.index } : marker.hardState;
    const write: Write = { number: 0, hardState, snapshot, entries: [] };
    await log.append(write);
    removeMarker(files);
    return { journal: log, tail: new MemoryLog(snapshot), hardState, identity };
  } catch (error) {
    await log.close();
    throw error;
  }
}
