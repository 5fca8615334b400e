/** Additions after which the entries move on, unless there are more entries. */
const TURN = 256;

/**
 * A map for entries that come and go with each request, in the order of their addition. A `Map` of such entries makes its table anew again
 * and again, and V8 links each old table, with all its entries, to the next one. Once one of them is in the old generation, all that follow
 * survive until the next full collection, with the requests that they held. So this one begins with a new `Map` now and then.
 */
export class TurnoverMap<K, V> {
  #young = new Map<K, V>();
  /** Entries that were added before those of `#young`. */
  #old = new Map<K, V>();
  /** Entries that were added to `#young` since it began. */
  #added = 0;

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(key: K): V | undefined {
    const found = this.#young.get(key);
    return found !== undefined || this.#old.size === 0 ? found : this.#old.get(key);
  }

  has(key: K): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  /** Replaces the value of a key in its place, as a `Map` does. */
  set(key: K, value: V): void {
    if (this.#old.size > 0 && this.#old.has(key)) {
      this.#old.set(key, value);
      return;
    }
    if (this.#added >= TURN && this.#added >= this.size) this.#turn();
    this.#young.set(key, value);
    this.#added++;
  }

  delete(key: K): boolean {
    return this.#young.delete(key) || (this.#old.size > 0 && this.#old.delete(key));
  }

  /** As with a `Map`, entries may be deleted meanwhile. None may be added. */
  *values(): IterableIterator<V> {
    yield* this.#old.values();
    yield* this.#young.values();
  }

  #turn(): void {
    this.#old = this.#old.size === 0 ? this.#young : new Map([...this.#old, ...this.#young]);
    this.#young = new Map();
    this.#added = 0;
  }
}
