import { join } from 'node:path';
import {
  emptyConfiguration,
  type HardState,
  initialConfiguration,
  MemoryLog,
  type SnapshotMeta,
  toLogIndex,
  toPeerId,
  toTerm,
} from '../../raft/index.js';
import type { World } from '../base/index.js';
import {
  decodeIdentity,
  encodeIdentity,
  foundingClusterId,
  foundingId,
  type Identity,
  type PeerConfig,
} from './config.js';
import { type Journal, memoryJournal } from './journal.js';
import type { PeerMetrics } from './metrics.js';
import { nodeDisk } from './wal/disk.js';
import { type LogWorld, WriteAheadLog } from './wal/log.js';
import { hasLog, LogCorruptError } from './wal/recover.js';

/** The log of this peer as it was found or made, and what the consensus core starts from. */
export interface OpenedLog {
  readonly journal: Journal;
  readonly tail: MemoryLog;
  readonly hardState: HardState | undefined;
  readonly identity: Identity;
  /** The log was made just now. */
  readonly isNew: boolean;
}

/** Who a new peer is, and what its log begins with. */
export interface Founding {
  readonly identity: Identity;
  readonly base: SnapshotMeta;
}

/** Opens the log in the data folder, or makes it. `applied` is where the state stands: a log that ends before it is damaged. */
export async function openLog(
  config: PeerConfig,
  world: World,
  metrics: PeerMetrics,
  applied: number,
  found: () => Promise<Founding>,
): Promise<OpenedLog> {
  if (config.dataDir === undefined) {
    const { identity, base } = await found();
    return { journal: memoryJournal(), tail: new MemoryLog(base), hardState: undefined, identity, isNew: true };
  }
  const logWorld: LogWorld = {
    ...world,
    disk: nodeDisk(join(config.dataDir, 'wal')),
    synced: (milliseconds) => metrics.walFsync.observe(milliseconds / 1000),
  };
  if (!hasLog(logWorld.disk)) {
    if (applied > 0) {
      throw new LogCorruptError(
        `There is a state up to revision ${applied} in ${config.dataDir}, but no log beside it`,
      );
    }
    const { identity, base } = await found();
    const hardState: HardState = { term: base.term, vote: 0 as HardState['vote'], commit: base.index };
    const journal = await WriteAheadLog.create(logWorld, { identity: encodeIdentity(identity), base, hardState });
    return { journal, tail: new MemoryLog(base), hardState, identity, isNew: true };
  }
  const { log, recovered } = await WriteAheadLog.open(logWorld);
  const { base, entries, hardState } = recovered;
  return {
    journal: log,
    tail: new MemoryLog(base, entries),
    hardState,
    identity: decodeIdentity(recovered.identity),
    isNew: false,
  };
}

/** A new cluster, founded from flags that are the same for all founders. */
export function foundCluster(config: PeerConfig): Founding {
  const token = config.initialClusterToken;
  const founders =
    config.initialCluster.length > 0
      ? config.initialCluster
      : [{ name: config.name, peerUrls: config.network?.advertiseUrls ?? [] }];
  const me = founders.find((member) => member.name === config.name);
  if (me === undefined) {
    throw new Error(`--initial-cluster does not name this peer (--name=${config.name})`);
  }
  const ids = founders.map((member) => foundingId(member, token));
  if (new Set(ids).size !== ids.length) throw new Error('--initial-cluster names a member twice');
  const base: SnapshotMeta = {
    index: toLogIndex(0),
    term: toTerm(0),
    config: initialConfiguration(ids.map(toPeerId)),
  };
  const identity = { clusterId: foundingClusterId(ids, token), peerId: foundingId(me, token), name: config.name };
  return { identity, base };
}

/** A peer that a running cluster has added: it waits to hear from its leader. */
export function joinCluster(identity: Identity): Founding {
  return { identity, base: { index: toLogIndex(0), term: toTerm(0), config: emptyConfiguration() } };
}
