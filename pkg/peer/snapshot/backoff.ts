import type { World } from '../../base/index.js';
import { SNAPSHOT_LIMITS } from '../common/index.js';

interface Series {
  /** Failures one after the other, and what the last one said. */
  readonly count: number;
  readonly why: string;
  readonly at: number;
}

/**
 * What became of the snapshots for each peer. One that can not take any, for want of room most likely, is asked again and
 * again; each time in vain it is left alone for twice as long, and only what is new about it is told.
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

  /** A snapshot is sent to `peer`: whether that is news, and not one more of a series. */
  begins(peer: number): boolean {
    const series = this.#series.get(peer);
    // Long not asked for: somebody else led meanwhile, or it caught up in another way.
    if (series !== undefined && this.#now() - series.at <= 4 * this.#mostMs) return false;
    this.#series.delete(peer);
    return true;
  }

  /** How long to leave `peer` alone, and whether `why` is another reason than the last time. */
  failed(peer: number, why: string): { readonly waitMs: number; readonly isNews: boolean } {
    const { count, why: last } = this.#series.get(peer) ?? { count: 0, why: '' };
    // How many bytes are left says nothing new.
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
