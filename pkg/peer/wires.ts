import {
  NO_PEER,
  type PeerId,
  type RaftNode,
  type SnapshotMeta,
  type SnapshotRequest,
  toLogIndex,
  toPeerId,
} from '../../raft/index.js';
import type { World } from '../base/index.js';
import type { PeerConfig } from './config.js';
import { CONTROL_LIMITS, SNAPSHOT_LIMITS } from './limits.js';
import type { Members } from './members.js';
import { memberIdText, type PeerMetrics } from './metrics.js';
import type { Network, NetworkSink } from './network.js';
import { Attempts } from './snapshot/attempts.js';
import { untilApplied } from './snapshot/following.js';
import type { SnapshotReceiver } from './snapshot/receive.js';
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
  let outgoing = 0;
  const attempts = new Attempts(world, config.electionMs);

  const stream = async (order: SnapshotRequest, url: string): Promise<boolean> => {
    const { raft, clusterId } = ports;
    const snapshot = await ports.state.machine.openSnapshot({ follow: true });
    const meta = async (): Promise<SnapshotMeta> => {
      // The core hears of what is applied a moment after it can be read.
      await untilApplied(snapshot.index, { world, applied: () => raft.status().applied, stopped: ports.stopped });
      return raft.snapshotMeta(toLogIndex(snapshot.index));
    };
    try {
      const sent = (bytes: number): void => {
        ports.metrics.traffic(order.to).sentBytes += bytes;
      };
      return await sendSnapshot({
        world,
        order,
        clusterId,
        url,
        tls: wiring.tls,
        snapshot,
        meta,
        applied: () => raft.status().applied,
        covers: (index) => raft.snapshotCovers(order.to, toLogIndex(index)),
        sent,
      });
    } finally {
      await snapshot.close();
    }
  };

  const ordered = (order: SnapshotRequest, urls: readonly string[]): void => {
    const to = memberIdText(order.to);
    const url = urls[0];
    if (url === undefined || outgoing >= SNAPSHOT_LIMITS.outgoingMax) {
      // Not now: the core asks again.
      world.timers.after(config.electionMs, () => report(order.to, false));
      return;
    }
    outgoing++;
    if (attempts.begins(order.to)) ports.note('info', `sending a snapshot to peer ${to}`);
    stream(order, url)
      .then(
        () => {
          ports.metrics.snapshotsSent++;
          attempts.succeeded(order.to);
          ports.note('info', `peer ${to} has the snapshot`);
          report(order.to, true);
        },
        (error: unknown) => {
          ports.metrics.snapshotSendFailures++;
          const why = error instanceof Error ? error.message : String(error);
          const { waitMs, isNews } = attempts.failed(order.to, why);
          if (isNews) ports.note('warn', `the snapshot for peer ${to} failed: ${why}; it is tried again`);
          world.timers.after(waitMs, () => report(order.to, false));
        },
      )
      .finally(() => {
        outgoing--;
      });
  };

  const report = (to: PeerId, ok: boolean): void => {
    ports.raft.reportSnapshot(to, ok);
    ports.poke();
  };

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
    sendSnapshot: ordered,
    receiveSnapshot: (parts, cancelled) => ports.receiver.receive(parts, cancelled),
    members: () => ({ clusterId: ports.clusterId, members: members.list() }),
    control: ports.control,
    wasRemoved: (id) => members.wasRemoved(id),
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
