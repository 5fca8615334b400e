import { isUtf8 } from 'node:buffer';
import { type Mark, scannerFailure, yamlFailure } from './token.js';

/** Not printable and not a line break of YAML 1.1. */
const UNPRINTABLE = /[^\t\n\r -~\u0085\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;

/** The characters of one document and a position in them. Characters past the end are NaN. */
export class Source {
  readonly text: string;
  at = 0;
  line = 0;
  column = 0;

  constructor(bytes: Buffer) {
    if (!isUtf8(bytes)) throw yamlFailure('invalid leading UTF-8 octet');
    const text = bytes.toString('utf8');
    this.text = text.startsWith('\ufeff') ? text.slice(1) : text;
    if (UNPRINTABLE.test(this.text)) throw yamlFailure('control characters are not allowed');
  }

  mark(): Mark {
    return { line: this.line, column: this.column };
  }

  fail(context: Mark, problem: string): never {
    throw scannerFailure(context, problem, this.mark());
  }

  /** Returns the code of the character `ahead` of the position. */
  peek(ahead = 0): number {
    return this.text.charCodeAt(this.at + ahead);
  }

  ended(): boolean {
    return this.at >= this.text.length;
  }

  /** Skips `n` characters of this line. */
  skip(n = 1): void {
    this.at += n;
    this.column += n;
  }

  /** Skips one line break (CR LF counts as one) and returns its value. */
  lineBreak(): string {
    const c = this.peek();
    const size = c === 0x0d && this.peek(1) === 0x0a ? 2 : 1;
    this.at += size;
    this.line++;
    this.column = 0;
    return c === 0x2028 ? '\u2028' : c === 0x2029 ? '\u2029' : '\n';
  }

  /** The end of the text ends its last line, too. */
  endLine(): void {
    if (this.column === 0) return;
    this.line++;
    this.column = 0;
  }

  /** Reports whether `---` or `...` is at the beginning of this line. */
  atDocumentIndicator(): boolean {
    if (this.column !== 0) return false;
    const c = this.peek();
    return (c === 0x2d || c === 0x2e) && this.peek(1) === c && this.peek(2) === c && isBlankOrEnd(this.peek(3));
  }
}

export function isBreak(c: number): boolean {
  return c === 0x0a || c === 0x0d || c === 0x85 || c === 0x2028 || c === 0x2029;
}

export function isBlank(c: number): boolean {
  return c === 0x20 || c === 0x09;
}

/** Reports whether the character is a blank, a line break or the end (NaN). */
export function isBlankOrEnd(c: number): boolean {
  return Number.isNaN(c) || isBlank(c) || isBreak(c);
}

/** Reports whether the character is a line break or the end. */
export function isBreakOrEnd(c: number): boolean {
  return Number.isNaN(c) || isBreak(c);
}
