import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import type { World } from '../base/index.js';
import { readIfThere, writeSecret } from './files.js';
import { issueAuthority, type KeyPair } from './issue.js';
import { kubeconfigText } from './kubeconfig.js';
import {
  ADMIN,
  AUTHORITY_DAYS,
  isOf,
  issueAdmin,
  keepAuthority,
  keepPair,
  keepPeerCertificate,
  keepTokenKey,
  lasts,
  type ServerNames,
} from './pki.js';
import { systemWorld } from './world.js';

/** A peer of a new cluster. */
export interface PlannedPeer {
  readonly name: string;
  /** The URL for clients: `https://10.0.0.1:6443`. */
  readonly serverUrl: string;
  /** The URL for other peers: `https://10.0.0.1:2380`. */
  readonly peerUrl: string;
}

export interface ClusterFolders {
  readonly kubeconfig: string;
  /** The data folder of each peer, in the given order. */
  readonly dataDirs: readonly string[];
}

/**
 * Makes the keys of a cluster below `folder`, and a data folder for each peer that has what it needs of them:
 *
 *     authority/         of clients and servers (ca), of peers (peer-ca); the administrator's certificate. Keep it safe.
 *     <peer>/pki/        what a data folder begins with: the authority of clients and servers with its key, the certificate of
 *                        the peer authority, and this peer's own certificate and key for the peer port
 *     admin.kubeconfig   a context for each peer, and one for the first
 *
 * The key of the peer authority stays in `authority/`: a peer cannot make a certificate for another. What exists is kept, so a peer
 * can be added by a second call with one more. Peer certificates that expire soon are renewed by a second call as well; a running
 * peer takes over new files in its data folder without a restart.
 */
export async function makeClusterFolders(
  folder: string,
  peers: readonly PlannedPeer[],
  world: World = systemWorld,
): Promise<ClusterFolders> {
  const now = world.clock.now();
  const authority = join(folder, 'authority');
  const [ca, peerCa] = await Promise.all([
    keepAuthority(authority, 'ca', () => issueAuthority('kubernetes-ca', now, AUTHORITY_DAYS)),
    keepAuthority(authority, 'peer-ca', () => issueAuthority('trireme-peer-ca', now, AUTHORITY_DAYS)),
  ]);
  const admin = await keepPair(
    authority,
    'admin',
    (pair) => isOf(pair, ca) && lasts(pair, now),
    () => issueAdmin(ca, now),
  );
  const tokenKey = await keepTokenKey(authority);
  for (const peer of peers) {
    const pki = join(folder, peer.name, 'pki');
    givePeer(pki, { ca, peerCa, tokenKey });
    await keepPeerCertificate(pki, peerCa, { member: peer.name, ...hostsOf(peer) }, now);
  }
  const kubeconfig = resolve(folder, 'admin.kubeconfig');
  const text = kubeconfigText({
    url: peers[0]!.serverUrl,
    others: peers.map(({ name, serverUrl }) => ({ name, url: serverUrl })),
    ca: ca.cert,
    user: ADMIN.commonName,
    cert: admin.cert,
    key: admin.key,
  });
  if (readIfThere(kubeconfig) !== text) writeSecret(kubeconfig, text);
  return { kubeconfig, dataDirs: peers.map(({ name }) => resolve(folder, name)) };
}

interface ClusterKeys {
  readonly ca: KeyPair;
  readonly peerCa: KeyPair;
  readonly tokenKey: string;
}

function hostsOf({ peerUrl }: PlannedPeer): ServerNames {
  const host = new URL(peerUrl).hostname.replace('[', '').replace(']', '');
  return isIP(host) === 0 ? { dnsNames: [host], addresses: [] } : { dnsNames: [], addresses: [host] };
}

/** The key of the peer authority stays out of the folders of the peers. */
function givePeer(pki: string, { ca, peerCa, tokenKey }: ClusterKeys): void {
  const files = {
    'ca.key': ca.key,
    'ca.crt': ca.cert,
    'peer-ca.crt': peerCa.cert,
    'sa.key': tokenKey,
  };
  for (const [name, text] of Object.entries(files)) {
    const there = readIfThere(join(pki, name));
    if (there === text) continue;
    if (there !== undefined) throw new Error(`${join(pki, name)} is of another cluster: remove it first`);
    writeSecret(join(pki, name), text);
  }
}
