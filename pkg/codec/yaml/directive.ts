import { isBlank, isBlankOrEnd, isBreakOrEnd, type Source } from './source.js';
import type { Mark } from './token.js';

export const WORD_CHARACTER = /[0-9A-Za-z_-]/;
export const TAG_CHARACTER = /[0-9A-Za-z_\-;/?:@&=+$.!~*'()%,[\]]/;

const DIGIT = /[0-9]/;
const DIGITS_MAX = 9;

/** `%YAML 1.1` has the value `1.1` and no handle, `%TAG !e! tag:example.com,2000:` the handle `!e!` and the prefix as its value. */
export interface Directive {
  readonly value: string;
  readonly handle: string;
}

/** Scans a directive up to the end of its line. The source is at its percent sign, at `mark`. */
export function scanDirective(s: Source, mark: Mark): Directive {
  s.skip();
  const name = take(s, WORD_CHARACTER);
  if (name === '') s.fail(mark, 'could not find expected directive name');
  if (!isBlankOrEnd(s.peek())) s.fail(mark, 'found unexpected non-alphabetical character');
  const directive = name === 'YAML' ? version(s, mark) : name === 'TAG' ? tag(s, mark) : undefined;
  if (directive === undefined) s.fail(mark, 'found unknown directive name');
  skipBlanks(s);
  if (s.peek() === 0x23) while (!isBreakOrEnd(s.peek())) s.skip();
  if (!isBreakOrEnd(s.peek())) s.fail(mark, 'did not find expected comment or line break');
  return directive;
}

function version(s: Source, mark: Mark): Directive {
  skipBlanks(s);
  const major = versionNumber(s, mark);
  if (s.peek() !== 0x2e) s.fail(mark, "did not find expected digit or '.' character");
  s.skip();
  return { value: `${major}.${versionNumber(s, mark)}`, handle: '' };
}

function versionNumber(s: Source, mark: Mark): number {
  const digits = take(s, DIGIT);
  if (digits.length > DIGITS_MAX) s.fail(mark, 'found extremely long version number');
  if (digits === '') s.fail(mark, 'did not find expected version number');
  return Number(digits);
}

function tag(s: Source, mark: Mark): Directive {
  skipBlanks(s);
  if (s.peek() !== 0x21) s.fail(mark, "did not find expected '!'");
  s.skip();
  let handle = `!${take(s, WORD_CHARACTER)}`;
  if (s.peek() === 0x21) {
    s.skip();
    handle += '!';
  } else if (handle !== '!') s.fail(mark, "did not find expected '!'");
  if (!isBlank(s.peek())) s.fail(mark, 'did not find expected whitespace');
  skipBlanks(s);
  const prefix = take(s, TAG_CHARACTER);
  if (prefix === '') s.fail(mark, 'did not find expected tag URI');
  if (!isBlankOrEnd(s.peek())) s.fail(mark, 'did not find expected whitespace or line break');
  return { value: prefix, handle };
}

function take(s: Source, character: RegExp): string {
  const from = s.at;
  while (!s.ended() && character.test(s.text[s.at]!)) s.skip();
  return s.text.slice(from, s.at);
}

function skipBlanks(s: Source): void {
  while (isBlank(s.peek())) s.skip();
}
