// A peer's consensus state behind a checked interface.

import type { Core } from './core.js';
import { committedInTerm, createCore } from './core.js';
import { drain, releasePromises } from './drain.js';
import { campaign, mayCampaign, noteDurable } from './election.js';
import { transferLeadership } from './handover.js';
import { checkLimits } from './limits.js';
import { encodeConfigEntry } from './membership.js';
import type { Message } from './messages.js';
import { readIndex } from './readindex.js';
import type { NodeStatus, PeerStatus, ProposeRefusal, ProposeResult, Ready, TransferResult } from './ready.js';
import { isCaughtUp, judgeChange } from './reconfig.js';
import { appendEntry, reportUnreachable } from './replication.js';
import type { SafetyRules } from './rules.js';
import { RULES } from './rules.js';
import { compact, compactionIndex, reportSnapshot, snapshotCovers, snapshotMeta } from './snapshot.js';
import { step } from './step.js';
import { tick } from './tick.js';
import type {
  ConfigChange,
  Configuration,
  EntryKind,
  HardState,
  LogIndex,
  LogStorage,
  PeerId,
  RaftLimits,
  SnapshotMeta,
  SoftState,
} from './types.js';
import { ENTRY_OVERHEAD_BYTES, NO_PEER, toPeerId } from './types.js';

export interface RaftOptions {
  readonly id: PeerId;
  /** The durable log. The caller fills it before it creates the node. */
  readonly storage: LogStorage;
  /** The last persisted state; undefined on a fresh disk. */
  readonly hardState: HardState | undefined;
  /** Index up to which the state machine has applied; at least `storage.base().index`. */
  readonly applied: LogIndex;
  readonly limits: RaftLimits;
  /** Uniform in [0, 1). Seeded in simulations. */
  readonly random: () => number;
}

/**
 * One peer's consensus state. It is synchronous and single-threaded: no call blocks, and it calls nothing but `storage`
 * and `random`. Throws RaftInvariantError when an invariant of README.md is broken; the peer must then stop.
 */
export class RaftNode {
  readonly #core: Core;
  /** As of the last Ready. */
  #softState: SoftState;
  /** There was input since `ready()` last returned undefined. */
  #stirred = true;

  /** @param rules only for the simulation, which breaks them one by one */
  constructor(options: RaftOptions, rules: SafetyRules = RULES) {
    toPeerId(options.id);
    this.#core = createCore({ ...options, limits: checkLimits(options.limits), rules });
    this.#softState = { role: 'follower', term: this.#core.term, leader: NO_PEER };
  }

  /** Advances time by one unit. The caller decides its length (`RaftLimits` counts in it). */
  tick(): void {
    this.#stirred = true;
    tick(this.#core);
  }

  /** Handles a message from another peer. Any message is safe at any time, also when duplicated or late. */
  step(message: Message): void {
    this.#stirred = true;
    step(this.#core, message);
  }

  /**
   * Appends an entry on the leader. `data` must not be modified afterwards. A follower refuses and names its leader. The caller
   * forwards the proposal and returns its position, because only (index, term) distinguishes `committed` from `lost`.
   */
  propose(data: Uint8Array): ProposeResult {
    const core = this.#core;
    if (core.role !== 'leader') return this.#refuse('notLeader', 'this peer does not lead');
    if (core.transfer !== undefined) return this.#refuse('transferring', `handing over to ${core.transfer.to}`);
    // A proposal larger than the whole limit is allowed if nothing else is pending.
    if (
      core.uncommittedBytes > 0 &&
      core.uncommittedBytes + data.length + ENTRY_OVERHEAD_BYTES > core.limits.uncommittedBytesMax
    ) {
      return this.#refuse('uncommittedLimit', `${core.uncommittedBytes} bytes wait to be committed`);
    }
    return this.#append('normal', data);
  }

  /**
   * Appends the configuration that results from the change, or the joint one that leads to it; the leader leaves a
   * joint phase automatically. The change is complete when an entry of kind `config` with no outgoing voters is
   * committed at or after the returned index.
   */
  proposeConfigChange(change: ConfigChange): ProposeResult {
    const core = this.#core;
    if (core.role !== 'leader') return this.#refuse('notLeader', 'this peer does not lead');
    if (core.transfer !== undefined) return this.#refuse('transferring', `handing over to ${core.transfer.to}`);
    const verdict = judgeChange(core, change);
    if (verdict.kind === 'refused') return this.#refuse(verdict.reason, verdict.detail);
    return this.#append('config', encodeConfigEntry(verdict.config, change.context));
  }

  /**
   * Requests the index from which a linearizable read may be served. A later Ready contains exactly one ReadOutcome with the same
   * `context` (a number of the caller). A follower asks its leader.
   */
  readIndex(context: number): void {
    this.#stirred = true;
    readIndex(this.#core, context);
  }

  /**
   * Brings `to` up to date, then asks it to campaign. Proposals are refused meanwhile. Each of the two may take an election timeout;
   * after that this peer serves again.
   */
  transferLeadership(to: PeerId): TransferResult {
    this.#stirred = true;
    return transferLeadership(this.#core, to);
  }

  /** Campaigns now if allowed, so that a cluster of one does not wait for its first timeout. */
  campaign(): void {
    this.#stirred = true;
    if (mayCampaign(this.#core)) campaign(this.#core);
  }

  /** Returns all pending output, or undefined if there is none. Call it until it returns undefined. */
  ready(): Ready | undefined {
    if (!this.#stirred) return undefined;
    const ready = drain(this.#core, this.#softState);
    if (ready === undefined) this.#stirred = false;
    if (ready?.softState !== undefined) this.#softState = ready.softState;
    return ready;
  }

  /** False when `ready()` would certainly return undefined. */
  hasReady(): boolean {
    return this.#stirred;
  }

  /** Writes up to and including `number` are durable, and the storage serves their entries. */
  persisted(number: number): void {
    this.#stirred = true;
    const core = this.#core;
    core.durable = core.log.persisted(number);
    core.diskTicks = 0;
    releasePromises(core, number);
    noteDurable(core);
  }

  /** The state machine has applied everything up to `index`. */
  applied(index: LogIndex): void {
    this.#stirred = true;
    this.#core.log.appliedTo(index);
  }

  /**
   * Compacts the log up to `index` (between its base and applied). Returns the new base of the log. The caller makes it
   * durable, then drops the entries from the storage.
   */
  compact(index: LogIndex): SnapshotMeta {
    return compact(this.#core, index);
  }

  /**
   * The index up to which the log may be compacted: `trailing` entries stay in any case, up to `trailingMax` for a live follower
   * that lacks them. Undefined when there is nothing to compact.
   */
  compactionIndex(trailing: number, trailingMax: number): LogIndex | undefined {
    return compactionIndex(this.#core, trailing, trailingMax);
  }

  /** Metadata for a snapshot of the state machine as of `index` (between the base of the log and applied). */
  snapshotMeta(index: LogIndex): SnapshotMeta {
    return snapshotMeta(this.#core, index);
  }

  /**
   * Index of the accepted snapshot that is not durable yet. If it is undefined after a snapshot message was stepped, this peer does
   * not need the snapshot, and the caller discards its data.
   */
  get installing(): LogIndex | undefined {
    const { log } = this.#core;
    return log.installing ? log.base.index : undefined;
  }

  /**
   * The snapshot in flight to `to` contains everything up to `index`, which is applied here. This is more than was requested when
   * it was taken later. The log up to there is no longer kept for `to`.
   */
  snapshotCovers(to: PeerId, index: LogIndex): void {
    snapshotCovers(this.#core, to, index);
  }

  /** The snapshot stream to `to` has ended. Must be called once for each snapshot message. */
  reportSnapshot(to: PeerId, ok: boolean): void {
    this.#stirred = true;
    reportSnapshot(this.#core, to, ok);
  }

  /** A message to `to` was (probably) lost. */
  reportUnreachable(to: PeerId): void {
    this.#stirred = true;
    reportUnreachable(this.#core, to);
  }

  /** The configuration in force, committed or not. */
  get config(): Configuration {
    return this.#core.configs.current;
  }

  /** The configuration in force at `index`, or at the base of the log if that is later. */
  configAt(index: LogIndex): Configuration {
    const { configs, log } = this.#core;
    return configs.at(Math.max(index, log.base.index) as LogIndex);
  }

  status(): NodeStatus {
    const core = this.#core;
    const { log, configs } = core;
    const peers: PeerStatus[] = [...core.progress].map(([id, p]) => ({
      id,
      match: p.match,
      next: p.next,
      state: p.state,
      recentlyActive: p.isLive(core.limits.electionTicks),
      learner: configs.current.learners.includes(id),
      caughtUp: isCaughtUp(core, id),
    }));
    return {
      id: core.id,
      role: core.role,
      term: core.term,
      leader: core.leader,
      vote: core.vote,
      commit: log.commit,
      applied: log.applied,
      firstIndex: log.firstIndex,
      lastIndex: log.lastIndex,
      stableIndex: log.stable,
      config: configs.current,
      configIsCommitted: core.role === 'leader' && committedInTerm(core) && configs.currentIndex <= log.commit,
      uncommittedBytes: core.uncommittedBytes,
      transferringTo: core.transfer?.to ?? NO_PEER,
      peers,
    };
  }

  #append(kind: EntryKind, data: Uint8Array): ProposeResult {
    this.#stirred = true;
    const { index, term } = appendEntry(this.#core, kind, data);
    return { kind: 'appended', index, term };
  }

  #refuse(reason: ProposeRefusal, detail: string): ProposeResult {
    return { kind: 'refused', reason, leader: this.#core.leader, detail };
  }
}
