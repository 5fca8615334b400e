import type { Canonical } from './time.js';

/**
 * Decodes base64 of RFC 4648 with padding, the JSON form of `bytes`. Line breaks are skipped and excess bits of the
 * last character are cleared. Other input that is not canonical is refused with the position that Go's decoder reports.
 */
export function canonicalBase64(text: string): Canonical {
  const bytes = Buffer.from(text, 'base64');
  const canonical = bytes.toString('base64');
  if (canonical === text) return { ok: true, text };
  const at = firstIllegal(Buffer.from(text));
  if (at !== undefined) return { ok: false, message: `illegal base64 data at input byte ${at}` };
  return { ok: true, text: canonical };
}

const isBreak = (c: number | undefined): boolean => c === 0x0a || c === 0x0d;

function isDigit(c: number): boolean {
  const lower = c | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (c >= 0x2f && c <= 0x39) || c === 0x2b;
}

function firstIllegal(text: Buffer): number | undefined {
  let inGroup = 0;
  let i = 0;
  while (i < text.length) {
    const c = text[i++]!;
    if (isDigit(c)) inGroup = (inGroup + 1) % 4;
    else if (!isBreak(c)) {
      if (c !== 0x3d || inGroup < 2) return i - 1;
      return afterPadding(text, i, inGroup === 2);
    }
  }
  return inGroup === 0 ? undefined : text.length - inGroup;
}

function afterPadding(text: Buffer, from: number, oneMore: boolean): number | undefined {
  let i = from;
  while (isBreak(text[i])) i++;
  if (oneMore) {
    if (i === text.length) return i;
    if (text[i] !== 0x3d) return i - 1;
    i++;
    while (isBreak(text[i])) i++;
  }
  return i < text.length ? i : undefined;
}
