/** Every watch that is open, for who has to end them. */
export class Watches {
  readonly #stops = new Set<() => void>();
  #closed = false;

  get size(): number {
    return this.#stops.size;
  }

  /** `stop` ends a watch in order; it runs at once when no watch is to be open any more. */
  add(stop: () => void): void {
    if (this.#closed) stop();
    else this.#stops.add(stop);
  }

  delete(stop: () => void): void {
    this.#stops.delete(stop);
  }

  /** Ends those that are open. */
  end(): void {
    for (const stop of [...this.#stops]) stop();
  }

  /** Ends those that are open, and each that is opened from now on: its request may have been under way. */
  close(): void {
    this.#closed = true;
    this.end();
  }
}
