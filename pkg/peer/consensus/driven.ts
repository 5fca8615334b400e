import type {
  ConfigChange,
  Configuration,
  Entry,
  LogIndex,
  MemoryLog,
  Message,
  NodeStatus,
  PeerId,
  ProposeResult,
  RaftNode,
  ReadOutcome,
  SnapshotMeta,
  SnapshotRequest,
  SoftState,
  TransferResult,
  Write,
} from '../../../raft/index.js';
import { NO_PEER } from '../../../raft/index.js';
import type { Timers } from '../../base/index.js';
import type { Journal } from '../durability/index.js';

export interface DrivenCore {
  readonly raft: RaftNode;
  /** The entries of the journal, in memory. */
  readonly tail: MemoryLog;
  readonly journal: Journal;
  readonly timers: Timers;
  /** Stops the peer: an invariant is broken, or the journal failed. */
  fail(error: unknown): void;
}

/** Where the outputs of the consensus core go. */
export interface DrivenOutputs {
  send(messages: readonly Message[]): void;
  /** Sends at once the messages that were queued in this turn. */
  flush(): void;
  /** Applies committed entries, in order, and calls `applied` when they are. */
  apply(entries: readonly Entry[]): void;
  /** Replaces the state by the snapshot of `write`; calls `persist` in between to make the write durable. */
  install(write: Write, persist: () => Promise<void>): Promise<void>;
  readSettled(outcome: ReadOutcome): void;
  roleChanged(now: SoftState, before: SoftState): void;
  /** Another configuration is in force. Called before messages are sent to its members. */
  membersChanged(config: Configuration): void;
}

/**
 * The consensus core with its Ready loop. Every input wakes the loop, so callers never have to. The loop runs once when
 * all sockets, ports and syncs of the current turn of the event loop have delivered their input: they share one write
 * and one message to each peer.
 *
 * Nothing in the loop waits. Whatever takes time (a sync, an apply) comes back as another input. So a slow disk delays
 * acknowledgements, which depend on it, and not heartbeats, which do not.
 */
export class DrivenRaft {
  readonly #core: DrivenCore;
  #outputs: DrivenOutputs | undefined;
  #soft: SoftState;
  #scheduled = false;
  #stopped = false;
  /** Each callback opens a round of reads at the start of the next run. */
  #rounds: (() => number)[] = [];
  /**
   * Set while a snapshot is being installed: later writes wait for it. It stays set if the installation fails, and
   * those writes are then never made: they build on the snapshot, so the log would begin with a gap that no restart can
   * repair.
   */
  #installing: Promise<void> | undefined;

  constructor(core: DrivenCore) {
    this.#core = core;
    this.#soft = { role: 'follower', term: core.raft.status().term, leader: NO_PEER };
  }

  /** Begins to deliver outputs. */
  start(outputs: DrivenOutputs): void {
    this.#outputs = outputs;
    this.#wake();
  }

  /** Ends the loop: no input has an effect any more, and this peer neither leads nor knows a leader. */
  stop(): void {
    this.#stopped = true;
    this.#soft = { ...this.#soft, role: 'follower', leader: NO_PEER };
  }

  /** Resolves when no snapshot is being installed. Call it after `stop`. */
  async settled(): Promise<void> {
    await this.#installing?.catch(() => undefined);
  }

  /** Role, term and leader as of the last Ready. */
  get soft(): SoftState {
    return this.#soft;
  }

  get isLeader(): boolean {
    return this.#soft.role === 'leader';
  }

  get hasLeader(): boolean {
    return this.#soft.leader !== NO_PEER;
  }

  /** The configuration in force, committed or not. */
  get config(): Configuration {
    return this.#core.raft.config;
  }

  /** The configuration in force at `index`, or at the base of the log if that is later. */
  configAt(index: LogIndex): Configuration {
    return this.#core.raft.configAt(index);
  }

  status(): NodeStatus {
    return this.#core.raft.status();
  }

  tick(): void {
    this.#input(() => this.#core.raft.tick());
  }

  step(message: Message): void {
    this.#input(() => this.#core.raft.step(message));
  }

  campaign(): void {
    this.#input(() => this.#core.raft.campaign());
  }

  propose(data: Uint8Array): ProposeResult {
    return this.#input(() => this.#core.raft.propose(data)) ?? STOPPED;
  }

  proposeConfigChange(change: ConfigChange): ProposeResult {
    return this.#input(() => this.#core.raft.proposeConfigChange(change)) ?? STOPPED;
  }

  transferLeadership(to: PeerId): TransferResult {
    return this.#input(() => this.#core.raft.transferLeadership(to)) ?? STOPPED;
  }

  /**
   * Requests a read index in the next run of the loop. `open` is called then and returns the context of the round, so
   * that all reads of one turn can share it. The result is passed to `readSettled`.
   */
  readIndex(open: () => number): void {
    this.#rounds.push(open);
    this.#wake();
  }

  /** The state machine has applied everything up to `index`. */
  applied(index: LogIndex): void {
    this.#input(() => this.#core.raft.applied(index));
  }

  reportUnreachable(peer: PeerId): void {
    this.#input(() => this.#core.raft.reportUnreachable(peer));
  }

  reportSnapshot(to: PeerId, ok: boolean): void {
    this.#input(() => this.#core.raft.reportSnapshot(to, ok));
  }

  /**
   * Steps a snapshot whose data is complete. Returns true if the core accepts it and will emit a write that installs
   * it.
   */
  offerSnapshot(message: SnapshotRequest): boolean {
    const { raft } = this.#core;
    const { commit } = raft.status();
    this.step(message);
    const { index } = message.snapshot;
    return !this.#stopped && index > commit && raft.installing === index;
  }

  snapshotCovers(to: PeerId, index: LogIndex): void {
    this.#core.raft.snapshotCovers(to, index);
  }

  snapshotMeta(index: LogIndex): SnapshotMeta {
    return this.#core.raft.snapshotMeta(index);
  }

  compactionIndex(trailing: number, trailingMax: number): LogIndex | undefined {
    return this.#core.raft.compactionIndex(trailing, trailingMax);
  }

  compact(index: LogIndex): SnapshotMeta {
    return this.#core.raft.compact(index);
  }

  /** Passes one input to the core and wakes the loop. If the input breaks an invariant, the peer stops. */
  #input<T>(run: () => T): T | undefined {
    if (this.#stopped) return undefined;
    try {
      return run();
    } catch (error) {
      this.#core.fail(error);
      return undefined;
    } finally {
      this.#wake();
    }
  }

  #wake(): void {
    if (this.#scheduled || this.#stopped || this.#outputs === undefined) return;
    this.#scheduled = true;
    this.#core.timers.immediate(() => {
      this.#scheduled = false;
      try {
        this.#run(this.#outputs!);
      } catch (error) {
        this.#core.fail(error);
      }
    });
  }

  #run(outputs: DrivenOutputs): void {
    if (this.#stopped) return;
    const { raft } = this.#core;
    for (const open of this.#rounds.splice(0)) raft.readIndex(open());
    for (let ready = raft.ready(); ready !== undefined && !this.#stopped; ready = raft.ready()) {
      if (ready.softState !== undefined) this.#roleChanged(ready.softState, outputs);
      if (ready.config !== undefined) outputs.membersChanged(ready.config);
      if (ready.messages.length > 0) outputs.send(ready.messages);
      if (ready.write !== undefined) this.#persist(ready.write, outputs);
      if (ready.committed.length > 0) outputs.apply(ready.committed);
      for (const outcome of ready.reads) outputs.readSettled(outcome);
    }
    outputs.flush();
  }

  #roleChanged(now: SoftState, outputs: DrivenOutputs): void {
    const before = this.#soft;
    this.#soft = now;
    outputs.roleChanged(now, before);
  }

  #persist(write: Write, outputs: DrivenOutputs): void {
    if (write.snapshot !== undefined || this.#installing !== undefined) {
      const mine = (this.#installing ?? Promise.resolve()).then(() => this.#persistInstalled(write, outputs));
      this.#installing = mine;
      mine.then(
        () => {
          if (this.#installing === mine) this.#installing = undefined;
        },
        (error) => this.#core.fail(error),
      );
      return;
    }
    this.#core.journal
      .append(write)
      .then(() => this.#persisted(write))
      .catch((error: unknown) => this.#core.fail(error));
  }

  async #persistInstalled(write: Write, outputs: DrivenOutputs): Promise<void> {
    const persist = (): Promise<void> => this.#core.journal.append(write);
    if (write.snapshot === undefined) await persist();
    else await outputs.install(write, persist);
    this.#persisted(write);
  }

  #persisted(write: Write): void {
    this.#input(() => {
      const { tail, raft } = this.#core;
      if (write.snapshot !== undefined) tail.reset(write.snapshot);
      tail.append(write.entries);
      raft.persisted(write.number);
    });
  }
}

const STOPPED = { kind: 'refused', reason: 'notLeader', leader: NO_PEER, detail: 'this peer has stopped' } as const;
