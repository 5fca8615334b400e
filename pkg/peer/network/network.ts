import type { WireMembers, WireSnapshotAck, WireSnapshotPart } from '../../../proto/index.js';
import type { Message, PeerId } from '../../../raft/index.js';
import type { World } from '../../base/index.js';
import type { RefusalReason, StateHashes } from '../../storage/index.js';
import type { NoteLevel, PeerMetrics } from '../common/index.js';

/** A proposal that a follower forwards to its leader. */
export interface ForwardedProposal {
  readonly id: number;
  readonly data: Uint8Array;
  /** The term of the leader. A leader of another term must refuse the proposal. */
  readonly term: number;
}

/** A leader's refusal of a forwarded proposal: it has not appended it and never will. */
export interface ForwardRefusal {
  readonly id: number;
  /** The term with which the proposal was forwarded. */
  readonly term: number;
  readonly refused: RefusalReason;
  readonly message: string;
}

/**
 * The connections to all other peers. No call blocks: each puts a message into the queue of one connection, and a full
 * queue drops it. Queued messages are sent at the end of the turn of the event loop, or at once with `flush`.
 */
export interface Transport {
  /** Addresses on which this peer listens, `host:port`. */
  readonly addresses: readonly string[];
  send(messages: readonly Message[]): void;
  /** Queues a proposal for `to`. Returns false when it certainly was not sent. */
  forward(to: PeerId, proposal: ForwardedProposal): boolean;
  refuse(to: PeerId, refusal: ForwardRefusal): void;
  /** Sends this peer's state hashes at a revision to every other peer. */
  sendHashes(revision: number, hashes: StateHashes): void;
  flush(): void;
  /** Sets the peers to connect to, and their URLs. */
  setPeers(peers: ReadonlyMap<PeerId, readonly string[]>): void;
  /** The known URLs of a peer. */
  urlsOf(peer: PeerId): readonly string[];
  close(): Promise<void>;
}

/** Receives everything that arrives over a transport. */
export interface TransportSink {
  raft(message: Message): void;
  proposal(from: PeerId, proposal: ForwardedProposal): void;
  refused(refusal: ForwardRefusal): void;
  hash(from: PeerId, revision: number, hashes: StateHashes): void;
  unreachable(peer: PeerId): void;
  /** Another peer reports that this peer has been removed from the cluster. */
  removed(): void;
}

/** What a transport needs from its peer. */
export interface TransportPorts {
  readonly world: World;
  readonly metrics: PeerMetrics;
  readonly self: PeerId;
  readonly clusterId: string;
  readonly version: string;
  /** A random number drawn at each start of the process. */
  readonly incarnation: number;
  readonly heartbeatMs: number;
  readonly sink: TransportSink;
  receiveSnapshot(parts: AsyncIterable<WireSnapshotPart>, cancelled: AbortSignal): Promise<WireSnapshotAck>;
  members(): WireMembers;
  /** Runs a control call that another peer forwards. An error is returned to that peer. */
  control(name: string, argument: unknown): Promise<unknown>;
  /** The peer as log lines name it. */
  describe(peer: number): string;
  /** True for a peer that was a member and has been removed. */
  wasRemoved(id: number): boolean;
  note(level: NoteLevel, message: string): void;
}

/** An outgoing snapshot. */
export interface SnapshotStream {
  /** Resolves when the stream accepts more. Rejects when the stream breaks or the receiver has already answered. */
  write(part: Partial<WireSnapshotPart>): Promise<void>;
  /** Ends the stream. Resolves with the receiver's answer. */
  finish(): Promise<WireSnapshotAck>;
  /** Ends the stream early; a no-op after `finish`. */
  cancel(): void;
}

/**
 * The connections between peers. gRPC over mutual TLS in production (`transport/`), a simulated network in tests.
 * Deadlines are milliseconds since the epoch.
 */
export interface TransportProvider {
  /** Listens, and connects to the peers of `setPeers`. Rejects if an address cannot be bound. */
  open(ports: TransportPorts): Promise<Transport>;
  openSnapshotStream(to: PeerId, url: string): SnapshotStream;
  /** Asks the peer at `url` for the members of its cluster. */
  fetchMembers(url: string, deadline: number): Promise<WireMembers>;
  /** Runs a control call on the peer at `url`. Rejects with its error. */
  callControl(url: string, deadline: number, name: string, argument: unknown): Promise<unknown>;
}

/** The transport of a peer without others, or before the real one is open: it drops everything. */
export const NO_TRANSPORT: Transport = {
  addresses: [],
  send: () => {},
  forward: () => false,
  refuse: () => {},
  sendHashes: () => {},
  flush: () => {},
  setPeers: () => {},
  urlsOf: () => [],
  close: async () => {},
};
