import { limits } from './limits.js';

/**
 * The `Warning` headers of one response (RFC 7234, 5.5). Each text occurs once. The total length is limited to what every client
 * accepts: beyond it long texts are truncated, then further ones are dropped.
 */
export class Warnings {
  readonly #texts = new Set<string>();
  #chars = 0;
  #cut = false;
  /** Those that are shown if texts are cut. */
  #shown = 0;

  add(text: string): void {
    if (this.#shown >= limits.warningsCharsMax) return;
    const clean = tidy(text);
    if (clean === '' || this.#texts.has(clean)) return;
    this.#texts.add(clean);
    this.#chars += clean.length;
    this.#shown += Math.min(clean.length, limits.warningCharsCut);
    if (this.#chars > limits.warningsCharsMax) this.#cut = true;
  }

  /** The values of the header, or undefined when there are no warnings. */
  get headers(): string[] | undefined {
    if (this.#texts.size === 0) return undefined;
    const values: string[] = [];
    let chars = 0;
    for (const text of this.#texts) {
      // The warning that exceeds the limit is still sent; later ones are not.
      if (chars >= limits.warningsCharsMax) break;
      const shown = this.#cut ? cutTo(text, limits.warningCharsCut) : text;
      chars += shown.length;
      values.push(`299 - "${latin1(shown.replace(/["\\]/g, '\\$&'))}"`);
    }
    return values;
  }
}

/** Replaces line breaks and other control characters, which would end the header. */
function tidy(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  const shown = text.replace(/[\u0000-\u001f\u007f]+/g, ' ');
  return shown.slice(isControl(text.at(0)) ? 1 : 0, isControl(text.at(-1)) ? -1 : undefined);
}

function cutTo(text: string, chars: number): string {
  return [...text].slice(0, chars).join('');
}

/** Encodes UTF-8 as the latin1 string that Node's header writer expects. */
function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

const isControl = (c: string | undefined): boolean => c !== undefined && (c < ' ' || c === '\u007f');
