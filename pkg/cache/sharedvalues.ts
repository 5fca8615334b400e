import type { JsonObject } from '../api/index.js';
import { cacheLimits } from './limits.js';

/** An owner of a parsed value that can drop it. */
export interface ValueOwner {
  /** The length of the JSON in bytes. */
  readonly length: number;
  dropValue(): void;
}

let isSealing = false;

/** From now on, a change of a shared value throws. It costs more than parsing, so it is for tests. */
export function sealSharedValues(): void {
  isSealing = true;
}

/**
 * The parsed values that stored objects keep for their readers. Selectors, controllers and the next write of an object read the same
 * version within a short time; with this they parse it once. The oldest are dropped, used or not: values that live long are expensive to
 * the garbage collector.
 */
export class SharedValues {
  readonly #ring = new Array<ValueOwner | undefined>(cacheLimits.sharedValuesMax);
  #first = 0;
  #count = 0;
  #bytes = 0;

  /** Bytes of the JSON of the kept values. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Records that `owner` keeps `value`, and returns the value. `dropValue` of the owner is called when there is no more room. */
  keep(owner: ValueOwner, value: JsonObject): JsonObject {
    while (
      this.#count === this.#ring.length ||
      (this.#count > 0 && this.#bytes + owner.length > cacheLimits.sharedValueBytesMax)
    )
      this.#dropFirst();
    this.#ring[(this.#first + this.#count++) % this.#ring.length] = owner;
    this.#bytes += owner.length;
    return isSealing ? deepFreeze(value) : value;
  }

  #dropFirst(): void {
    const owner = this.#ring[this.#first]!;
    this.#ring[this.#first] = undefined;
    this.#first = (this.#first + 1) % this.#ring.length;
    this.#count--;
    this.#bytes -= owner.length;
    owner.dropValue();
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const key in value) deepFreeze(value[key]);
  return Object.freeze(value);
}
