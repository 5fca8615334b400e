/** The blocks of a text in PEM. Text around them, and blocks without an end, are skipped. Linear in the text. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  /** The whole block with its markers. */
  readonly text: string;
}

const BEGIN = '-----BEGIN ';
const DASHES = '-----';

export function* pemBlocks(text: string): Iterable<PemBlock> {
  let at = text.indexOf(BEGIN);
  while (at >= 0) {
    // The end of a block comes before the next block begins.
    const next = text.indexOf(BEGIN, at + BEGIN.length);
    const section = text.slice(at, next < 0 ? text.length : next);
    const typeEnd = section.indexOf(DASHES, BEGIN.length);
    const type = typeEnd < 0 ? '' : section.slice(BEGIN.length, typeEnd);
    const closing = `-----END ${type}-----`;
    const end = typeEnd < 0 ? -1 : section.indexOf(closing, typeEnd + DASHES.length);
    if (end >= 0) {
      const hasHeaders = section.slice(typeEnd + DASHES.length, end).includes(':');
      yield { type, hasHeaders, text: section.slice(0, end + closing.length) };
    }
    at = next;
  }
}
