import { createHash } from 'node:crypto';
import { invariant } from '../../base/index.js';

/** A member as given to `--initial-cluster`. */
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

export interface PeerNetwork {
  /** Where this peer listens for others: `https://host:port`. Port 0 picks a free one. */
  readonly listenUrls: readonly string[];
  /** Where others reach it. */
  readonly advertiseUrls: readonly string[];
  readonly tls: PeerTls;
}

export interface PeerConfig {
  readonly name: string;
  /** Folder of log and state. Absent: both live in memory only, and nothing is synced. */
  readonly dataDir?: string;
  readonly heartbeatMs: number;
  readonly electionMs: number;
  /** Entries after which the log is cut. */
  readonly snapshotCount: number;
  /** History is given up when it is this old. 0: never. */
  readonly compactionRetentionMs: number;
  /** Space quota of the state; beyond it only deletes are taken. */
  readonly quotaBytes: number;
  /** Puts are refused while the disk has less room than this (less on a small disk: `reserveOn` in space.ts). */
  readonly diskReserveBytes: number;
  /** Empty: a cluster of this peer alone. */
  readonly initialCluster: readonly InitialMember[];
  readonly initialClusterState: 'new' | 'existing';
  readonly initialClusterToken: string;
  /** Absent: no network; the cluster is this peer alone. */
  readonly network?: PeerNetwork;
  /** The forms of log entries that this release reads and may write; for tests of upgrades. */
  readonly entryForms?: { readonly reads: number; readonly writes: number };
  /** Version of the program, sent to other peers. */
  readonly version: string;
  /** A differing peer is looked for this often. 0: never. */
  readonly hashCheckMs: number;
}

/** Defaults, etcd's where it has the flag. */
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

/** Id of a founding member: all founders compute the same from the same flags. In [1, 2^48). */
export function foundingId(member: InitialMember, token: string): number {
  return idFrom([token, member.name, ...[...member.peerUrls].sort()]);
}

/** A 48-bit id from texts; never 0. */
export function idFrom(parts: readonly string[]): number {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest();
  return Math.max(1, hash.readUIntBE(0, 6));
}

/** Id of the cluster that these members found: 16 hexadecimal digits. */
export function foundingClusterId(ids: readonly number[], token: string): string {
  const text = JSON.stringify([token, ...[...ids].sort((a, b) => a - b)]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Who this peer is: written into the log when it is made, and never changed. */
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
    'the log does not say whose it is',
  );
  return { clusterId, name, peerId: peerId! };
}
