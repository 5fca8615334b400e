import type { World } from '../base/index.js';
import { memoryHome, rocksHome } from '../storage/index.js';
import type { PeerConfig } from './config.js';
import type { PeerEvents } from './events.js';
import { findIdentity } from './join.js';
import { PeerMetrics } from './metrics.js';
import { openLog } from './open.js';
import { readRefusal } from './refusal.js';
import { type Peer, RunningPeer } from './running.js';
import { releaseBallastIfFull } from './space.js';
import { ReplicatedState, stateFolderOf } from './state.js';
import type { OpenWires } from './wires.js';

export type { Peer } from './running.js';

/** Opens log and state, brings them together and takes part in the cluster. Rejects with a one-line reason when it can not. */
export async function openPeer(
  config: PeerConfig,
  world: World,
  events: PeerEvents = {},
  openWires?: OpenWires,
): Promise<Peer> {
  const metrics = new PeerMetrics();
  const late: { peer?: RunningPeer } = {};
  const stateFolder = config.dataDir === undefined ? undefined : stateFolderOf(config.dataDir);
  const home = stateFolder === undefined ? memoryHome() : rocksHome(stateFolder);
  if (config.dataDir !== undefined) releaseBallastIfFull(config.dataDir);
  // First, because it takes the lock of the folder.
  const state = await ReplicatedState.open(home, {
    world,
    fail: (error) => late.peer?.fail(error),
    applied: (batch) => late.peer?.batchApplied(batch),
    blocked: () => late.peer?.stateBlocked(),
  });
  try {
    const refusal = stateFolder === undefined ? undefined : readRefusal(stateFolder);
    if (refusal !== undefined) throw new Error(refusal);
    const found = () => findIdentity(config, world);
    const log = await openLog(config, world, metrics, state.machine.applied, found);
    late.peer = new RunningPeer({
      config,
      world,
      events,
      metrics,
      state,
      log,
      ...(openWires === undefined ? {} : { openWires }),
    });
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
