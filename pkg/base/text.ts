/**
 * `text` without the characters at its end that `characters` holds. It looks at each of them once, which an expression like
 * `/x+$/` does not: that one starts anew at every position of every run, and takes quadratic time.
 */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end--;
  return end === text.length ? text : text.slice(0, end);
}
