import type { Message, PeerId } from '../../raft/index.js';
import type { StateHashes } from '../storage/index.js';
import type { ForwardedProposal, ForwardRefusal } from './proposals.js';

/** What the peer asks of the wires to the others. Nothing in it waits; what does not fit a queue is dropped and said to be. */
export interface Network {
  /** What the calls below put into queues leaves now. */
  flush(): void;
  send(messages: readonly Message[]): void;
  /** Hands a proposal to the connection with `to`; false when it certainly did not leave. */
  forward(to: PeerId, proposal: ForwardedProposal): boolean;
  refuse(to: PeerId, refusal: ForwardRefusal): void;
  /** Tells every other peer this one's hashes at a revision. */
  tellHashes(revision: number, hashes: StateHashes): void;
  /** Whom to be connected with. */
  setPeers(peers: ReadonlyMap<PeerId, readonly string[]>): void;
  close(): Promise<void>;
}

/** What comes in over the wires. */
export interface NetworkSink {
  raft(message: Message): void;
  proposal(from: PeerId, proposal: ForwardedProposal): void;
  refused(refusal: ForwardRefusal): void;
  hash(from: PeerId, revision: number, hashes: StateHashes): void;
  unreachable(peer: PeerId): void;
  /** Another peer says, from the replicated state, that this one is no member any more. */
  removed(): void;
}

/** A peer alone in its cluster has nobody to talk to. */
export const SILENT_NETWORK: Network = {
  flush: () => {},
  send: () => {},
  forward: () => false,
  refuse: () => {},
  tellHashes: () => {},
  setPeers: () => {},
  close: async () => {},
};
