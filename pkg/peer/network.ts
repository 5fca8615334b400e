import type { Message, PeerId } from '../../raft/index.js';
import type { ForwardAnswer } from './proposals.js';

/** What the peer asks of the wires to the others. Nothing in it waits; what does not fit a queue is dropped and said to be. */
export interface Network {
  /** What the calls below put into queues leaves now. */
  flush(): void;
  send(messages: readonly Message[]): void;
  /** Hands a proposal to the connection with `to`; false when it certainly did not leave. */
  forward(to: PeerId, id: number, data: Uint8Array): boolean;
  answer(to: PeerId, answer: ForwardAnswer): void;
  /** Tells every other peer this one's hash at a revision. */
  tellHash(revision: number, hash: string): void;
  /** Whom to be connected with. */
  setPeers(peers: ReadonlyMap<PeerId, readonly string[]>): void;
  close(): Promise<void>;
}

/** What comes in over the wires. */
export interface NetworkSink {
  raft(message: Message): void;
  proposal(from: PeerId, id: number, data: Uint8Array): void;
  answered(answer: ForwardAnswer): void;
  hash(from: PeerId, revision: number, hash: string): void;
  unreachable(peer: PeerId): void;
  /** Another peer says, from the replicated state, that this one is no member any more. */
  removed(): void;
}

/** A peer alone in its cluster has nobody to talk to. */
export const SILENT_NETWORK: Network = {
  flush: () => {},
  send: () => {},
  forward: () => false,
  answer: () => {},
  tellHash: () => {},
  setPeers: () => {},
  close: async () => {},
};
