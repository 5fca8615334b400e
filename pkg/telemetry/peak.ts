/** One second, in milliseconds. */
const WINDOW = 1000;

/** A level, and the highest that it had in the current second and the one before. Times are monotonic, in milliseconds. */
export class RecentPeak {
  #level = 0;
  #window = 0;
  #current = 0;
  #before = 0;

  add(amount: number, now: number): void {
    this.#roll(now);
    this.#level += amount;
    this.#current = Math.max(this.#current, this.#level);
  }

  peak(now: number): number {
    this.#roll(now);
    return Math.max(this.#current, this.#before);
  }

  #roll(now: number): void {
    const window = Math.floor(now / WINDOW);
    if (window === this.#window) return;
    // If nothing changed for longer, the level was the highest.
    this.#before = window === this.#window + 1 ? this.#current : this.#level;
    this.#current = this.#level;
    this.#window = window;
  }
}
