/**
 * Returns `text` without the trailing characters that are in `characters`. It is linear, unlike an expression like
 * `/x+$/`, which starts anew at every position of every run and takes quadratic time.
 */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end--;
  return end === text.length ? text : text.slice(0, end);
}

/** Quotes a word for a POSIX shell if it needs that. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
