import { finish, type Steps } from '../../base/index.js';
import { codecLimits } from '../limits.js';
import type { ListNode, MapNode, Node } from './node.js';
import { quoteByte, utf8At, wellFormed } from './text.js';

/** The tree of a JSON text, or the syntax error with the message of kube-apiserver. */
export type Parsed = { readonly ok: true; readonly node: Node } | { readonly ok: false; readonly message: string };

const END = 'unexpected end of JSON input';

/**
 * Reads a JSON text (RFC 8259) into a tree that keeps duplicate keys and the spelling of numbers. It is not recursive:
 * only `textDepthMax` bounds the nesting. Bytes that are not UTF-8 and lone surrogates become U+FFFD, as in
 * kube-apiserver. It reads about 50 MB/s; `JSON.parse` is faster for texts that need none of this (see `countMembers`).
 */
export function parseJson(text: Buffer): Parsed {
  return finish(parseSteps(text));
}

/** `parseJson` in steps. */
export function parseSteps(text: Buffer): Steps<Parsed> {
  return new Parser(text).parse();
}

/** Values that are read in one piece. */
const AT_ONCE = 500;

/** Thrown and caught inside this file only, because the grammar can fail in many places. */
class SyntaxFailure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** The state of one parse. */
class Parser {
  readonly #text: Buffer;
  #at = 0;

  constructor(text: Buffer) {
    this.#text = text;
  }

  *parse(): Steps<Parsed> {
    try {
      const node = yield* this.#document();
      return { ok: true, node };
    } catch (failure) {
      if (failure instanceof SyntaxFailure) return { ok: false, message: failure.message };
      throw failure;
    }
  }

  *#document(): Steps<Node> {
    const open: (ListNode | MapNode)[] = [];
    let node = this.#begin(open);
    for (let read = 1; ; read++) {
      if (read % AT_ONCE === 0) yield;
      const opened = open[open.length - 1];
      if (opened !== undefined && node === opened) {
        if (this.#next() !== closing(opened)) {
          node = opened.kind === 'list' ? this.#begin(open) : this.#member(opened, open);
          continue;
        }
        this.#at++;
        open.pop();
      }
      // `node` is complete: add it to the enclosing container, and continue with the container if that ends too.
      for (;;) {
        const parent = open[open.length - 1];
        if (parent === undefined) return this.#end(node);
        if (parent.kind === 'list') parent.items.push(node);
        else parent.values.push(node);
        const c = this.#next();
        if (c === 0x2c) {
          this.#at++;
          if (parent.kind === 'list') node = this.#begin(open);
          else {
            this.#space();
            node = this.#member(parent, open);
          }
          break;
        }
        if (c !== closing(parent))
          this.#fail(parent.kind === 'list' ? 'after array element' : 'after object key:value pair');
        this.#at++;
        open.pop();
        node = parent;
      }
    }
  }

  /** Reads a key, the colon and the beginning of the value. */
  #member(into: MapNode, open: (ListNode | MapNode)[]): Node {
    if (this.#text[this.#at] !== 0x22) this.#fail('looking for beginning of object key string');
    into.keys.push(this.#string());
    if (this.#next() !== 0x3a) this.#fail('after object key');
    this.#at++;
    return this.#begin(open);
  }

  /** Reads a scalar, or opens a container (which is then the last of `open`). */
  #begin(open: (ListNode | MapNode)[]): Node {
    const c = this.#next();
    switch (c) {
      case 0x7b:
      case 0x5b: {
        if (open.length >= codecLimits.textDepthMax) this.#fail('exceeded max depth');
        this.#at++;
        const node: ListNode | MapNode =
          c === 0x5b ? { kind: 'list', items: [] } : { kind: 'map', keys: [], values: [] };
        open.push(node);
        return node;
      }
      case 0x22:
        return this.#string();
      case 0x74:
        return this.#word('true', true);
      case 0x66:
        return this.#word('false', false);
      case 0x6e:
        return this.#word('null', null);
      default:
        if (c === 0x2d || (c >= 0x30 && c <= 0x39)) return this.#number();
        return this.#fail('looking for beginning of value');
    }
  }

  #end(node: Node): Node {
    this.#space();
    if (this.#at < this.#text.length) this.#fail('after top-level value');
    return node;
  }

  #space(): void {
    const text = this.#text;
    for (;;) {
      const c = text[this.#at];
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return;
      this.#at++;
    }
  }

  /** Returns the next byte that is not white space, without consuming it. */
  #next(): number {
    this.#space();
    const c = this.#text[this.#at];
    if (c === undefined) throw new SyntaxFailure(END);
    return c;
  }

  #fail(context: string): never {
    const c = this.#text[this.#at];
    throw new SyntaxFailure(c === undefined ? END : `invalid character ${quoteByte(c)} ${context}`);
  }

  /** Like `#fail`, inside a token in which no white space may follow: Go's parser ends each text with a space. */
  #failInToken(context: string): never {
    throw new SyntaxFailure(`invalid character ${quoteByte(this.#text[this.#at] ?? 0x20)} ${context}`);
  }

  #word<T extends Node>(word: string, value: T): T {
    for (let i = 1; i < word.length; i++) {
      this.#at++;
      if (this.#text[this.#at] !== word.charCodeAt(i))
        this.#failInToken(`in literal ${word} (expecting ${quoteByte(word.charCodeAt(i))})`);
    }
    this.#at++;
    return value;
  }

  #number(): Node {
    const text = this.#text;
    const start = this.#at;
    if (text[this.#at] === 0x2d) this.#at++;
    if (text[this.#at] === 0x30) this.#at++;
    else this.#digits('in numeric literal');
    if (text[this.#at] === 0x2e) {
      this.#at++;
      this.#digits('after decimal point in numeric literal');
    }
    if ((text[this.#at]! | 0x20) === 0x65) {
      this.#at++;
      if (text[this.#at] === 0x2b || text[this.#at] === 0x2d) this.#at++;
      this.#digits('in exponent of numeric literal');
    }
    return { kind: 'number', text: text.toString('latin1', start, this.#at) };
  }

  #digits(context: string): void {
    const start = this.#at;
    for (;;) {
      const c = this.#text[this.#at];
      if (c === undefined || c < 0x30 || c > 0x39) break;
      this.#at++;
    }
    if (this.#at === start) this.#failInToken(context);
  }

  #string(): string {
    const text = this.#text;
    const start = ++this.#at;
    let escaped = false;
    for (;;) {
      const c = text[this.#at];
      if (c === 0x22) break;
      if (c === undefined || c < 0x20) this.#fail('in string literal');
      if (c === 0x5c) {
        escaped = true;
        this.#escape();
      }
      this.#at++;
    }
    const end = this.#at++;
    const raw = utf8At(text, start, end);
    return escaped ? wellFormed(JSON.parse(`"${raw}"`) as string) : raw;
  }

  /** Leaves the position at the last byte of the escape. */
  #escape(): void {
    this.#at++;
    const c = this.#text[this.#at];
    if (c === 0x75) {
      for (let i = 0; i < 4; i++) {
        this.#at++;
        const h = this.#text[this.#at];
        const lower = (h ?? 0) | 0x20;
        if (h === undefined || !((h >= 0x30 && h <= 0x39) || (lower >= 0x61 && lower <= 0x66)))
          this.#failInToken('in \\u hexadecimal character escape');
      }
      return;
    }
    if (c === undefined || !'"\\/bfnrt'.includes(String.fromCharCode(c))) this.#failInToken('in string escape code');
  }
}

const closing = (open: ListNode | MapNode): number => (open.kind === 'list' ? 0x5d : 0x7d);
