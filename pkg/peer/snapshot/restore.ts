import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { initialConfiguration, toLogIndex, toPeerId, toTerm } from '../../../raft/index.js';
import { revision, type World } from '../../base/index.js';
import {
  encodeEntry,
  type IndexedEntry,
  inspectSnapshot,
  installSnapshot,
  type Op,
  openStateMachine,
  prefixEnd,
  type StateMachine,
} from '../../storage/index.js';
import {
  foundingClusterId,
  foundingId,
  PEER_RULES,
  type PeerConfig,
  type PeerRules,
  RESTORE_LIMITS,
} from '../common/index.js';
import { createLog, nodePeerDisk, type PeerDisk } from '../durability/index.js';
import { CLUSTER, MEMBERS, type MemberInfo, putMember, REMOVED } from '../membership/index.js';

export interface SnapshotStatus {
  readonly revision: number;
  readonly compacted: number;
  readonly rows: number;
  readonly bytes: number;
  readonly hash: string;
}

/** Reads and checks a whole snapshot file, and describes it. Rejects if it is damaged. */
export async function snapshotStatus(file: string): Promise<SnapshotStatus> {
  const { applied, compacted, rows, bytes, chain } = await inspectSnapshot(chunksOf(file));
  return { revision: applied, compacted, rows, bytes, hash: chain };
}

export interface Restored {
  readonly clusterId: string;
  readonly peerId: number;
  /** Revisions of the new cluster start above this. */
  readonly revision: number;
}

/**
 * Makes the data folder of one member of a new cluster from a snapshot. Every member is restored from the same file with the same
 * `initialCluster`, so all have the same state.
 *
 * Revisions start far above the snapshot's: the old cluster may have continued after the snapshot, and its revisions must not be used again for
 * something else. All history is dropped, so every watch starts again (410).
 */
export async function restoreSnapshot(file: string, config: PeerConfig, world: World): Promise<Restored> {
  const { dataDir } = config;
  if (dataDir === undefined) throw new Error('a snapshot is restored into a data folder');
  if (existsSync(dataDir) && readdirSync(dataDir).some((name) => name === 'db' || name === 'wal')) {
    throw new Error(`${dataDir} holds data already: restore into an empty folder`);
  }
  return restoreTo(nodePeerDisk(dataDir), { config, world, chunks: () => chunksOf(file) });
}

export interface RestoreSource {
  readonly config: PeerConfig;
  readonly world: World;
  /** The simulation breaks them. */
  readonly rules?: Pick<PeerRules, 'restoresAbove'>;
  /** The bytes of the snapshot, from its beginning. Called twice: it is checked before anything is written. */
  chunks(): AsyncIterable<Buffer>;
}

/** Does the same on an empty disk. */
export async function restoreTo(
  disk: Pick<PeerDisk, 'home' | 'wal' | 'segments'>,
  { config, world, chunks, rules = PEER_RULES }: RestoreSource,
): Promise<Restored> {
  const { applied: last, chain: hash } = await inspectSnapshot(chunks());
  const founders = config.initialCluster.length > 0 ? config.initialCluster : [{ name: config.name, peerUrls: [] }];
  const me = founders.find((member) => member.name === config.name);
  if (me === undefined) throw new Error(`--initial-cluster does not name this peer (--name=${config.name})`);
  // The id differs from the snapshot's cluster, even with the same flags.
  const token = `${config.initialClusterToken} restored ${hash} ${last}`;
  const members = founders.map((member): MemberInfo => ({ ...member, id: foundingId(member, token) }));

  // Two entries follow the snapshot.
  const base = last + (rules.restoresAbove ? RESTORE_LIMITS.revisionsAbove : 2);
  const { home, segments } = disk;
  const empty = await home.open();
  const { engine } = await installSnapshot({ home, chunks: chunks() });
  await empty.close();
  await home.sweep();
  const machine = await openStateMachine({ engine, name: home.name });
  await machine.apply(await rebirth(machine, members, base));
  await machine.barrier();
  await machine.close();

  const ids = members.map((member) => member.id);
  const identity = { clusterId: foundingClusterId(ids, token), peerId: foundingId(me, token), name: config.name };
  const log = await createLog(
    { ...world, disk: disk.wal(), ...(segments === undefined ? {} : { segments }) },
    {
      identity,
      base: { index: toLogIndex(base), term: toTerm(1), config: initialConfiguration(ids.map(toPeerId)) },
    },
  );
  await log.journal.close();
  return { clusterId: identity.clusterId, peerId: identity.peerId, revision: base };
}

/** The entries that turn the snapshot into the first state of the new cluster: new members, no history. */
async function rebirth(
  machine: StateMachine,
  members: readonly MemberInfo[],
  base: number,
): Promise<readonly IndexedEntry[]> {
  const ops: Op[] = [];
  for (const prefix of [MEMBERS, REMOVED, CLUSTER]) {
    const old = await machine.range({ start: prefix, end: prefixEnd(prefix) });
    if (old.kind === 'ok') ops.push(...old.items.map(({ key }): Op => ({ kind: 'delete', key })));
  }
  ops.push(...members.map(putMember));
  return [
    { index: base - 1, data: encodeEntry({ kind: 'txn', txn: { compares: [], ops } }) },
    { index: base, data: encodeEntry({ kind: 'compact', revision: revision(base) }) },
  ];
}

function chunksOf(file: string): AsyncIterable<Buffer> {
  return createReadStream(file, { highWaterMark: RESTORE_LIMITS.readBytes });
}
