/** Revisions that are being read. Rows that they need are not swept until they are released. */
export class Pins {
  readonly #held = new Set<{ readonly revision: number }>();
  #idle: (() => void)[] = [];

  /** Returns a function that releases the pin; it may be called twice. */
  hold(revision: number): () => void {
    const pin = { revision };
    this.#held.add(pin);
    return () => {
      this.#held.delete(pin);
      if (this.#held.size > 0) return;
      for (const wake of this.#idle.splice(0)) wake();
    };
  }

  /** The oldest pinned revision, or infinity. */
  get oldest(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const { revision } of this.#held) if (revision < oldest) oldest = revision;
    return oldest;
  }

  /** Resolves when nothing is pinned. */
  async idle(): Promise<void> {
    if (this.#held.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }
}
