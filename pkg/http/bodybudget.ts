import { limits } from './limits.js';

/**
 * Bounds the memory of all request bodies that are in flight. Bodies count as they arrive, from a size on; the in-flight limiter bounds
 * the small ones. A body that finds no room is refused (429), and its client tries again later.
 */
export class BodyBudget {
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether `bytes` more fit. A body that is announced and would not fit is refused before it is sent. */
  hasRoom(bytes: number): boolean {
    return this.#bytes + bytes <= limits.bodiesBytesMax;
  }

  /** Counts `bytes` more. Returns whether they fit; if not, they do not count. */
  take(bytes: number): boolean {
    if (!this.hasRoom(bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}
