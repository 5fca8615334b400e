import type { World } from '../../base/index.js';
import { SNAPSHOT_LIMITS } from '../common/index.js';

interface Series {
  /** Consecutive failures, and the reason of the last one. */
  readonly count: number;
  readonly why: string;
  readonly at: number;
}

/**
 * Retries of snapshots, for each peer. A peer that cannot receive a snapshot, most likely for want of space, is retried with exponential
 * backoff, and only new reasons are logged.
 */
export class Backoff {
  readonly #world: World;
  readonly #firstMs: number;
  readonly #series = new Map<number, Series>();

  constructor(world: World, firstMs: number) {
    this.#world = world;
    this.#firstMs = firstMs;
  }

  get #mostMs(): number {
    return this.#firstMs * SNAPSHOT_LIMITS.retryWaitsMax;
  }

  /** A snapshot is sent to `peer`. Returns whether it is the first attempt of a series. */
  begins(peer: number): boolean {
    const series = this.#series.get(peer);
    // The last attempt was long ago: another peer led since, or the receiver caught up from the log.
    if (series !== undefined && this.#now() - series.at <= 4 * this.#mostMs) return false;
    this.#series.delete(peer);
    return true;
  }

  /** Returns how long to wait, and whether `why` differs from the last reason. */
  failed(peer: number, why: string): { readonly waitMs: number; readonly isNews: boolean } {
    const { count, why: last } = this.#series.get(peer) ?? { count: 0, why: '' };
    // A change of numbers, such as free bytes, is not a new reason.
    const kind = why.replace(/\d+/g, '#');
    this.#series.set(peer, { count: count + 1, why: kind, at: this.#now() });
    return { waitMs: Math.min(this.#firstMs * 2 ** Math.min(count, 16), this.#mostMs), isNews: kind !== last };
  }

  succeeded(peer: number): void {
    this.#series.delete(peer);
  }

  #now(): number {
    return this.#world.clock.monotonic();
  }
}
