import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { World } from '../base/index.js';
import { type Config, ConfigError } from '../config/index.js';
import {
  openPeerHere,
  openPeerThread,
  PEER_DEFAULTS,
  type PeerConfig,
  type PeerHandle,
  type PeerNetwork,
  type PeerTls,
} from '../peer/index.js';
import type { Keyspace } from '../storage/index.js';
import type { Log } from '../telemetry/index.js';
import { givenAuthorities, givenPair } from './given.js';
import { openFiles, storeFilesMax } from './openfiles.js';
import { keepPeerPki, peerPkiFiles, serverNames } from './pki.js';
import { serviceAddresses } from './services.js';
import { PROGRAM_VERSION } from './version.js';

/** Opens the store: a peer that is alone on this thread, one of a cluster on its own. */
export async function openStore(
  config: Config,
  log: Log,
  { world, fatal }: { readonly world: World; readonly fatal: (error: Error) => void },
): Promise<PeerHandle> {
  const network = await networkOf(config, world);
  const open = network === undefined ? openPeerHere : openPeerThread;
  return open(peerConfig(config, network), { fatal, note: (level, message) => log[level](message) });
}

function peerConfig(config: Config, network: PeerNetwork | undefined): PeerConfig {
  const { cluster } = config;
  return {
    ...PEER_DEFAULTS,
    name: cluster.name,
    dataDir: config.dataDir,
    openFiles: storeFilesMax(openFiles().limit),
    heartbeatMs: cluster.heartbeatInterval,
    electionMs: cluster.electionTimeout,
    snapshotCount: cluster.snapshotCount,
    compactionRetentionMs: cluster.compactionRetention,
    quotaBytes: cluster.quotaBytes,
    initialCluster: [...cluster.initialCluster].map(([name, peerUrls]) => ({ name, peerUrls })),
    initialClusterState: cluster.initialState,
    initialClusterToken: cluster.token,
    forceNewCluster: cluster.forceNew,
    version: PROGRAM_VERSION,
    ...(network === undefined ? {} : { network }),
  };
}

/** The network of the peer; undefined without `--initial-cluster`, when it neither listens nor dials. */
async function networkOf(config: Config, world: World): Promise<PeerNetwork | undefined> {
  const { cluster } = config;
  if (cluster.initialCluster.size === 0) {
    if (cluster.initialState === 'existing')
      throw new ConfigError('--initial-cluster-state=existing needs --initial-cluster with the members to join');
    return undefined;
  }
  const { listenPeerUrls: listenUrls, advertisePeerUrls: advertiseUrls } = cluster;
  const rules = {
    allowedCommonNames: cluster.peerAllowedCommonNames,
    allowedHostnames: cluster.peerAllowedHostnames,
  };
  if (cluster.peerCertFile !== '') {
    const tlsFiles = { ca: cluster.peerCaFile, cert: cluster.peerCertFile, key: cluster.peerKeyFile };
    return { listenUrls, advertiseUrls, tls: givenPeerTls(config), tlsFiles, ...rules };
  }
  const tlsFiles = peerPkiFiles(join(config.dataDir, 'pki'));
  return { listenUrls, advertiseUrls, tls: await ownPeerTls(config, world), tlsFiles, ...rules };
}

function givenPeerTls({ cluster }: Config): PeerTls {
  const pair = givenPair(
    { flag: 'peer-cert-file', path: cluster.peerCertFile },
    { flag: 'peer-key-file', path: cluster.peerKeyFile },
  );
  return { ...pair, ca: givenAuthorities({ flag: 'peer-trusted-ca-file', path: cluster.peerCaFile }) };
}

/**
 * The certificate in the data folder. `triremectl certs` wrote it, or this peer issues it if it has the authority's
 * key, that is if it founds a single-peer cluster.
 */
async function ownPeerTls(config: Config, world: World): Promise<PeerTls> {
  const { cluster, dataDir, serving } = config;
  const folder = join(dataDir, 'pki');
  const authority = join(folder, 'peer-ca.crt');
  if ((cluster.initialCluster.size > 1 || cluster.initialState === 'existing') && !existsSync(authority))
    throw new ConfigError(
      `${authority} is missing: the peers need a common authority (triremectl certs, or --peer-cert-file)`,
    );
  const files = peerPkiFiles(folder);
  if (existsSync(files.ca) && !existsSync(join(folder, 'peer-ca.key'))) {
    const pair = givenPair({ flag: 'peer-cert-file', path: files.cert }, { flag: 'peer-key-file', path: files.key });
    return { ...pair, ca: givenAuthorities({ flag: 'peer-trusted-ca-file', path: files.ca }) };
  }
  const hosts = cluster.advertisePeerUrls.map((u) => new URL(u).hostname.replace(/^\[|\]$/g, ''));
  const names = serverNames(
    [serving.bindAddress, ...hosts.filter((h) => isIP(h) > 0)],
    serviceAddresses(config.api.serviceRanges)[0]!,
  );
  const dnsNames = [...new Set([...names.dnsNames, ...hosts.filter((h) => isIP(h) === 0)])];
  const { ca, pair } = await keepPeerPki(folder, { ...names, dnsNames, member: cluster.name }, world.clock.now());
  return { ca, cert: pair.cert, key: pair.key };
}

/** Makes the folder for snapshots to be sent, and removes those that a killed process left in it. */
export function outgoingFolder(dataDir: string): string {
  const folder = join(dataDir, 'outgoing');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

const ASK_AGAIN = 200;
/** Milliseconds between log lines while waiting. */
const SAY_EVERY = 10_000;

/**
 * Resolves when this peer has contact with a quorum and has applied every write acknowledged so far. It waits without a
 * limit: the peers of a cluster start one after the other, and a returning peer may find none of them running.
 */
export async function untilCurrent(keyspace: Keyspace, world: World, log: Log): Promise<void> {
  let said = world.clock.monotonic();
  for (;;) {
    const read = await keyspace.readIndex();
    if (read.kind === 'ok') return;
    if (read.reason === 'stopping') throw new Error(read.message);
    if (world.clock.monotonic() - said > SAY_EVERY) {
      said = world.clock.monotonic();
      log.warn({ why: read.message }, 'waiting for a majority of the cluster');
    }
    await new Promise<void>((resolve) => world.timers.after(ASK_AGAIN, resolve));
  }
}
