import { type Revision, revision, type World } from '../../base/index.js';
import { encodeEntry, type StateMachine, type Txn, type TxnResult } from '../../storage/index.js';
import { BACKGROUND_LIMITS } from '../common/index.js';

export interface BackgroundPorts {
  readonly world: World;
  isLeader(): boolean;
  hasLeader(): boolean;
  /** The number of voters. */
  voters(): number;
  machine(): StateMachine;
  /** Revision of the newest change of a key. */
  newestWrite(): number;
  propose(command: Uint8Array): Promise<TxnResult>;
  /** Whether expired keys are deleted only if nothing was written since (`PeerRules`). */
  readonly comparesExpired: boolean;
  readonly compactionRetentionMs: number;
  readonly hashCheckMs: number;
  /** This peer was found to have the state of most peers. */
  checked(): boolean;
  /** Whether this peer waits for a check that finds a majority. */
  suspended(): boolean;
  /** Whether writes are refused for lack of space. */
  shortOfSpace(): boolean;
  freeBytes(): number;
}

/**
 * The background tasks of a peer. The leader deletes expired keys, compacts old history and runs the hash check. Every
 * peer runs a first hash check after its start, and reclaims space if it has none. Every peer samples revisions for
 * compaction, so a new leader continues where the old one stopped.
 */
export class BackgroundTasks {
  readonly #ports: BackgroundPorts;
  readonly #stops: (() => void)[] = [];
  #expiring = false;
  /** The newest write as seen at intervals, oldest first. */
  #samples: { readonly at: number; readonly revision: Revision }[] = [];
  #checked = 0;
  #firstChecks = 0;
  #reclaimed = 0;
  #rewriting = false;
  #rewrittenAt = Number.NEGATIVE_INFINITY;

  constructor(ports: BackgroundPorts) {
    this.#ports = ports;
    const { timers } = ports.world;
    this.#stops.push(timers.every(BACKGROUND_LIMITS.expiryEveryMs, () => void this.#expire()));
    this.#stops.push(timers.every(BACKGROUND_LIMITS.reclaimEveryMs, () => this.#reclaim()));
    if (ports.compactionRetentionMs > 0) {
      const period = Math.max(
        BACKGROUND_LIMITS.compactionEveryMsMin,
        Math.ceil(ports.compactionRetentionMs / BACKGROUND_LIMITS.compactionSlices),
      );
      this.#stops.push(timers.every(period, () => this.#compact()));
    }
    if (ports.hashCheckMs <= 0) return;
    this.#stops.push(timers.every(ports.hashCheckMs, () => this.#check()));
    this.#stops.push(timers.every(BACKGROUND_LIMITS.firstCheckEveryMs, () => this.#firstCheck()));
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  async #expire(): Promise<void> {
    if (this.#expiring || !this.#ports.isLeader()) return;
    this.#expiring = true;
    try {
      // At the limit the rest is left to the next run: expiry must not delay clients.
      for (let round = 0; round < BACKGROUND_LIMITS.expiryRoundsMax; round++) {
        const due = this.#ports.machine().expired(this.#ports.world.clock.now(), BACKGROUND_LIMITS.expiryKeysMax);
        if (due.length === 0) return;
        const compares = this.#ports.comparesExpired ? due : [];
        const txn: Txn = { compares, ops: due.map(({ key }) => ({ kind: 'delete', key })) };
        const result = await this.#ports.propose(encodeEntry({ kind: 'txn', txn }));
        // A key that was written meanwhile is checked again in the next run.
        if (result.kind !== 'committed') return;
      }
    } finally {
      this.#expiring = false;
    }
  }

  #compact(): void {
    const now = this.#ports.world.clock.monotonic();
    const oldest = now - this.#ports.compactionRetentionMs;
    let target: Revision | undefined;
    while (this.#samples.length > 0 && this.#samples[0]!.at <= oldest) target = this.#samples.shift()!.revision;
    this.#samples.push({ at: now, revision: revision(this.#ports.newestWrite()) });
    if (target === undefined || !this.#ports.isLeader() || target <= this.#ports.machine().compacted) return;
    void this.#ports.propose(encodeEntry({ kind: 'compact', revision: target }));
  }

  /**
   * Compacts all history while writes are refused for lack of space, so that deletes free space: deleted values
   * otherwise stay in the history and in the files of the engine. Watches that lag behind must then start again with a
   * list (410).
   */
  #reclaim(): void {
    if (!this.#ports.shortOfSpace() || !this.#ports.hasLeader()) return;
    const newest = this.#ports.newestWrite();
    if (newest > this.#reclaimed && newest > this.#ports.machine().compacted) {
      this.#reclaimed = newest;
      void this.#ports.propose(encodeEntry({ kind: 'compact', revision: revision(newest) }));
      return;
    }
    void this.#rewrite();
  }

  /** Rewrites the engine's files without deleted rows. */
  async #rewrite(): Promise<void> {
    const { world, freeBytes } = this.#ports;
    const machine = this.#ports.machine();
    const now = world.clock.monotonic();
    if (this.#rewriting || machine.counts.sweeping || machine.blocked !== undefined) return;
    if (now - this.#rewrittenAt < BACKGROUND_LIMITS.rewriteEveryMs) return;
    const { sizeBytes, sizeInUseBytes } = machine;
    if (sizeBytes < sizeInUseBytes * BACKGROUND_LIMITS.rewriteAtFactor) return;
    if (freeBytes() < sizeInUseBytes + BACKGROUND_LIMITS.rewriteSpareBytes) return;
    this.#rewriting = true;
    this.#rewrittenAt = now;
    try {
      await machine.defragment();
    } catch {
      // The engine still found no space, or was closed. The next run tries again.
    } finally {
      this.#rewriting = false;
    }
  }

  /**
   * Every peer runs it, so that damage to the state of a stopped peer is detected when the peer is back rather than at
   * the next periodic check. Repeated while too few peers have answered, because connections are still being made.
   */
  #firstCheck(): void {
    if (this.#firstChecks >= BACKGROUND_LIMITS.firstChecksMax || this.#ports.checked()) return;
    if (!this.#ports.hasLeader() || this.#ports.voters() < 2) return;
    this.#firstChecks++;
    void this.#ports.propose(encodeEntry({ kind: 'check' }));
  }

  #check(): void {
    const newest = this.#ports.newestWrite();
    if (!this.#ports.isLeader() || this.#ports.voters() < 2) return;
    if (newest <= this.#checked && !this.#ports.suspended()) return;
    this.#checked = newest;
    void this.#ports.propose(encodeEntry({ kind: 'check' }));
  }
}
