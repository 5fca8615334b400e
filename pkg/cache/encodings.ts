import type { Clock } from '../base/index.js';
import { cacheLimits } from './limits.js';

/** An owner of kept encodings that can drop them. */
export interface Encoded {
  dropEncodings(): void;
}

interface Kept {
  readonly owner: Encoded;
  bytes: number;
  /** The time of the last use, in monotonic milliseconds. */
  used: number;
}

/**
 * The budget of the encodings that objects keep beside the stored one. Without a bound, large lists in protobuf would leave a second copy
 * of all objects in memory.
 *
 * At the bound, encodings that were not used for a while are evicted. If all were used, a new encoding is not kept. A list larger than the
 * budget that is read repeatedly therefore finds a part of its encodings each time; plain LRU eviction would find none of them.
 */
export class EncodingBudget {
  readonly #clock: Clock;
  readonly #bytesMax: number;
  /** In the order of insertion; an encoding that a search finds in use moves to the end. */
  readonly #kept = new Map<Encoded, Kept>();
  #bytes = 0;
  /** The time of the next search for room, after one that found none. */
  #noRoomUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, bytesMax: number = cacheLimits.encodingsBytesMax) {
    this.#clock = clock;
    this.#bytesMax = bytesMax;
  }

  /** Bytes of all kept encodings, with their overhead. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Reports whether `owner` may keep `bytes` more, and counts them if so. */
  keep(owner: Encoded, bytes: number): boolean {
    const cost = bytes + cacheLimits.encodingOverheadBytes;
    const now = this.#clock.monotonic();
    if (this.#bytes + cost > this.#bytesMax && !this.#makeRoom(cost, now)) return false;
    const known = this.#kept.get(owner);
    if (known === undefined) this.#kept.set(owner, { owner, bytes: cost, used: now });
    else known.bytes += cost;
    this.#bytes += cost;
    return true;
  }

  /** Records a use of the encodings of `owner`. */
  use(owner: Encoded): void {
    const kept = this.#kept.get(owner);
    if (kept !== undefined) kept.used = this.#clock.monotonic();
  }

  /** Records that `owner` dropped all its encodings. */
  forget(owner: Encoded): void {
    this.#bytes -= this.#kept.get(owner)?.bytes ?? 0;
    this.#kept.delete(owner);
  }

  #makeRoom(bytes: number, now: number): boolean {
    if (now < this.#noRoomUntil) return false;
    let looked = 0;
    for (const kept of this.#kept.values()) {
      if (this.#bytes + bytes <= this.#bytesMax) return true;
      if (looked++ === cacheLimits.encodingsLookedAt) break;
      this.#kept.delete(kept.owner);
      if (now - kept.used < cacheLimits.encodingKeptTime) {
        this.#kept.set(kept.owner, kept);
        continue;
      }
      this.#bytes -= kept.bytes;
      kept.owner.dropEncodings();
    }
    const found = this.#bytes + bytes <= this.#bytesMax;
    if (!found) this.#noRoomUntil = now + cacheLimits.encodingsLookInterval;
    return found;
  }
}
