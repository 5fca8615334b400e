import { join } from 'node:path';
import type { PeerConfig, PeerTls } from '../common/config.js';
import type { PeerEvents } from '../common/events.js';
import { openPeer, type Peer } from '../compose/peer.js';
import { threadWorld } from '../thread/world.js';
import { testPeerCa } from './certs.js';
import { freePorts } from './ports.js';
import { soloConfig } from './solo.js';

/** Several real peers in this process, over loopback with mutual TLS. */
export interface TestCluster {
  readonly peers: (Peer | undefined)[];
  readonly fatal: string[];
  /** The log lines of all peers, each after the name of its peer. */
  readonly notes: string[];
  config(i: number): PeerConfig;
  /** Opens peer `i` (again); a peer that is not a founder joins the running cluster. */
  open(i: number, over?: Partial<PeerConfig>): Promise<Peer>;
  leader(): Promise<Peer>;
  tls(name: string): Promise<PeerTls>;
  close(): Promise<void>;
}

export async function testCluster(
  size: number,
  over: Partial<PeerConfig> = {},
  dataDir?: string,
  extra = 0,
): Promise<TestCluster> {
  const ca = await testPeerCa();
  const ports = await freePorts(size + extra);
  const url = (i: number): string => `https://127.0.0.1:${ports[i]}`;
  const founders = Array.from({ length: size }, (_, i) => ({ name: `peer${i}`, peerUrls: [url(i)] }));
  const certs = await Promise.all(ports.map((_, i) => ca.issue(`peer${i}`)));
  const peers: (Peer | undefined)[] = [];
  const fatal: string[] = [];
  const notes: string[] = [];
  const config = (i: number): PeerConfig =>
    soloConfig({
      heartbeatMs: 50,
      electionMs: 500,
      hashCheckMs: 0,
      compactionRetentionMs: 0,
      name: `peer${i}`,
      initialCluster: i < size ? founders : [...founders, { name: `peer${i}`, peerUrls: [url(i)] }],
      initialClusterState: i < size ? 'new' : 'existing',
      network: { listenUrls: [url(i)], advertiseUrls: [url(i)], tls: certs[i]! },
      ...(dataDir === undefined ? {} : { dataDir: join(dataDir, `peer${i}`) }),
      ...over,
    });
  const open = async (i: number, differs: Partial<PeerConfig> = {}): Promise<Peer> => {
    const events: PeerEvents = {
      fatal: (error) => fatal.push(`peer${i}: ${error.message}`),
      note: (level, message) => {
        notes.push(`peer${i} ${level}: ${message}`);
        if (process.env['PEER_NOTES']) process.stderr.write(`${notes.at(-1)}\n`);
      },
    };
    const peer = await openPeer({ ...config(i), ...differs }, threadWorld(), events);
    peers[i] = peer;
    return peer;
  };
  await Promise.all(founders.map((_, i) => open(i)));
  return {
    peers,
    fatal,
    notes,
    config,
    open,
    tls: (name) => ca.issue(name),
    leader: async () => {
      for (let i = 0; i < 1000; i++) {
        const leader = peers.find((peer) => peer?.keyspace.status().isLeader);
        if (leader !== undefined && (await leader.keyspace.readIndex()).kind === 'ok') return leader;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error('no leader was elected');
    },
    close: async () => {
      await Promise.all(peers.map((peer) => peer?.close()));
    },
  };
}
