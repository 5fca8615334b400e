/**
 * The expiry times of slots: a binary heap by time without search. If a put changes a slot's time, the old entry stays;
 * it is recognised as stale when it reaches the top. If most entries are stale, the heap is rebuilt.
 */
export class Expiries {
  /** Returns the current expiry time of a slot; absent: it does not expire. */
  readonly #times = new Map<number, number>();
  #heapTimes: number[] = [];
  #heapSlots: number[] = [];
  /** Slots taken off the heap because they were due; they stay here until they change. */
  readonly #due = new Set<number>();
  #lastLook = 0;

  /** `time` in milliseconds since the epoch; 0: never. */
  set(slot: number, time: number): void {
    this.#due.delete(slot);
    if (time === 0) {
      this.#times.delete(slot);
      return;
    }
    this.#times.set(slot, time);
    this.#push(time, slot);
    if (this.#heapTimes.length > 2 * this.#times.size + 64) this.#rebuild();
  }

  /**
   * Returns slots whose time is not above `now`, at most `limit`, in no particular order. They remain until they
   * change.
   */
  due(now: number, limit: number): number[] {
    // The wall clock was set back: slots that were due may no longer be.
    if (now < this.#lastLook) {
      this.#due.clear();
      this.#rebuild();
    }
    this.#lastLook = now;
    while (this.#heapTimes.length > 0 && this.#heapTimes[0]! <= now && this.#due.size < limit) {
      const slot = this.#heapSlots[0]!;
      if (this.#times.get(slot) === this.#heapTimes[0]) this.#due.add(slot);
      this.#pop();
    }
    const out: number[] = [];
    for (const slot of this.#due) {
      if (out.length >= limit) break;
      out.push(slot);
    }
    return out;
  }

  get size(): number {
    return this.#times.size;
  }

  #rebuild(): void {
    const live = [...this.#times].filter(([slot]) => !this.#due.has(slot)).sort(([, a], [, b]) => a - b);
    // A sorted list is a heap.
    this.#heapTimes = live.map(([, time]) => time);
    this.#heapSlots = live.map(([slot]) => slot);
  }

  #push(time: number, slot: number): void {
    const times = this.#heapTimes;
    const slots = this.#heapSlots;
    let i = times.length;
    times.push(time);
    slots.push(slot);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (times[parent]! <= time) break;
      times[i] = times[parent]!;
      slots[i] = slots[parent]!;
      i = parent;
    }
    times[i] = time;
    slots[i] = slot;
  }

  #pop(): void {
    const times = this.#heapTimes;
    const slots = this.#heapSlots;
    const time = times.pop()!;
    const slot = slots.pop()!;
    const size = times.length;
    if (size === 0) return;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= size) break;
      if (child + 1 < size && times[child + 1]! < times[child]!) child++;
      if (times[child]! >= time) break;
      times[i] = times[child]!;
      slots[i] = slots[child]!;
      i = child;
    }
    times[i] = time;
    slots[i] = slot;
  }
}
