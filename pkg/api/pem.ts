/** The blocks of a text in PEM. Text around them, and blocks without an end or with other text than base64, are skipped. Linear in the text. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  /** The whole block with its markers. */
  readonly text: string;
}

const BEGIN = '-----BEGIN ';
const DASHES = '-----';
const BASE64 = /^[A-Za-z0-9+/=\s]*$/;

export function* pemBlocks(text: string): Iterable<PemBlock> {
  let at = nextBlock(text, 0);
  while (at >= 0) {
    // The end of a block comes before the next block begins.
    const next = nextBlock(text, at + BEGIN.length);
    const section = text.slice(at, next < 0 ? text.length : next);
    const typeEnd = section.indexOf(DASHES, BEGIN.length);
    const type = typeEnd < 0 ? '' : section.slice(BEGIN.length, typeEnd);
    const lineEnd = section.indexOf('\n');
    const isAlone = typeEnd >= 0 && lineEnd >= 0 && section.slice(typeEnd + DASHES.length, lineEnd).trim() === '';
    const closing = `-----END ${type}-----`;
    const end = !isAlone ? -1 : section.indexOf(closing, typeEnd + DASHES.length);
    if (end >= 0) {
      const body = section.slice(typeEnd + DASHES.length, end);
      const hasHeaders = body.includes(':');
      if (hasHeaders || BASE64.test(body)) yield { type, hasHeaders, text: section.slice(0, end + closing.length) };
    }
    at = next;
  }
}

/** A block begins at the start of a line, which has nothing else. */
function nextBlock(text: string, from: number): number {
  if (from === 0 && text.startsWith(BEGIN)) return 0;
  const newline = text.indexOf(`\n${BEGIN}`, Math.max(0, from - 1));
  return newline < 0 ? -1 : newline + 1;
}
