/** A cache of values with a lifetime; beyond `max`, the least recently used one is dropped. */
export class ExpiringCache<V> {
  readonly #max: number;
  readonly #entries = new Map<string, { readonly until: number; readonly value: V }>();

  constructor(max: number) {
    this.#max = max;
  }

  /** `now` and the time of `set` use the same clock, in milliseconds. */
  get(key: string, now: number): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (now >= entry.until) return undefined;
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: V, until: number): void {
    this.#entries.delete(key);
    this.#entries.set(key, { until, value });
    if (this.#entries.size > this.#max) this.#entries.delete(this.#entries.keys().next().value!);
  }
}
