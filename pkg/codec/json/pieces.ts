import { isAscii, isUtf8 } from 'node:buffer';
import { isObject, type JsonArray, type JsonObject, type JsonValue, setOwn } from '../../api/index.js';
import type { Steps } from '../../base/index.js';
import { codecLimits, tooManyDigits, tooManyKeys, tooManyValues } from '../limits.js';
import { closingQuote, skipEscapedString, skipString } from './scan.js';

/**
 * A large JSON text, parsed in steps. `refused`: it exceeds a limit; `why` is the message, given what the text is. `exact`: it needs the exact
 * reader, as for `countMembers`, or is no JSON. Otherwise `members` is the number of members in the text; if the value has fewer, there were
 * duplicates.
 */
export type Pieces =
  | { readonly kind: 'value'; readonly value: JsonValue; readonly members: number }
  | { readonly kind: 'refused'; readonly why: (what: string) => string }
  | { readonly kind: 'exact' };

/** Bytes that `JSON.parse` reads at once, unless a single value is longer. */
const PIECE_BYTES = 64 * 1024;
/** Bytes that are scanned at once. */
const SCAN_BYTES = 256 * 1024;

/**
 * Parses a text with `JSON.parse`, in pieces. It scans the text for boundaries: at a comma at which enough text is unparsed, the complete
 * members and items before it are parsed and added to their containers, which stay open. Of `{"a":{"b":[1,2,3,...` the first piece makes
 * `{"a":{"b":[1,2]}}`; `3` begins the next one. All text is parsed once.
 *
 * `fractions`: the caller accepts numbers with a fraction.
 */
export function piecesOf(
  text: Buffer,
  fractions: boolean,
  { pieceBytes = PIECE_BYTES, valuesMax = codecLimits.valuesMax }: PieceOptions = {},
): Steps<Pieces> {
  return new PieceReader(text, fractions, { pieceBytes, valuesMax }).read();
}

export interface PieceOptions {
  readonly pieceBytes?: number;
  readonly valuesMax?: number;
}

/** A container that is not closed yet. */
interface Open {
  readonly isList: boolean;
  /** The position of its bracket. */
  readonly at: number;
  /** Its value, once a part of it was parsed. Then all containers around it have a value too. */
  value: JsonObject | JsonArray | undefined;
  /** The position from which its members are not parsed. */
  from: number;
  /** The position of the last comma between its members after `from`, or -1. */
  comma: number;
  /** The members that were added to an object. */
  keys: number;
  /** A member must follow `from`, because there is a comma before it. */
  needsMember: boolean;
}

class PieceReader {
  readonly #text: Buffer;
  readonly #fractions: boolean;
  readonly #pieceBytes: number;
  readonly #valuesMax: number;
  readonly #encoding: 'latin1' | 'utf8';
  readonly #escapes: boolean;
  readonly #open: Open[] = [];
  #at = 0;
  /** The text before this position is parsed. */
  #parsed = 0;
  #members = 0;
  /** The keys of the object with the most keys, of those that are parsed in pieces. */
  #keys = 0;
  #values = 1;
  /** The text needs the exact reader; only its values are counted further. */
  /** Those of the longest number. */
  #digits = 0;
  #exact: boolean;
  #root: JsonValue | undefined;

  constructor(text: Buffer, fractions: boolean, { pieceBytes, valuesMax }: Required<PieceOptions>) {
    this.#text = text;
    this.#fractions = fractions;
    this.#pieceBytes = pieceBytes;
    this.#valuesMax = valuesMax;
    this.#escapes = text.includes(0x5c);
    const ascii = isAscii(text);
    this.#encoding = ascii ? 'latin1' : 'utf8';
    this.#exact = !ascii && !isUtf8(text);
  }

  *read(): Steps<Pieces> {
    while (this.#at < this.#text.length) {
      this.#scan(Math.min(this.#at + SCAN_BYTES, this.#text.length));
      if (this.#values > this.#valuesMax)
        return { kind: 'refused', why: (what) => tooManyValues(what, this.#valuesMax) };
      if (this.#keys > codecLimits.keysMax) return { kind: 'refused', why: tooManyKeys };
      if (this.#digits > codecLimits.digitsMax) return { kind: 'refused', why: tooManyDigits };
      yield;
    }
    if (this.#open.length > 0) this.#exact = true;
    if (!this.#exact && this.#root === undefined) this.#root = this.#parse('', 0, this.#text.length, '');
    return this.#exact ? { kind: 'exact' } : { kind: 'value', value: this.#root!, members: this.#members };
  }

  /** Scans to `end`, or a little further, or until a piece was parsed. */
  #scan(end: number): void {
    const text = this.#text;
    let i = this.#at;
    for (; i < end; i++) {
      const c = text[i]!;
      if (c === 0x22) {
        i = this.#endOfString(i + 1);
      } else if (c === 0x3a) this.#members++;
      else if (c === 0x2c) {
        this.#values++;
        if (this.#comma(i)) {
          i++;
          break;
        }
      } else if (c === 0x7b || c === 0x5b) {
        if (this.#open.length >= codecLimits.fastDepthMax) this.#exact = true;
        else if (!this.#exact) this.#begin(i, c === 0x5b);
      } else if (c === 0x7d || c === 0x5d) {
        if (!this.#exact) i = this.#close(i, c === 0x5d);
      } else if (c >= 0x30 && c <= 0x39) {
        const start = i;
        let next = text[i + 1]!;
        while (next >= 0x30 && next <= 0x39) next = text[++i + 1]!;
        this.#digits = Math.max(this.#digits, i - start + 1);
        if (i - start >= 15 || (next === 0x2e && !this.#fractions) || next === 0x65 || next === 0x45)
          this.#exact = true;
      }
    }
    this.#at = i;
  }

  /** The position of the closing quote, or the end of the text. */
  #endOfString(from: number): number {
    const text = this.#text;
    const end = this.#escapes ? skipEscapedString(text, from, text.length) : skipString(text, from, text.length);
    if (end >= 0) return end;
    this.#exact = true;
    const closing = closingQuote(text, from);
    return closing < 0 ? text.length : closing;
  }

  #begin(at: number, isList: boolean): void {
    this.#open.push({ isList, at, value: undefined, from: at + 1, comma: -1, keys: 0, needsMember: false });
  }

  /** Reports whether a piece was parsed. */
  #comma(at: number): boolean {
    const inner = this.#open.at(-1);
    if (this.#exact || inner === undefined) return false;
    inner.comma = at;
    if (at - this.#parsed < this.#pieceBytes) return false;
    for (let depth = 0; depth < this.#open.length; depth++)
      if (this.#open[depth]!.value === undefined) this.#make(depth);
    this.#add(inner, at);
    inner.from = at + 1;
    inner.comma = -1;
    inner.needsMember = true;
    this.#parsed = at + 1;
    return true;
  }

  /** Gives an open container its value, which becomes part of the container around it. */
  #make(depth: number): void {
    const made = this.#open[depth]!;
    const value: JsonObject | JsonArray = made.isList ? [] : {};
    const empty = made.isList ? '[]' : '{}';
    made.value = value;
    const outer = this.#open[depth - 1];
    if (outer === undefined) {
      this.#parse('', 0, made.at, empty);
      this.#root = value;
      return;
    }
    if (outer.comma >= 0) this.#add(outer, outer.comma);
    const from = outer.comma >= 0 ? outer.comma + 1 : outer.from;
    const member = this.#parse(outer.isList ? '[' : '{', from, made.at, `${empty}${outer.isList ? ']' : '}'}`);
    outer.comma = -1;
    if (Array.isArray(outer.value)) outer.value.push(value);
    else if (isObject(member)) for (const key in member) setOwn(outer.value!, key, value);
  }

  /** Adds the members between `from` and `to`, of which there must be at least one. */
  #add(open: Open, to: number): void {
    const part = this.#parse(open.isList ? '[' : '{', open.from, to, open.isList ? ']' : '}');
    let added = 0;
    if (Array.isArray(part)) {
      added = part.length;
      for (const item of part) (open.value as JsonArray).push(item);
    } else if (isObject(part)) {
      for (const key in part) {
        added++;
        setOwn(open.value as JsonObject, key, part[key]!);
      }
      open.keys += added;
      this.#keys = Math.max(this.#keys, open.keys);
    }
    if (added === 0) this.#exact = true;
  }

  /** Ends the innermost container. Returns the position of the last byte that was read. */
  #close(at: number, isList: boolean): number {
    const closed = this.#open.pop();
    if (closed === undefined || closed.isList !== isList) {
      this.#exact = true;
      return at;
    }
    if (closed.value === undefined) {
      if (this.#open.length > 0) return at;
      return this.#end(at);
    }
    if (closed.needsMember || !this.#isBlank(closed.from, at)) this.#add(closed, at);
    this.#parsed = at + 1;
    const outer = this.#open.at(-1);
    if (outer === undefined) return this.#end(at);
    const next = this.#afterBlank(at + 1);
    const c = this.#text[next];
    outer.from = next;
    outer.needsMember = false;
    if (c === 0x2c) {
      this.#values++;
      outer.from++;
      outer.needsMember = true;
      return next;
    }
    if (c !== 0x5d && c !== 0x7d) this.#exact = true;
    return next - 1;
  }

  /** The value of the text ends at `at`; only white space may follow. */
  #end(at: number): number {
    if (this.#afterBlank(at + 1) < this.#text.length) this.#exact = true;
    return at;
  }

  #isBlank(from: number, to: number): boolean {
    return this.#afterBlank(from) >= to;
  }

  #afterBlank(from: number): number {
    for (let i = from; ; i++) {
      const c = this.#text[i];
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return i;
    }
  }

  #parse(before: string, from: number, to: number, after: string): JsonValue | undefined {
    try {
      return JSON.parse(before + this.#text.toString(this.#encoding, from, to) + after) as JsonValue;
    } catch {
      this.#exact = true;
      return undefined;
    }
  }
}
