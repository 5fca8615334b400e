import { isBlank, isBlankOrEnd, isBreak, isBreakOrEnd, type Source } from './source.js';
import type { Mark } from './token.js';

/** Reads the four styles of scalars, each from its first character until after its last. */

export interface PlainScalar {
  readonly value: string;
  /** The scalar contained a line break, so a key may follow. */
  readonly multiLine: boolean;
}

/** `indent`: continuation lines must be indented deeper than this column. */
export function scanPlain(s: Source, inFlow: boolean, indent: number): PlainScalar {
  const start = s.mark();
  let value = '';
  let blanks = '';
  let breaks = '';
  let multiLine = false;
  for (;;) {
    if (s.atDocumentIndicator() || s.peek() === 0x23) break;
    const from = s.at;
    while (!endsPlain(s, inFlow)) s.skip();
    if (s.at > from) {
      value += breaks === '' ? blanks : fold(breaks);
      value += s.text.slice(from, s.at);
      breaks = '';
      blanks = '';
      multiLine = false;
    }
    if (!isBlank(s.peek()) && !isBreak(s.peek())) break;
    while (isBlank(s.peek()) || isBreak(s.peek())) {
      if (isBreak(s.peek())) {
        breaks += s.lineBreak();
        multiLine = true;
        blanks = '';
        continue;
      }
      if (multiLine && s.column < indent && s.peek() === 0x09)
        s.fail(start, 'found a tab character that violates indentation');
      if (breaks === '') blanks += s.text[s.at];
      s.skip();
    }
    if (!inFlow && s.column < indent) break;
  }
  return { value, multiLine };
}

function endsPlain(s: Source, inFlow: boolean): boolean {
  const c = s.peek();
  if (isBlankOrEnd(c)) return true;
  if (c === 0x3a && isBlankOrEnd(s.peek(1))) return true;
  // , ? [ ] { }
  return inFlow && (c === 0x2c || c === 0x3f || c === 0x5b || c === 0x5d || c === 0x7b || c === 0x7d);
}

/** One line break folds into a space; of several, the first is dropped. */
function fold(breaks: string): string {
  return breaks === '\n' ? ' ' : breaks[0] === '\n' ? breaks.slice(1) : breaks;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  "'": "'",
  '/': '/',
  '\\': '\\',
  N: '\u0085',
  _: '\u00a0',
  L: '\u2028',
  P: '\u2029',
};

const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

export function scanQuoted(s: Source, single: boolean): string {
  const start = s.mark();
  const quote = single ? 0x27 : 0x22;
  s.skip();
  let value = '';
  for (;;) {
    if (s.atDocumentIndicator()) s.fail(start, 'found unexpected document indicator');
    if (s.ended()) s.fail(start, 'found unexpected end of stream');
    let joined = false;
    while (!isBlankOrEnd(s.peek())) {
      const c = s.peek();
      if (c === quote) {
        if (!single || s.peek(1) !== quote) {
          s.skip();
          return value;
        }
        value += "'";
        s.skip(2);
      } else if (!single && c === 0x5c) {
        if (isBreak(s.peek(1))) {
          s.skip();
          s.lineBreak();
          joined = true;
          break;
        }
        value += scanEscape(s, start);
      } else {
        const from = s.at;
        do s.skip();
        while (!isBlankOrEnd(s.peek()) && s.peek() !== quote && (single || s.peek() !== 0x5c));
        value += s.text.slice(from, s.at);
      }
    }
    value += scanGap(s, joined);
  }
}

/** Reads blanks and line breaks inside quotes. `joined`: an escaped line break precedes them. */
function scanGap(s: Source, joined: boolean): string {
  let blanks = '';
  let breaks = '';
  while (isBlank(s.peek()) || isBreak(s.peek())) {
    if (isBreak(s.peek())) {
      breaks += s.lineBreak();
      blanks = '';
    } else {
      if (breaks === '' && !joined) blanks += s.text[s.at];
      s.skip();
    }
  }
  // After an escaped line break, further line breaks are kept.
  return breaks === '' ? blanks : joined ? breaks : fold(breaks);
}

function scanEscape(s: Source, start: Mark): string {
  const letter = s.text[s.at + 1] ?? '';
  const known = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
  if (known !== undefined) {
    s.skip(2);
    return known;
  }
  const digits = Object.hasOwn(HEX_DIGITS, letter) ? HEX_DIGITS[letter]! : 0;
  if (digits === 0) s.fail(start, 'found unknown escape character');
  s.skip(2);
  const hex = s.text.slice(s.at, s.at + digits);
  if (hex.length < digits || !/^[0-9a-fA-F]+$/.test(hex)) s.fail(start, 'did not find expected hexdecimal number');
  const code = Number.parseInt(hex, 16);
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff)
    s.fail(start, 'found invalid Unicode character escape code');
  s.skip(digits);
  return String.fromCodePoint(code);
}

/** Reads a literal (`|`) or folded (`>`) block. `parentIndent`: the column of the parent block, -1 at the top. */
export function scanBlock(s: Source, literal: boolean, parentIndent: number): string {
  const start = s.mark();
  s.skip();
  const { chomp, increment } = scanBlockHeader(s, start);
  let indent = increment > 0 ? (parentIndent >= 0 ? parentIndent + increment : increment) : 0;
  const first = scanBlockBreaks(s, indent, parentIndent, start);
  indent = first.indent;
  let breaks = first.breaks;
  let value = '';
  let lastBreak = '';
  let previousBlank = false;
  while (s.column === indent && !s.ended()) {
    const blank = isBlank(s.peek());
    if (!literal && lastBreak.startsWith('\n') && !previousBlank && !blank) {
      if (breaks === '') value += ' ';
    } else value += lastBreak;
    value += breaks;
    previousBlank = blank;
    const from = s.at;
    while (!isBreakOrEnd(s.peek())) s.skip();
    value += s.text.slice(from, s.at);
    lastBreak = s.ended() ? '' : s.lineBreak();
    breaks = scanBlockBreaks(s, indent, parentIndent, start).breaks;
  }
  if (chomp !== '-') value += lastBreak;
  if (chomp === '+') value += breaks;
  return value;
}

interface BlockHeader {
  readonly chomp: '' | '+' | '-';
  readonly increment: number;
}

function scanBlockHeader(s: Source, start: Mark): BlockHeader {
  let chomp: BlockHeader['chomp'] = '';
  let increment = 0;
  for (let i = 0; i < 2; i++) {
    const c = s.peek();
    if (chomp === '' && (c === 0x2b || c === 0x2d)) {
      chomp = c === 0x2b ? '+' : '-';
      s.skip();
    } else if (increment === 0 && c >= 0x30 && c <= 0x39) {
      if (c === 0x30) s.fail(start, 'found an indentation indicator equal to 0');
      increment = c - 0x30;
      s.skip();
    } else break;
  }
  while (isBlank(s.peek())) s.skip();
  if (s.peek() === 0x23) while (!isBreakOrEnd(s.peek())) s.skip();
  if (!isBreakOrEnd(s.peek())) s.fail(start, 'did not find expected comment or line break');
  if (!s.ended()) s.lineBreak();
  return { chomp, increment };
}

/** Skips empty lines before a line of text, and detects the indentation of the block if it is not yet known (0). */
function scanBlockBreaks(
  s: Source,
  known: number,
  parentIndent: number,
  start: Mark,
): { readonly breaks: string; readonly indent: number } {
  let breaks = '';
  let deepest = 0;
  for (;;) {
    while ((known === 0 || s.column < known) && s.peek() === 0x20) s.skip();
    if (s.column > deepest) deepest = s.column;
    if ((known === 0 || s.column < known) && s.peek() === 0x09)
      s.fail(start, 'found a tab character where an indentation space is expected');
    if (!isBreak(s.peek())) break;
    breaks += s.lineBreak();
  }
  return { breaks, indent: known > 0 ? known : Math.max(deepest, parentIndent + 1, 1) };
}
