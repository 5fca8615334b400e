import { limits } from './limits.js';

/**
 * Bounds the memory of all request bodies in flight. Bodies count while they arrive, from a certain size on; the
 * in-flight limiter bounds the small ones. A body beyond the budget is refused (429), and its client retries later.
 */
export class BodyBudget {
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Reports whether `bytes` more fit. A body whose announced length does not fit is refused before it is sent. */
  hasRoom(bytes: number): boolean {
    return this.#bytes + bytes <= limits.bodiesBytesMax;
  }

  /** Counts `bytes` more and returns true if they fit. Otherwise they do not count. */
  take(bytes: number): boolean {
    if (!this.hasRoom(bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}
