import type { Message, SnapshotRequest } from '../../../raft/index.js';
import { NO_TRANSPORT, type Transport } from './network.js';

/** Sends the snapshots that the consensus core orders. */
export interface SnapshotOrders {
  order(order: SnapshotRequest, url: string | undefined): void;
}

/**
 * The transport of a running peer. It drops everything until the real one is open and attached. Snapshot requests among
 * the messages go to the snapshot sender, because each snapshot has its own stream.
 */
export class LateTransport implements Transport {
  #transport = NO_TRANSPORT;
  #snapshots: SnapshotOrders | undefined;

  attach(transport: Transport, snapshots: SnapshotOrders): void {
    this.#transport = transport;
    this.#snapshots = snapshots;
  }

  get addresses(): readonly string[] {
    return this.#transport.addresses;
  }

  send(messages: readonly Message[]): void {
    for (const message of messages) {
      if (message.kind === 'snapshot') this.#snapshots?.order(message, this.urlsOf(message.to)[0]);
    }
    this.#transport.send(messages.some(isOrder) ? messages.filter((message) => !isOrder(message)) : messages);
  }

  forward: Transport['forward'] = (to, proposal) => this.#transport.forward(to, proposal);
  refuse: Transport['refuse'] = (to, refusal) => this.#transport.refuse(to, refusal);
  sendHashes: Transport['sendHashes'] = (revision, hashes) => this.#transport.sendHashes(revision, hashes);
  flush: Transport['flush'] = () => this.#transport.flush();
  setPeers: Transport['setPeers'] = (peers) => this.#transport.setPeers(peers);
  urlsOf: Transport['urlsOf'] = (peer) => this.#transport.urlsOf(peer);
  close: Transport['close'] = () => this.#transport.close();
}

const isOrder = (message: Message): boolean => message.kind === 'snapshot';
