import type { Clock } from '../base/index.js';
import { cacheLimits } from './limits.js';

/** Who keeps encodings of itself and can be told to let them go. */
export interface Encoded {
  dropEncodings(): void;
}

interface Kept {
  readonly owner: Encoded;
  bytes: number;
  /** Monotonic milliseconds. */
  used: number;
}

/**
 * What all objects together keep of themselves in other encodings than the stored one. Bounded: large lists in protobuf would
 * otherwise leave a second copy of everything in memory.
 *
 * At the bound what was not asked for in a while makes room; when all was, what is new is not kept. So a list that is larger than
 * the bound, read again and again, leaves what fits in place, instead of displacing everything each time without ever finding it.
 */
export class EncodingBudget {
  readonly #clock: Clock;
  readonly #bytesMax: number;
  /** In the order of coming in, or of having been found in use when room was sought. */
  readonly #kept = new Map<Encoded, Kept>();
  #bytes = 0;
  /** Until then looking for room again is not worth what it costs. */
  #noRoomUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, bytesMax: number = cacheLimits.encodingsBytesMax) {
    this.#clock = clock;
    this.#bytesMax = bytesMax;
  }

  /** Of everything that is kept, with what keeping it costs. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether `owner` may keep `bytes` more. */
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

  /** What `owner` keeps was asked for. */
  use(owner: Encoded): void {
    const kept = this.#kept.get(owner);
    if (kept !== undefined) kept.used = this.#clock.monotonic();
  }

  /** `owner` has let go of all that it kept. */
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
