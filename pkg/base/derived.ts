/**
 * A value that is made from some state, by work that may take several turns, and that is kept until the state changes. A failure is not kept: the
 * next caller makes the value again.
 */
export class Derived<T> {
  #of: unknown;
  #value: T | Promise<T>;

  /** `value` is the value of the state `of`. */
  constructor(of: unknown, value: T) {
    this.#of = of;
    this.#value = value;
  }

  /** Returns the value of the state `of`; a promise while `make` runs. States are compared with `===`. */
  at(of: unknown, make: () => T | Promise<T>): T | Promise<T> {
    if (of === this.#of) return this.#value;
    const made = make();
    this.#of = of;
    this.#value = made;
    if (made instanceof Promise)
      made.then(
        (value) => {
          if (this.#value === made) this.#value = value;
        },
        () => {
          if (this.#value === made) this.#of = {};
        },
      );
    return made;
  }
}
