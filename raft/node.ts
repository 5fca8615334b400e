import type { Message } from './messages.js';
import type { NodeStatus, ProposeResult, Ready, TransferResult } from './ready.js';
import type { ConfigChange, HardState, LogIndex, LogStorage, PeerId, RaftLimits, SnapshotMeta } from './types.js';

export interface RaftOptions {
  readonly id: PeerId;
  /** What is durable: the caller fills it from its log before it makes the node. */
  readonly storage: LogStorage;
  /** As last persisted; undefined on a fresh disk. */
  readonly hardState: HardState | undefined;
  /** Index up to which the state machine has applied; at least `storage.base().index`. */
  readonly applied: LogIndex;
  readonly limits: RaftLimits;
  /** Uniform in [0, 1). Seeded in simulations. */
  readonly random: () => number;
}

/** One peer's consensus state. Synchronous and single-threaded; no call blocks, none re-enters the caller. */
export declare class RaftNode {
  constructor(options: RaftOptions);
  /** One unit of time has passed. */
  tick(): void;
  /** A message from another peer arrived. Any message is safe at any time, also repeated or late. */
  step(message: Message): void;
  /** Appends on the leader. `data` must not be written to afterwards. */
  propose(data: Uint8Array): ProposeResult;
  /** Appends the first configuration that leads to the change; leaves a joint phase by itself. */
  proposeConfigChange(change: ConfigChange): ProposeResult;
  /** Answered by a ReadOutcome with the same context (the caller's number) in a later Ready. */
  readIndex(context: number): void;
  /** Catches `to` up, then has it campaign. Given up after an election timeout. */
  transferLeadership(to: PeerId): TransferResult;
  /** Campaign now (tests, first start of a one-voter cluster). */
  campaign(): void;
  /** Takes everything there is to do out of the node; undefined when there is nothing. */
  ready(): Ready | undefined;
  /** True when `ready()` would return something. */
  hasReady(): boolean;
  /** Writes up to and including `number` are durable, and the storage serves their entries. */
  persisted(number: number): void;
  /** The state machine has applied everything up to `index`. */
  applied(index: LogIndex): void;
  /**
   * Forget the log up to `index` (not above applied). Returns the new base of the log, for the caller to make
   * durable before it drops the entries from its storage.
   */
  compact(index: LogIndex): SnapshotMeta;
  /** Where to compact to: `trailing` entries stay, and whatever a live follower within `trailingMax` lacks. */
  compactionIndex(trailing: number, trailingMax: number): LogIndex;
  /** Metadata for a snapshot of the state machine as of `index` (compact base <= index <= applied). */
  snapshotMeta(index: LogIndex): SnapshotMeta;
  /** The stream to `to` that a snapshot message asked for has ended. */
  reportSnapshot(to: PeerId, ok: boolean): void;
  /** A message to `to` was (probably) lost. */
  reportUnreachable(to: PeerId): void;
  status(): NodeStatus;
}
