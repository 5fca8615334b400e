import { limits } from './limits.js';

/**
 * The `Warning` headers of one answer (RFC 7234, 5.5): each text once; together they stay below a bound that every client takes:
 * when they would not, long ones are cut, and what is still too much is left out.
 */
export class Warnings {
  readonly #texts = new Set<string>();
  #chars = 0;
  #cut = false;

  add(text: string): void {
    const clean = tidy(text);
    if (clean === '' || this.#texts.has(clean)) return;
    this.#texts.add(clean);
    this.#chars += clean.length;
    if (this.#chars > limits.warningsCharsMax) this.#cut = true;
  }

  /** Values of the header, or undefined when there is nothing to warn of. */
  get headers(): string[] | undefined {
    if (this.#texts.size === 0) return undefined;
    const values: string[] = [];
    let chars = 0;
    for (const text of this.#texts) {
      // The one that goes over the bound is still shown, the next is not.
      if (chars >= limits.warningsCharsMax) break;
      const shown = this.#cut ? cutTo(text, limits.warningCharsCut) : text;
      chars += shown.length;
      values.push(`299 - "${latin1(shown.replace(/["\\]/g, '\\$&'))}"`);
    }
    return values;
  }
}

/** No line breaks or other control characters: they would end the header. */
function tidy(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim();
}

function cutTo(text: string, chars: number): string {
  return [...text].slice(0, chars).join('');
}

/** UTF-8 as the one-byte text that Node's header writer takes. */
function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}
