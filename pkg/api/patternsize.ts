import { apiLimits } from './limits.js';

/**
 * Estimates the size of the program that a regular expression (RE2 syntax) compiles to, in instructions, without compiling it: each
 * character and class counts, and a counted repetition counts its part as often as it repeats it. Compiling takes about a microsecond for
 * each, and matching takes up to the product of the size and the length of the text.
 */
export function patternSize(pattern: string): number {
  const enclosing: { readonly before: number; readonly last: number }[] = [];
  // The sequence so far, and its last part, which a repetition applies to.
  let before = 0;
  let last = 0;
  const part = (size: number): void => {
    before += last;
    last = size;
  };
  for (let i = 0; i < pattern.length; i++) {
    switch (pattern[i]) {
      case '\\':
        i++;
        if (pattern[i] !== 'p' && pattern[i] !== 'P') part(1);
        else {
          part(UNICODE_CLASS);
          i = pattern[i + 1] === '{' ? endOf(pattern, '}', i) : i + 1;
        }
        break;
      case '[':
        part(2);
        i = endOfClass(pattern, i);
        break;
      case '(':
        enclosing.push({ before, last });
        before = 0;
        last = 0;
        break;
      case ')': {
        const inner = before + last + 2;
        ({ before, last } = enclosing.pop() ?? { before: 0, last: 0 });
        part(inner);
        break;
      }
      case '{': {
        const end = endOf(pattern, '}', i);
        const times = timesOf(pattern.slice(i + 1, end));
        if (Number.isNaN(times)) part(1);
        else {
          last = (last + 1) * Math.max(times, 1);
          i = end;
        }
        break;
      }
      default:
        if ('*+?'.includes(pattern[i]!)) last += 1;
        else part(1);
    }
    if (before + last > TOO_LARGE) return TOO_LARGE;
  }
  return before + last + enclosing.reduce((sum, e) => sum + e.before + e.last, 0);
}

const UNICODE_CLASS = 16;
const TOO_LARGE = 1e9;

const endOf = (pattern: string, closing: string, from: number): number => {
  const end = pattern.indexOf(closing, from);
  return end < 0 ? pattern.length : end;
};

/** The most repetitions of `3`, `3,` or `3,5`; NaN for other texts, which stand for themselves. */
function timesOf(text: string): number {
  if (text.length > 12) return Number.NaN;
  const [least, most, ...rest] = text.split(',');
  if (rest.length > 0 || least === '') return Number.NaN;
  return most === undefined || most === '' ? Number(least) + 1 : Number(most);
}

/** The position of the bracket that ends a class. A bracket that comes first is a member. */
function endOfClass(pattern: string, open: number): number {
  let i = open + (pattern[open + 1] === '^' ? 2 : 1);
  if (pattern[i] === ']') i++;
  for (; i < pattern.length && pattern[i] !== ']'; i++) if (pattern[i] === '\\') i++;
  return i;
}

/** Whether a pattern is larger than a request may compile: compiling cannot be interrupted. */
export function isPatternTooLarge(pattern: string): boolean {
  return patternSize(pattern) > apiLimits.patternSizeMax;
}
