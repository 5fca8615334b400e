import {
  type Configuration,
  entryBytes,
  type LogIndex,
  type MemoryLog,
  type SnapshotMeta,
} from '../../../raft/index.js';
import type { StateMachine } from '../../storage/index.js';
import { LOG_LIMITS, type PeerMetrics } from '../common/index.js';
import type { Journal } from './journal.js';

export interface CompactorPorts {
  readonly raft: {
    readonly config: Configuration;
    compactionIndex(trailing: number, trailingMax: number): LogIndex | undefined;
    compact(index: LogIndex): SnapshotMeta;
  };
  readonly tail: MemoryLog;
  readonly journal: Journal;
  readonly metrics: PeerMetrics;
  machine(): StateMachine;
  now(): number;
  readonly snapshotCount: number;
  fail(error: unknown): void;
}

/**
 * Cuts the log when it has grown. First everything applied is made durable in the state (the barrier), then the log
 * entries up to there are dropped, except some for followers that are slightly behind.
 */
export class LogCompactor {
  readonly #ports: CompactorPorts;
  #cutting: Promise<void> | undefined;

  constructor(ports: CompactorPorts) {
    this.#ports = ports;
  }

  /** Called after each apply: cheap when there is nothing to do. */
  look(): void {
    const { tail, snapshotCount } = this.#ports;
    if (this.#cutting !== undefined) return;
    const entries = tail.lastIndex() - tail.base().index;
    if (entries < snapshotCount && !this.#tooLong(this.#tailBytes() / this.#scale)) return;
    if (this.#target() < tail.base().index + this.#leastCut()) return;
    this.#cutting = this.#cut()
      .catch((error: unknown) => this.#ports.fail(error))
      .finally(() => {
        this.#cutting = undefined;
      });
  }

  /** Resolves when no cut is under way. */
  async settled(): Promise<void> {
    await this.#cutting;
  }

  #tooLong(bytes: number): boolean {
    if (bytes < LOG_LIMITS.aloneTailBytesMax) return false;
    return bytes >= LOG_LIMITS.tailBytesMax || this.#alone;
  }

  /** This peer is the only member. */
  get #alone(): boolean {
    const { voters, votersOutgoing, learners, learnersNext } = this.#ports.raft.config;
    return voters.length + votersOutgoing.length + learners.length + learnersNext.length === 1;
  }

  /** The approximate bytes of the entries in memory. Sampled, because it is called after every apply. */
  #tailBytes(): number {
    const { tail } = this.#ports;
    const first = tail.base().index + 1;
    const count = tail.lastIndex() - first + 1;
    if (count <= 0) return 0;
    const step = Math.max(1, Math.floor(count / 16));
    let sum = 0;
    let seen = 0;
    for (let at = first; at < first + count; at += step, seen++) sum += this.#bytesAt(at);
    return (sum / seen) * count;
  }

  #bytesAt(index: number): number {
    return entryBytes(this.#ports.tail.entries(index as LogIndex, (index + 1) as LogIndex, 1)[0]!);
  }

  /** A greater `snapshotCount` scales the byte limits, and costs memory. */
  get #scale(): number {
    return Math.max(1, this.#ports.snapshotCount / LOG_LIMITS.snapshotCount);
  }

  /** The number of entries that fit in `bytes`, at most `entries`. */
  #within(bytes: number, entries: number): number {
    const { tail } = this.#ports;
    const count = Math.max(1, tail.lastIndex() - tail.base().index);
    const perEntry = Math.max(1, this.#tailBytes() / count);
    return Math.max(1, Math.min(entries, Math.floor(bytes / perEntry)));
  }

  /** Entries that always stay after a cut. */
  #trailing(): number {
    const bytes = this.#alone ? LOG_LIMITS.aloneTrailingBytes : LOG_LIMITS.trailingBytes;
    return this.#within(bytes * this.#scale, Math.ceil(this.#ports.snapshotCount / 2));
  }

  /**
   * The minimum number of entries of a cut. Otherwise a log that is kept for a slow follower would be cut by one entry
   * at a time.
   */
  #leastCut(): number {
    return Math.max(1, Math.floor(this.#trailing() * LOG_LIMITS.cutShareMin));
  }

  /** Returns where the log may be cut; its base if there is nothing to cut. */
  #target(): number {
    const { raft, tail, snapshotCount } = this.#ports;
    const trailing = this.#trailing();
    const trailingMax = this.#within(LOG_LIMITS.trailingBytesMax, snapshotCount * LOG_LIMITS.trailingSnapshotCounts);
    return raft.compactionIndex(trailing, Math.max(trailing, trailingMax)) ?? tail.base().index;
  }

  async #cut(): Promise<void> {
    const { raft, tail, journal, metrics, now } = this.#ports;
    const started = now();
    const durable = await this.#ports.machine().barrier();
    metrics.snapFsync.observe((now() - started) / 1000);
    const index = Math.min(this.#target(), durable);
    if (index <= tail.base().index) return;
    const base = raft.compact(index as LogIndex);
    await journal.cut(base);
    // A snapshot may have been installed meanwhile; then there is nothing left to drop.
    if (base.index > tail.base().index) tail.compact(base);
  }
}
