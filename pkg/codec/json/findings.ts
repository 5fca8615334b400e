import { goQuote } from '../../api/index.js';
import { codecLimits } from '../limits.js';

/** Lists of keys up to this length are searched, longer ones indexed. */
const FEW_KEYS = 12;

/** Unknown and duplicate fields in the order in which a decoder comes upon them, each said once, with its path. */
export class Findings {
  readonly texts: string[] = [];
  readonly #seen = new Set<string>();
  /** Field names and list indexes; put together only when there is something to say. */
  readonly #path: (string | number)[] = [];

  enter(step: string | number): void {
    this.#path.push(step);
  }

  leave(): void {
    this.#path.pop();
  }

  unknown(name: string): void {
    this.#add('unknown', name);
  }

  duplicate(name: string): void {
    this.#add('duplicate', name);
  }

  #add(what: 'unknown' | 'duplicate', name: string): void {
    if (this.texts.length >= codecLimits.strictFindingsMax) return;
    let path = '';
    for (const step of this.#path) path += typeof step === 'number' ? `[${step}]` : path === '' ? step : `.${step}`;
    const text = `${what} field ${goQuote(path === '' ? name : `${path}.${name}`)}`;
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    this.texts.push(text);
  }
}

/** Answers, key by key in their order, whether a key of an object has come before. */
export function repeats(keys: readonly string[]): (i: number) => boolean {
  if (keys.length <= FEW_KEYS) return (i) => keys.indexOf(keys[i]!) < i;
  const seen = new Set<string>();
  return (i) => {
    const known = seen.size;
    seen.add(keys[i]!);
    return seen.size === known;
  };
}
