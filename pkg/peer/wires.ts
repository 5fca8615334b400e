import { NO_PEER, type PeerId, type RaftNode, toPeerId } from '../../raft/index.js';
import type { World } from '../base/index.js';
import type { PeerConfig } from './config.js';
import { CONTROL_LIMITS } from './limits.js';
import type { Members } from './members.js';
import type { PeerMetrics } from './metrics.js';
import type { Network, NetworkSink } from './network.js';
import type { SnapshotReceiver } from './snapshot/receive.js';
import { SnapshotSender } from './snapshot/sender.js';
import type { ReplicatedState } from './state.js';

export interface WirePorts {
  readonly config: PeerConfig;
  readonly world: World;
  readonly metrics: PeerMetrics;
  readonly raft: RaftNode;
  readonly state: ReplicatedState;
  readonly members: Members;
  readonly receiver: SnapshotReceiver;
  readonly self: PeerId;
  readonly clusterId: string;
  readonly sink: NetworkSink;
  /** A control call that another peer passes on because this one leads. */
  control(name: string, argument: unknown): Promise<unknown>;
  poke(): void;
  /** Why this peer serves no more, if it does not. */
  stopped(): string | undefined;
  note(level: 'info' | 'warn' | 'error', message: string): void;
}

export interface Wires {
  readonly network: Network;
  /** Addresses that this peer listens on. */
  readonly addresses: readonly string[];
  /** Has the leader carry out a control call. Rejects when it can not be asked. */
  askLeader(leader: PeerId, name: string, argument: unknown): Promise<unknown>;
}

export type OpenWires = (ports: WirePorts) => Promise<Wires>;

/** Listens, and connects with the others as they become known. Loads gRPC. Rejects when an address is taken. */
export async function openWires(ports: WirePorts): Promise<Wires> {
  const { config, world, members } = ports;
  const wiring = config.network;
  if (wiring === undefined) throw new Error('a peer without peer URLs can not talk to others');
  const [{ Transport, callControl }, { sendSnapshot }] = await Promise.all([
    import('./transport/index.js'),
    import('./snapshot/send.js'),
  ]);
  const sender = new SnapshotSender({ ...ports, tls: wiring.tls, electionMs: config.electionMs, send: sendSnapshot });

  const transport = await Transport.open({
    world,
    metrics: ports.metrics,
    network: wiring,
    self: ports.self,
    clusterId: ports.clusterId,
    version: config.version,
    incarnation: Math.floor(world.random.float() * 2 ** 48),
    heartbeatMs: config.heartbeatMs,
    sink: ports.sink,
    sendSnapshot: (order, urls) => sender.order(order, urls[0]),
    receiveSnapshot: (parts, cancelled) => ports.receiver.receive(parts, cancelled),
    members: () => ({ clusterId: ports.clusterId, members: members.list() }),
    control: ports.control,
    wasRemoved: (id) => members.wasRemoved(id),
    closed: () => sender.close(),
    note: ports.note,
  });

  return {
    network: transport,
    addresses: transport.addresses,
    askLeader: (leader, name, argument) => {
      const url = leader === NO_PEER ? undefined : members.info(toPeerId(leader)).peerUrls[0];
      if (url === undefined) return Promise.reject(new Error('no leader is known'));
      const deadline = world.clock.now() + CONTROL_LIMITS.callMs;
      return callControl({ url, tls: wiring.tls, deadline }, name, argument);
    },
  };
}
