import type { Steps } from './scheduler.js';

/** Items that a walk visits in one piece. */
const AT_ONCE = 250;

interface Rest {
  readonly items: readonly unknown[];
  readonly f: (item: unknown) => void;
  at: number;
}

/**
 * Lets a synchronous walk over an object pause in the middle of long lists. The walk visits the items of each list with `each`. After some
 * hundred items the others are put off, and `steps` visits them in pieces. So the order of the items, and what follows a list, must not
 * matter to the walk.
 */
export class PutOff {
  #visited = 0;
  readonly #rests: Rest[] = [];

  each<T>(items: readonly T[], f: (item: T) => void): void {
    if (this.#visited + items.length <= AT_ONCE) {
      this.#visited += items.length;
      for (const item of items) f(item);
      return;
    }
    this.#rests.push({ items, f: f as Rest['f'], at: 0 });
  }

  /** Visits what was put off. */
  *steps(): Steps<void> {
    for (;;) {
      const rest = this.#rests.at(-1);
      if (rest === undefined) return;
      if (rest.at === 0 || this.#visited >= AT_ONCE) {
        yield;
        this.#visited = 0;
      }
      if (rest.at >= rest.items.length) {
        this.#rests.pop();
        continue;
      }
      this.#visited++;
      rest.f(rest.items[rest.at++]);
    }
  }
}
