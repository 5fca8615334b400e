/** Revisions that someone is reading at. What they need is not swept before they let go. */
export class Pins {
  readonly #held = new Set<{ readonly revision: number }>();
  #idle: (() => void)[] = [];

  /** Returns what lets go; calling it twice does no harm. */
  hold(revision: number): () => void {
    const pin = { revision };
    this.#held.add(pin);
    return () => {
      this.#held.delete(pin);
      if (this.#held.size > 0) return;
      for (const wake of this.#idle.splice(0)) wake();
    };
  }

  /** The oldest revision held, or infinity. */
  get oldest(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const { revision } of this.#held) if (revision < oldest) oldest = revision;
    return oldest;
  }

  /** Resolves when nobody holds anything. */
  async idle(): Promise<void> {
    if (this.#held.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }
}
