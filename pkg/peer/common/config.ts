import { createHash } from 'node:crypto';
import { invariant } from '../../base/index.js';

/** A member in `--initial-cluster`. */
export interface InitialMember {
  readonly name: string;
  readonly peerUrls: readonly string[];
}

/** PEM texts. Peers authenticate each other by certificates of one peer CA. */
export interface PeerTls {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Paths of the files that hold a `PeerTls`. */
export interface PeerTlsFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface PeerNetwork {
  /** The URL on which this peer listens for others: `https://host:port`. Port 0 selects a free one. */
  readonly listenUrls: readonly string[];
  /** The URLs under which others reach this peer. */
  readonly advertiseUrls: readonly string[];
  readonly tls: PeerTls;
  /** The files that `tls` was read from. They are read again when they change. */
  readonly tlsFiles?: PeerTlsFiles;
  /** Common names that certificates of other peers may have. Empty or absent: any. */
  readonly allowedCommonNames?: readonly string[];
  /** Hosts, one of which a certificate of another peer must name. Empty or absent: any. */
  readonly allowedHostnames?: readonly string[];
}

export interface PeerConfig {
  readonly name: string;
  /** The folder of log and state. If absent, both are in memory only, and nothing is synced. */
  readonly dataDir?: string;
  /** The number of files that the state keeps open; absent: `openFilesMax` of pkg/storage. */
  readonly openFiles?: number;
  /** The thread of this peer also serves requests: it never waits for a write to the log, however small. */
  readonly servesRequests?: boolean;
  readonly heartbeatMs: number;
  readonly electionMs: number;
  /** Entries after which the log is cut. */
  readonly snapshotCount: number;
  /** Age at which history is compacted. 0: never. */
  readonly compactionRetentionMs: number;
  /** The quota of the state. Puts beyond it are refused. */
  readonly quotaBytes: number;
  /** Puts are refused while the disk has less room than this (less on a small disk: `reserveOn` in space.ts). */
  readonly diskReserveBytes: number;
  /** If empty, the cluster is this peer alone. */
  readonly initialCluster: readonly InitialMember[];
  readonly initialClusterState: 'new' | 'existing';
  readonly initialClusterToken: string;
  /** Creates a cluster of this peer alone from its data, after the loss of a majority. */
  readonly forceNewCluster?: boolean;
  /** If absent, there is no network, and the cluster is this peer alone. */
  readonly network?: PeerNetwork;
  /** The forms of log entries that this release reads and may write; for tests of upgrades. */
  readonly entryForms?: { readonly reads: number; readonly writes: number };
  /** Version of the program, sent to other peers. */
  readonly version: string;
  /** The interval of the hash check between peers. 0: never. */
  readonly hashCheckMs: number;
}

/** Defaults; etcd's where etcd has the flag. */
export const PEER_DEFAULTS = {
  name: 'default',
  heartbeatMs: 100,
  electionMs: 1000,
  snapshotCount: 10_000,
  compactionRetentionMs: 5 * 60_000,
  quotaBytes: 8 * 1024 ** 3,
  diskReserveBytes: 256 * 1024 ** 2,
  initialCluster: [],
  initialClusterState: 'new',
  initialClusterToken: 'trireme-cluster',
  version: '0.0.0',
  hashCheckMs: 60_000,
} as const satisfies PeerConfig;

/** The id of a founding member, in [1, 2^48). All founders compute the same from the same flags. */
export function foundingId(member: InitialMember, token: string): number {
  return idFrom([token, member.name, ...[...member.peerUrls].sort()]);
}

/** A 48-bit id computed from texts; never 0. */
export function idFrom(parts: readonly string[]): number {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest();
  return Math.max(1, hash.readUIntBE(0, 6));
}

/** The id of the cluster that these members found: 16 hexadecimal digits. */
export function foundingClusterId(ids: readonly number[], token: string): string {
  const text = JSON.stringify([token, ...[...ids].sort((a, b) => a - b)]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The identity of a peer: written when its log is created, and never changed. */
export interface Identity {
  readonly clusterId: string;
  readonly peerId: number;
  readonly name: string;
}

export function encodeIdentity(identity: Identity): Uint8Array {
  return Buffer.from(JSON.stringify(identity));
}

export function decodeIdentity(bytes: Uint8Array): Identity {
  const value = JSON.parse(Buffer.from(bytes).toString()) as Partial<Identity>;
  const { clusterId, peerId, name } = value;
  invariant(
    typeof clusterId === 'string' && typeof name === 'string' && Number.isSafeInteger(peerId),
    'the log does not name its peer and cluster',
  );
  return { clusterId, name, peerId: peerId! };
}
