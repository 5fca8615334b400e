/**
 * Returns `text` without the trailing characters that are in `characters`. It is linear, unlike an expression like
 * `/x+$/`, which starts anew at every position of every run and takes quadratic time.
 */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end--;
  return end === text.length ? text : text.slice(0, end);
}

/** V8 makes shorter parts of a string as copies. */
const PART_CHARACTERS_MIN = 13;

/** A copy of a part of a longer text. The part itself would keep the whole text in memory. */
export function ownText(part: string): string {
  return part.length < PART_CHARACTERS_MIN ? part : Buffer.from(part).toString();
}

/** Quotes a word for a POSIX shell if it needs that. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
