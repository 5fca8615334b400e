import type { World } from '../../base/index.js';
import { memoryHome } from '../../storage/index.js';
import { ReplicatedState } from '../apply/index.js';
import { PEER_RULES, type PeerConfig, type PeerEvents, PeerMetrics, type PeerRules } from '../common/index.js';
import type { PeerControl } from '../control/index.js';
import { nodePeerDisk, openLog, type PeerDisk, quarantineReason, releaseBallastIfFull } from '../durability/index.js';
import { findIdentity, type LoadTransport } from '../membership/index.js';
import type { PeerKeyspace } from '../requests/index.js';
import { RunningPeer } from './running.js';

/** One running member of the cluster. */
export interface Peer {
  readonly keyspace: PeerKeyspace;
  readonly control: PeerControl;
  /** Addresses on which it listens for other peers. */
  readonly addresses: readonly string[];
  close(): Promise<void>;
}

/** The disk and the transport of a peer, if they are not the real ones of its configuration. */
export interface PeerSurroundings {
  readonly disk?: PeerDisk;
  readonly loadTransport?: LoadTransport;
  /** The simulation breaks these rules. */
  readonly rules?: PeerRules;
}

/** Opens log and state and takes part in the cluster. Rejects with a one-line reason when the peer cannot start. */
export async function openPeer(
  config: PeerConfig,
  world: World,
  events: PeerEvents = {},
  surroundings: PeerSurroundings = {},
): Promise<Peer> {
  const metrics = new PeerMetrics();
  const disk = surroundings.disk ?? (config.dataDir === undefined ? undefined : nodePeerDisk(config.dataDir, config));
  const loadTransport = surroundings.loadTransport ?? (() => loadGrpc(config));
  if (disk !== undefined) await releaseBallastIfFull(disk);
  const rules = surroundings.rules ?? PEER_RULES;
  // The parts need the peer before it is complete.
  const late: { peer?: RunningPeer } = {};
  // The state is opened first, because opening locks the folder.
  const state = await ReplicatedState.open(disk?.home ?? memoryHome(), {
    world,
    fail: (error) => late.peer?.fail(error),
    applied: (batch) => late.peer?.batchApplied(batch),
    blocked: () => late.peer?.stateBlocked(),
  });
  try {
    const refusal = disk && quarantineReason(disk.files);
    if (refusal !== undefined) throw new Error(refusal);
    const note = events.note ?? (() => {});
    const found = () => findIdentity({ config, world, loadTransport, note });
    const log = await openLog(config, disk, world, metrics, state.machine.applied, found);
    late.peer = new RunningPeer({ config, world, events, metrics, disk, state, log, loadTransport, rules });
  } catch (error) {
    await state.close('the peer did not start');
    throw error;
  }
  try {
    await late.peer.start();
    return late.peer;
  } catch (error) {
    await late.peer.close();
    throw error;
  }
}

async function loadGrpc({ network }: PeerConfig) {
  if (network === undefined) throw new Error('a peer without peer URLs cannot talk to others');
  const { grpcTransport } = await import('../transport/index.js');
  return grpcTransport(network);
}
