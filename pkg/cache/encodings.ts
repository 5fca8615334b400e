import { cacheLimits } from './limits.js';

/** Who keeps encodings of itself and can be told to let them go. */
export interface Encoded {
  dropEncodings(): void;
}

/**
 * What all objects together keep of themselves in other encodings than the stored one. Bounded: what was made first goes first, and
 * is made again when it is asked for. Large lists in protobuf would otherwise leave a second copy of everything in memory.
 */
export class EncodingBudget {
  readonly #bytesMax: number;
  readonly #kept = new Map<Encoded, number>();
  #bytes = 0;

  constructor(bytesMax: number = cacheLimits.encodingsBytesMax) {
    this.#bytesMax = bytesMax;
  }

  /** Of everything that is kept, with what keeping it costs. */
  get bytes(): number {
    return this.#bytes;
  }

  /** `owner` keeps `bytes` more. */
  keep(owner: Encoded, bytes: number): void {
    const cost = bytes + cacheLimits.encodingOverheadBytes;
    this.#kept.set(owner, (this.#kept.get(owner) ?? 0) + cost);
    this.#bytes += cost;
    for (const [oldest, its] of this.#kept) {
      if (this.#bytes <= this.#bytesMax || oldest === owner) break;
      this.#kept.delete(oldest);
      this.#bytes -= its;
      oldest.dropEncodings();
    }
  }

  /** `owner` has let go of all that it kept. */
  forget(owner: Encoded): void {
    this.#bytes -= this.#kept.get(owner) ?? 0;
    this.#kept.delete(owner);
  }
}
