/** An element of a `Bag`. */
export interface Bagged {
  /** The index of the element in its bag, kept by the bag; -1 outside it. */
  place: number;
}

/**
 * A set without order for elements that come and go with each request. A `Set` or `Map` of such elements makes its table anew again and
 * again, and V8 links each old table, with all its elements, to the next one. Once one of them is in the old generation, all that follow
 * survive until the next full collection, with the requests that they held.
 */
export class Bag<T extends Bagged> implements Iterable<T> {
  readonly #elements: T[] = [];

  get size(): number {
    return this.#elements.length;
  }

  /** Adds an element, unless it is here already. It must be in no other bag. */
  add(element: T): void {
    if (element.place >= 0) return;
    element.place = this.#elements.length;
    this.#elements.push(element);
  }

  /** Removes an element, if the bag has it. */
  delete(element: T): void {
    const { place } = element;
    if (place < 0) return;
    const last = this.#elements.pop()!;
    if (last !== element) {
      this.#elements[place] = last;
      last.place = place;
    }
    element.place = -1;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#elements[Symbol.iterator]();
  }
}
