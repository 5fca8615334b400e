import { codecLimits } from '../limits.js';
import { scanDirective, TAG_CHARACTER, WORD_CHARACTER } from './directive.js';
import { scanBlock, scanPlain, scanQuoted } from './scalar.js';
import { isBlank, isBlankOrEnd, isBreak, isBreakOrEnd, type Source } from './source.js';
import type { Mark, Token, TokenType } from './token.js';

/** A scalar or flow collection that is a key if a `:` follows on the same line. */
interface SimpleKey {
  /** Number of the token before which the key token would be inserted. */
  readonly token: number;
  readonly at: number;
  readonly mark: Mark;
  /** It must be a key, because the parent block mapping expects one here. */
  readonly required: boolean;
}

const KEY_LENGTH_MAX = 1024;

/**
 * Splits a text into tokens of YAML 1.1, as libyaml does. Indentation becomes start and end tokens of blocks. A key is
 * recognised only at its colon, so tokens stay in a queue until no key can be inserted before them.
 */
export class Scanner {
  readonly #s: Source;
  readonly #queue: Token[] = [];
  #head = 0;
  #taken = 0;
  #indent = -1;
  readonly #indents: number[] = [];
  #flowLevel = 0;
  #keyAllowed = true;
  /** One for each flow level; index 0 is the block context. Keys of inner levels are newer than those of outer ones. */
  readonly #keys: (SimpleKey | undefined)[] = [undefined];
  /** No level below this one has a possible key. */
  #oldest = 0;
  #ended = false;

  constructor(source: Source) {
    this.#s = source;
  }

  peek(): Token {
    while (!this.#ended && this.#needsMore()) this.#fetch();
    return this.#queue[this.#head]!;
  }

  take(): Token {
    const token = this.peek();
    this.#head++;
    this.#taken++;
    if (this.#head > 256 && this.#head * 2 > this.#queue.length) {
      this.#queue.splice(0, this.#head);
      this.#head = 0;
    }
    return token;
  }

  #needsMore(): boolean {
    if (this.#head === this.#queue.length) return true;
    this.#dropStaleKeys();
    // Of all possible keys, the oldest precedes the earliest token.
    return this.#keys[this.#oldest]?.token === this.#taken;
  }

  #push(type: TokenType, mark: Mark, value = ''): void {
    this.#queue.push({ type, mark, value });
  }

  #fetch(): void {
    const s = this.#s;
    this.#skipToToken();
    this.#dropStaleKeys();
    this.#unrollIndent(s.column);
    const mark = s.mark();
    if (s.ended()) {
      this.#end();
      return;
    }
    const c = s.peek();
    if (s.column === 0 && c === 0x25) this.#directive(mark);
    else if (s.atDocumentIndicator()) this.#document(c === 0x2d ? 'documentStart' : 'documentEnd', mark);
    else if (c === 0x5b || c === 0x7b) this.#openFlow(c === 0x5b ? 'flowSequenceStart' : 'flowMappingStart', mark);
    else if (c === 0x5d || c === 0x7d) this.#closeFlow(c === 0x5d ? 'flowSequenceEnd' : 'flowMappingEnd', mark);
    else if (c === 0x2c) {
      this.#removeKey();
      this.#keyAllowed = true;
      s.skip();
      this.#push('flowEntry', mark);
    } else if (c === 0x2d && isBlankOrEnd(s.peek(1))) this.#blockEntry(mark);
    else if (c === 0x3f && (this.#flowLevel > 0 || isBlankOrEnd(s.peek(1)))) this.#key(mark);
    else if (c === 0x3a && (this.#flowLevel > 0 || isBlankOrEnd(s.peek(1)))) this.#value(mark);
    else if (c === 0x2a || c === 0x26) this.#name(c === 0x2a ? 'alias' : 'anchor', mark);
    else if (c === 0x21) this.#tag(mark);
    else if ((c === 0x7c || c === 0x3e) && this.#flowLevel === 0) {
      this.#removeKey();
      this.#keyAllowed = true;
      this.#scalar(scanBlock(s, c === 0x7c, this.#indent), mark, false);
    } else if (c === 0x27 || c === 0x22) {
      this.#saveKey(mark);
      this.#keyAllowed = false;
      this.#scalar(scanQuoted(s, c === 0x27), mark, false);
    } else if (this.#beginsPlain(c)) {
      this.#saveKey(mark);
      this.#keyAllowed = false;
      const { value, multiLine } = scanPlain(s, this.#flowLevel > 0, this.#indent + 1);
      if (multiLine) this.#keyAllowed = true;
      this.#scalar(value, mark, true);
    } else s.fail(mark, 'found character that cannot start any token');
  }

  #scalar(value: string, mark: Mark, plain: boolean): void {
    this.#queue.push({ type: 'scalar', mark, value, plain });
  }

  #beginsPlain(c: number): boolean {
    if (isBlank(c)) return false;
    if (!'-?:,[]{}#&*!|>\'"%@`'.includes(String.fromCharCode(c))) return true;
    const next = this.#s.peek(1);
    if (c === 0x2d) return !isBlank(next);
    return this.#flowLevel === 0 && (c === 0x3f || c === 0x3a) && !isBlankOrEnd(next);
  }

  #skipToToken(): void {
    const s = this.#s;
    for (;;) {
      while (s.peek() === 0x20 || (s.peek() === 0x09 && (this.#flowLevel > 0 || !this.#keyAllowed))) s.skip();
      if (s.peek() === 0x23) while (!isBreakOrEnd(s.peek())) s.skip();
      if (!isBreak(s.peek())) return;
      s.lineBreak();
      if (this.#flowLevel === 0) this.#keyAllowed = true;
    }
  }

  // Keys

  /**
   * Drops possible keys that are too long or not on one line. Afterwards `#oldest` is the level of the oldest possible
   * key, or past the last level.
   */
  #dropStaleKeys(): void {
    const s = this.#s;
    for (; this.#oldest < this.#keys.length; this.#oldest++) {
      const key = this.#keys[this.#oldest];
      if (key === undefined) continue;
      if (key.mark.line === s.line && s.at - key.at <= KEY_LENGTH_MAX) return;
      if (key.required) s.fail(key.mark, "could not find expected ':'");
      this.#keys[this.#oldest] = undefined;
    }
  }

  #saveKey(mark: Mark): void {
    const required = this.#flowLevel === 0 && this.#indent === mark.column;
    if (!this.#keyAllowed) return;
    this.#removeKey();
    const token = this.#taken + this.#queue.length - this.#head;
    this.#keys[this.#flowLevel] = { token, at: this.#s.at, mark, required };
    this.#oldest = Math.min(this.#oldest, this.#flowLevel);
  }

  #removeKey(): void {
    const key = this.#keys[this.#flowLevel];
    if (key?.required) this.#s.fail(key.mark, "could not find expected ':'");
    this.#keys[this.#flowLevel] = undefined;
  }

  // Indentation

  /** Opens a block collection if `column` is deeper than the parent block. `before`: the token that it precedes. */
  #rollIndent(column: number, type: TokenType, mark: Mark, before?: number): void {
    if (this.#flowLevel > 0 || this.#indent >= column) return;
    if (this.#indents.length >= codecLimits.textDepthMax) this.#tooDeep(mark);
    this.#indents.push(this.#indent);
    this.#indent = column;
    const token: Token = { type, mark, value: '' };
    if (before === undefined) this.#queue.push(token);
    else this.#queue.splice(this.#head + before - this.#taken, 0, token);
  }

  #unrollIndent(column: number): void {
    if (this.#flowLevel > 0) return;
    while (this.#indent > column) {
      this.#push('blockEnd', this.#s.mark());
      this.#indent = this.#indents.pop()!;
    }
  }

  #tooDeep(mark: Mark): never {
    return this.#s.fail(mark, `exceeded max depth of ${codecLimits.textDepthMax}`);
  }

  // Tokens

  #end(): void {
    this.#s.endLine();
    this.#unrollIndent(-1);
    this.#removeKey();
    this.#keyAllowed = false;
    this.#push('streamEnd', this.#s.mark());
    this.#ended = true;
  }

  #document(type: 'documentStart' | 'documentEnd', mark: Mark): void {
    this.#unrollIndent(-1);
    this.#removeKey();
    this.#keyAllowed = false;
    this.#s.skip(3);
    this.#push(type, mark);
  }

  #directive(mark: Mark): void {
    const s = this.#s;
    this.#unrollIndent(-1);
    this.#removeKey();
    this.#keyAllowed = false;
    const { value, handle } = scanDirective(s, mark);
    this.#queue.push({ type: 'directive', mark, value, handle });
  }

  #openFlow(type: TokenType, mark: Mark): void {
    this.#saveKey(mark);
    this.#flowLevel++;
    this.#keys.push(undefined);
    if (this.#flowLevel > codecLimits.textDepthMax) this.#tooDeep(mark);
    this.#keyAllowed = true;
    this.#s.skip();
    this.#push(type, mark);
  }

  #closeFlow(type: TokenType, mark: Mark): void {
    this.#removeKey();
    if (this.#flowLevel > 0) {
      this.#flowLevel--;
      this.#keys.pop();
    }
    this.#keyAllowed = false;
    this.#s.skip();
    this.#push(type, mark);
  }

  #blockEntry(mark: Mark): void {
    if (this.#flowLevel === 0) {
      if (!this.#keyAllowed) this.#s.fail(mark, 'block sequence entries are not allowed in this context');
      this.#rollIndent(mark.column, 'blockSequenceStart', mark);
    }
    this.#removeKey();
    this.#keyAllowed = true;
    this.#s.skip();
    this.#push('blockEntry', mark);
  }

  #key(mark: Mark): void {
    if (this.#flowLevel === 0) {
      if (!this.#keyAllowed) this.#s.fail(mark, 'mapping keys are not allowed in this context');
      this.#rollIndent(mark.column, 'blockMappingStart', mark);
    }
    this.#removeKey();
    this.#keyAllowed = this.#flowLevel === 0;
    this.#s.skip();
    this.#push('key', mark);
  }

  #value(mark: Mark): void {
    const key = this.#keys[this.#flowLevel];
    if (key !== undefined) {
      this.#queue.splice(this.#head + key.token - this.#taken, 0, { type: 'key', mark: key.mark, value: '' });
      this.#rollIndent(key.mark.column, 'blockMappingStart', key.mark, key.token);
      this.#keys[this.#flowLevel] = undefined;
      this.#keyAllowed = false;
    } else {
      if (this.#flowLevel === 0) {
        if (!this.#keyAllowed) this.#s.fail(mark, 'mapping values are not allowed in this context');
        this.#rollIndent(mark.column, 'blockMappingStart', mark);
      }
      this.#keyAllowed = this.#flowLevel === 0;
    }
    this.#s.skip();
    this.#push('value', mark);
  }

  #name(type: 'alias' | 'anchor', mark: Mark): void {
    const s = this.#s;
    this.#saveKey(mark);
    this.#keyAllowed = false;
    s.skip();
    const from = s.at;
    while (!s.ended() && WORD_CHARACTER.test(s.text[s.at]!)) s.skip();
    const ends = isBlankOrEnd(s.peek()) || '?:,]}%@`'.includes(s.text[s.at]!);
    if (s.at === from || !ends) s.fail(mark, 'did not find expected alphabetic or numeric character');
    this.#push(type, mark, s.text.slice(from, s.at));
  }

  #tag(mark: Mark): void {
    const s = this.#s;
    this.#saveKey(mark);
    this.#keyAllowed = false;
    const { text } = s;
    let handle = '';
    let suffix: string;
    if (s.peek(1) === 0x3c) {
      const close = text.indexOf('>', s.at);
      suffix = close < 0 ? '' : text.slice(s.at + 2, close);
      if (suffix === '' || /\s/.test(suffix)) s.fail(mark, "did not find the expected '>'");
      s.skip(suffix.length + 3);
    } else {
      const from = s.at;
      while (!s.ended() && TAG_CHARACTER.test(text[s.at]!) && !(this.#flowLevel > 0 && ',[]'.includes(text[s.at]!)))
        s.skip();
      const written = text.slice(from, s.at);
      const second = written.indexOf('!', 1);
      handle = second < 0 ? '!' : written.slice(0, second + 1);
      suffix = written.slice(handle.length);
      if (handle !== '!' && suffix === '') s.fail(mark, 'did not find expected tag URI');
    }
    if (!isBlankOrEnd(s.peek()) && !(this.#flowLevel > 0 && s.peek() === 0x2c))
      s.fail(mark, 'did not find expected whitespace or line break');
    this.#queue.push({ type: 'tag', mark, value: suffix, handle });
  }
}
