import { codecLimits } from '../limits.js';
import { quote } from './text.js';

/** Unknown and duplicate fields in the order in which a decoder comes upon them, each said once, with its path. */
export class Findings {
  readonly texts: string[] = [];
  readonly #seen = new Set<string>();
  readonly #path: string[] = [];

  enterField(name: string): void {
    this.#path.push(this.#path.length === 0 ? name : `.${name}`);
  }

  enterItem(index: number): void {
    this.#path.push(`[${index}]`);
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
    const path = this.#path.length === 0 ? name : `${this.#path.join('')}.${name}`;
    const text = `${what} field ${quote(path)}`;
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    this.texts.push(text);
  }
}
