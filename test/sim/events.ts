// The simulated clock: a heap of events, ordered by time and then by the order of scheduling.

interface Planned {
  readonly time: number;
  readonly order: number;
  readonly run: () => void;
}

export class Events {
  #heap: Planned[] = [];
  #order = 0;
  #now = 0;

  get now(): number {
    return this.#now;
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Schedules `run` in `delay` units. With 0 it runs after everything already scheduled for now. */
  after(delay: number, run: () => void): void {
    const planned = { time: this.#now + delay, order: this.#order++, run };
    const heap = this.#heap;
    let at = heap.push(planned) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!earlier(planned, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = planned;
  }

  /** Runs the next event. Returns false when there is none. */
  next(): boolean {
    const heap = this.#heap;
    const first = heap[0];
    if (first === undefined) return false;
    const last = heap.pop()!;
    if (heap.length > 0) sink(heap, last);
    this.#now = first.time;
    first.run();
    return true;
  }
}

function sink(heap: Planned[], planned: Planned): void {
  let at = 0;
  for (;;) {
    let child = at * 2 + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && earlier(heap[child + 1]!, heap[child]!)) child++;
    if (!earlier(heap[child]!, planned)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = planned;
}

function earlier(a: Planned, b: Planned): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order);
}
