import { type Revision, revision, type World } from '../../base/index.js';
import { encodeEntry, type StateMachine, type Txn, type TxnResult } from '../../storage/index.js';
import { BACKGROUND_LIMITS } from '../common/index.js';

export interface BackgroundPorts {
  readonly world: World;
  isLeader(): boolean;
  /** Voters of the cluster. */
  voters(): number;
  machine(): StateMachine;
  /** Revision of the newest change of a key. */
  newestWrite(): number;
  propose(command: Uint8Array): Promise<TxnResult>;
  readonly compactionRetentionMs: number;
  readonly hashCheckMs: number;
  hasLeader(): boolean;
  /** This peer was found to have the state that most have. */
  checked(): boolean;
  /** This peer waits for a check that finds a majority. */
  suspended(): boolean;
}

/**
 * What a peer proposes of its own accord: as a leader the deletion of keys whose time has come, compaction of old history, the
 * hash check; any peer a first hash check when it has started. Every peer keeps the notes that compaction needs, so a new leader goes on where the old one was.
 */
export class BackgroundTasks {
  readonly #ports: BackgroundPorts;
  readonly #stops: (() => void)[] = [];
  #expiring = false;
  /** Newest write as seen at intervals, oldest first. */
  #samples: { readonly at: number; readonly revision: Revision }[] = [];
  #checked = 0;
  #firstChecks = 0;

  constructor(ports: BackgroundPorts) {
    this.#ports = ports;
    const { timers } = ports.world;
    this.#stops.push(timers.every(BACKGROUND_LIMITS.expiryEveryMs, () => void this.#expire()));
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
      // At the bound the rest waits for the next look: expiry is no reason to crowd out clients.
      for (let round = 0; round < BACKGROUND_LIMITS.expiryRoundsMax; round++) {
        const due = this.#ports.machine().expired(this.#ports.world.clock.now(), BACKGROUND_LIMITS.expiryKeysMax);
        if (due.length === 0) return;
        const txn: Txn = { compares: due, ops: due.map(({ key }) => ({ kind: 'delete', key })) };
        const result = await this.#ports.propose(encodeEntry({ kind: 'txn', txn }));
        // A key that was written meanwhile is judged anew at the next look.
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
   * Not a leader's alone: whatever became of a peer's state while it was down shows as soon as it is back, not with the next
   * round. Asked again while too few have answered, as connections are still being made.
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
