import { isUtf8 } from 'node:buffer';
import { goQuote } from '../../api/index.js';

/** Quotes a character as in the syntax errors of kube-apiserver, which read a byte as a Latin-1 character. */
export function quoteByte(c: number): string {
  if (c === 0x27) return `'\\''`;
  if (c === 0x22) return `'"'`;
  const quoted = goQuote(String.fromCharCode(c));
  return `'${quoted.slice(1, -1)}'`;
}

/** Returns the string with each lone surrogate replaced by U+FFFD. */
export function wellFormed(s: string): string {
  return s.replace(/\p{Surrogate}/gu, '\ufffd');
}

const SHORT_TEXT = 64;

/** Decodes a part of a buffer as text (see `utf8`). It creates no view for short ASCII, the usual case. */
export function utf8At(buffer: Buffer, from: number, to: number): string {
  if (to - from <= SHORT_TEXT) {
    let i = from;
    while (i < to && buffer[i]! < 0x80) i++;
    if (i === to) return buffer.toString('latin1', from, to);
  }
  return utf8(buffer.subarray(from, to));
}

/** Decodes bytes as text; each byte that is not part of valid UTF-8 becomes one U+FFFD, as in kube-apiserver. */
export function utf8(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let out = '';
  let good = 0;
  let i = 0;
  while (i < bytes.length) {
    const size = sequenceAt(bytes, i);
    if (size > 0) {
      i += size;
      continue;
    }
    if (i > good) out += bytes.toString('utf8', good, i);
    out += '\ufffd';
    good = ++i;
  }
  return good < i ? out + bytes.toString('utf8', good, i) : out;
}

/**
 * Returns the length of the UTF-8 sequence at `i`, or 0 if it is invalid (RFC 3629: no overlong forms, no surrogates,
 * nothing above U+10FFFF).
 */
function sequenceAt(b: Buffer, i: number): number {
  const c = b[i]!;
  if (c < 0x80) return 1;
  const size = c >= 0xc2 && c <= 0xdf ? 2 : (c & 0xf0) === 0xe0 ? 3 : c >= 0xf0 && c <= 0xf4 ? 4 : 0;
  if (size === 0 || i + size > b.length) return 0;
  for (let k = 1; k < size; k++) if ((b[i + k]! & 0xc0) !== 0x80) return 0;
  const second = b[i + 1]!;
  if ((c === 0xe0 && second < 0xa0) || (c === 0xed && second > 0x9f)) return 0;
  if ((c === 0xf0 && second < 0x90) || (c === 0xf4 && second > 0x8f)) return 0;
  return size;
}
