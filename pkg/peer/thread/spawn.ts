import { fileURLToPath } from 'node:url';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { Keyspace, KeyspaceStatus } from '../../storage/index.js';
import { type PeerConfig, type PeerEvents, THREAD_LIMITS } from '../common/index.js';
import { openPeer } from '../compose/index.js';
import { CONTROL_CALLS, type PeerControl } from '../control/index.js';
import { type SoleMemberCell, withSoleReads } from '../requests/index.js';
import { connectKeyspace, type RemoteKeyspace } from './connect.js';
import { threadWorld } from './world.js';

export type FromWorker =
  | { readonly kind: 'ready'; readonly status: KeyspaceStatus; readonly soleCell: SoleMemberCell }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'fatal'; readonly message: string }
  | { readonly kind: 'note'; readonly level: 'info' | 'warn' | 'error'; readonly message: string };

/** The keyspace and the control interface of a peer in one. `close` ends both. */
export type PeerHandle = Keyspace & PeerControl;

/**
 * Opens a peer on its own thread and waits until it has read its log and state. Rejects with a one-line reason when it cannot start. Runs it
 * on this thread when this code is not compiled, because a worker cannot load TypeScript.
 */
export async function openPeerThread(config: PeerConfig, events: PeerEvents): Promise<PeerHandle> {
  const entry = new URL('./worker.js', import.meta.url);
  if (!import.meta.url.endsWith('.js')) return openPeerHere(config, events);
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(fileURLToPath(entry), {
    workerData: { config, port: port2 },
    transferList: [port2],
    name: 'peer',
    resourceLimits: { maxYoungGenerationSizeMb: THREAD_LIMITS.youngGenerationMiB },
  });

  return new Promise((resolve, reject) => {
    let remote: RemoteKeyspace | undefined;
    const gone = (message: string): void => {
      if (remote === undefined) reject(new Error(message));
      else remote.lost(message);
    };

    worker.on('message', (message: FromWorker) => {
      switch (message.kind) {
        case 'ready':
          remote = connectKeyspace(port1, message, threadWorld().timers);
          resolve(withControl(remote));
          break;
        case 'failed':
          gone(message.message);
          break;
        case 'fatal':
          gone(message.message);
          events.fatal?.(new Error(message.message));
          break;
        case 'note':
          events.note?.(message.level, message.message);
          break;
      }
    });
    worker.on('error', (error) => {
      gone(`the peer's thread failed: ${error.message}`);
      events.fatal?.(error);
    });
    worker.on('exit', () => {
      gone('the peer has stopped');
      port1.close();
    });
  });
}

/**
 * Opens a peer on this thread. A peer without a network has no heartbeats that requests could delay, and every message to another thread
 * costs: a write takes a tenth to a fifth less CPU time without them.
 */
export async function openPeerHere(config: PeerConfig, events: PeerEvents): Promise<PeerHandle> {
  const peer = await openPeer({ ...config, servesRequests: true }, threadWorld(), events);
  return { ...withSoleReads(peer.keyspace), close: () => peer.close(), ...peer.control };
}

function withControl(remote: RemoteKeyspace): PeerHandle {
  const calls = Object.fromEntries(
    CONTROL_CALLS.map((name) => [name, (argument?: unknown) => remote.call(name, argument)]),
  ) as unknown as PeerControl;
  return Object.assign(remote, calls);
}
