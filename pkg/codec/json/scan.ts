import { codecLimits } from '../limits.js';

/** The result of `countMembers` for a text that requires the exact reader. */
export const NEEDS_EXACT_READER = -1;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Strings longer than this are skipped by a native search, which is faster than a loop. */
const SHORT_STRING = 48;

/**
 * Counts the members of all objects of a JSON text in one pass over its bytes. `JSON.parse` keeps the last of
 * duplicate keys silently; if its result has fewer keys than this count, there were duplicates. Returns
 * `NEEDS_EXACT_READER` for everything that `JSON.parse` would lose or change: numbers with a fraction, an exponent or
 * 16 digits and more, escaped surrogates, deep nesting, a text that ends inside a string. `fractions`: the caller
 * accepts them. It does not check the grammar: `JSON.parse` does.
 */
export function countMembers(text: Buffer, fractions = false): number {
  const n = text.length;
  const escapes = text.includes(BACKSLASH);
  let members = 0;
  let depth = 0;
  for (let i = 0; i < n; i++) {
    const c = text[i]!;
    if (c === QUOTE) {
      i = escapes ? skipEscapedString(text, i + 1, n) : skipString(text, i + 1, n);
      if (i < 0) return NEEDS_EXACT_READER;
    } else if (c === 0x3a) members++;
    else if (c === 0x7b || c === 0x5b) {
      if (++depth > codecLimits.fastDepthMax) return NEEDS_EXACT_READER;
    } else if (c === 0x7d || c === 0x5d) depth--;
    else if (c >= 0x30 && c <= 0x39) {
      const start = i;
      let next = text[i + 1]!;
      while (next >= 0x30 && next <= 0x39) next = text[++i + 1]!;
      // '.', 'e', 'E'; past the end of the text the comparison with undefined is false.
      if (i - start >= 15 || (next === 0x2e && !fractions) || next === 0x65 || next === 0x45) return NEEDS_EXACT_READER;
    }
  }
  return members;
}

/** Position of the closing quote, or -1. The text has no escapes. */
export function skipString(text: Buffer, from: number, n: number): number {
  const near = Math.min(from + SHORT_STRING, n);
  for (let i = from; i < near; i++) if (text[i] === QUOTE) return i;
  return near === n ? -1 : text.indexOf(QUOTE, near);
}

/** Position of the closing quote, or -1, also for an escaped surrogate. */
export function skipEscapedString(text: Buffer, from: number, n: number): number {
  for (let i = from; i < n; i++) {
    const c = text[i];
    if (c === QUOTE) return i;
    if (c === BACKSLASH) {
      i++;
      // \ud800 to \udfff. Pairs are legal, lone halves are not; both are rare enough for the slower reader.
      if (text[i] === 0x75 && (text[i + 1]! | 0x20) === 0x64 && text[i + 2]! >= 0x38) return -1;
    }
  }
  return -1;
}

/** Position of the quote that ends a string, or -1. */
export function closingQuote(text: Buffer, from: number): number {
  for (let i = from; i < text.length; i++) {
    const c = text[i];
    if (c === QUOTE) return i;
    if (c === BACKSLASH) i++;
  }
  return -1;
}
