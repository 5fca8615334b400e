import { goQuote } from '../../api/index.js';
import { codecLimits } from '../limits.js';

/** Lists of keys up to this length are searched, longer ones indexed. */
const FEW_KEYS = 12;

/** The findings at a path, and at the paths below it. */
interface Place {
  readonly inside: Map<string | number, Place>;
  readonly said: Set<string>;
}

const newPlace = (): Place => ({ inside: new Map(), said: new Set() });

/**
 * Collects unknown and duplicate fields in document order, each reported once with its path. Paths may be as long as
 * the text and a field may be repeated many times. Therefore a path is built only for a report, not to detect a
 * repetition.
 */
export class Findings {
  readonly texts: string[] = [];
  #characters = 0;
  /** Field names and list indexes. */
  readonly #path: (string | number)[] = [];
  /** The nodes of the root and of the first steps of the path that have findings. */
  readonly #places: Place[] = [newPlace()];

  enter(step: string | number): void {
    this.#path.push(step);
  }

  leave(): void {
    this.#path.pop();
    if (this.#places.length > this.#path.length + 1) this.#places.pop();
  }

  unknown(name: string): void {
    this.#add('unknown', name);
  }

  duplicate(name: string): void {
    this.#add('duplicate', name);
  }

  #add(what: 'unknown' | 'duplicate', name: string): void {
    if (this.texts.length >= codecLimits.strictFindingsMax || this.#characters >= codecLimits.strictCharactersMax)
      return;
    const { said } = this.#here();
    const known = said.size;
    said.add(`${what} ${name}`);
    if (said.size === known) return;
    let path = '';
    for (const step of this.#path) path += typeof step === 'number' ? `[${step}]` : path === '' ? step : `.${step}`;
    const text = `${what} field ${goQuote(path === '' ? name : `${path}.${name}`)}`;
    this.#characters += text.length;
    this.texts.push(text);
  }

  #here(): Place {
    for (let i = this.#places.length; i <= this.#path.length; i++) {
      const { inside } = this.#places[i - 1]!;
      const step = this.#path[i - 1]!;
      const place = inside.get(step) ?? newPlace();
      inside.set(step, place);
      this.#places.push(place);
    }
    return this.#places[this.#path.length]!;
  }
}

/** Returns a function that reports, key by key in order, whether a key of an object is a duplicate. */
export function repeats(keys: readonly string[]): (i: number) => boolean {
  if (keys.length <= FEW_KEYS) return (i) => keys.indexOf(keys[i]!) < i;
  const seen = new Set<string>();
  return (i) => {
    const known = seen.size;
    seen.add(keys[i]!);
    return seen.size === known;
  };
}
