// The entry of the peer's thread: a peer with its own event loop behind one message port.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { PeerConfig } from '../common/index.js';
import { openPeer, type Peer } from '../compose/index.js';
import { CONTROL_CALLS } from '../control/index.js';
import { preferThisThread } from './priority.js';
import { type ControlCalls, serveKeyspace } from './serve.js';
import type { FromWorker } from './spawn.js';
import { threadWorld } from './world.js';

const { config, port } = workerData as { readonly config: PeerConfig; readonly port: MessagePort };

function tell(message: FromWorker): void {
  parentPort?.postMessage(message);
}

function callsOf(peer: Peer): ControlCalls {
  const control = peer.control as unknown as Record<string, (argument: unknown) => Promise<unknown>>;
  return Object.fromEntries(CONTROL_CALLS.map((name) => [name, (argument: unknown) => control[name]!(argument)]));
}

async function run(): Promise<void> {
  try {
    let progressed = (): void => {};
    const world = threadWorld();
    const peer = await openPeer(config, world, {
      fatal: (error) => tell({ kind: 'fatal', message: error.message }),
      progressed: () => progressed(),
      note: (level, message) => tell({ kind: 'note', level, message }),
    });
    const served = serveKeyspace(port, peer.keyspace, callsOf(peer), world.timers);
    progressed = served.progressed;
    const { keyspace } = peer;
    tell({ kind: 'ready', status: keyspace.status(), soleCell: keyspace.soleCell });
    await served.closed;
    port.close();
  } catch (error) {
    tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    port.close();
  }
}

preferThisThread();
void run();
