/** The set of open watches, so that the server can end them. */
export class Watches {
  readonly #stops = new Set<() => void>();
  #closed = false;

  get size(): number {
    return this.#stops.size;
  }

  /** Registers a watch. `stop` ends it in order; it runs at once after `close`. */
  add(stop: () => void): void {
    if (this.#closed) stop();
    else this.#stops.add(stop);
  }

  delete(stop: () => void): void {
    this.#stops.delete(stop);
  }

  /** Ends all open watches. */
  end(): void {
    for (const stop of [...this.#stops]) stop();
  }

  /**
   * Ends all open watches, and also watches that are opened later, because their requests may already be in progress.
   */
  close(): void {
    this.#closed = true;
    this.end();
  }
}
