import { type EventWriter, isPlain, type Json, microsOf, type Piece, secondPiece } from './text.js';

/** Lines in UTF-8 that are written together. */
export interface Lines {
  readonly bytes: Buffer;
  /** Number of lines. */
  readonly count: number;
}

/** Bytes of a buffer, unless a line is longer. */
export const CHUNK_BYTES = 512 * 1024;
/** Chunks that are kept for further lines. The memory of a new chunk costs more than its lines. */
const FREE_MAX = 2;
/** Bytes of one character of a string. */
const UTF8_BYTES_MAX = 3;
/** Characters from which on the bytes of a text are counted before it is written. */
const LONG = 4096;

const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Collects lines in buffers that are used again after `release`. The parts of a line are written where they stay: a string of
 * the line, or of several, would be new memory for each of them, and that costs more than the copies.
 */
export class LineBuffer implements EventWriter {
  #full: Lines[] = [];
  #buffer: Buffer = NOTHING;
  /** The end of the last line, and of what is written of the next one. */
  #end = 0;
  #at = 0;
  /** Number of lines in `#buffer`. */
  #count = 0;
  readonly #free: Buffer[] = [];

  /** Bytes of the line that is being written. */
  get length(): number {
    return this.#at - this.#end;
  }

  /** Ends the line. */
  end(): void {
    this.#room(1);
    this.#buffer[this.#at++] = LINE_BREAK;
    this.#end = this.#at;
    this.#count++;
  }

  /** Removes the line that is being written. */
  drop(): void {
    this.#at = this.#end;
  }

  piece({ bytes }: Piece): void {
    this.#room(bytes.length);
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  plain(text: string): void {
    this.#room(text.length);
    this.#at += this.#buffer.write(text, this.#at, 'latin1');
  }

  json(text: Json): void {
    this.#room(text.length < LONG ? text.length * UTF8_BYTES_MAX : Buffer.byteLength(text));
    this.#at += this.#buffer.write(text, this.#at);
  }

  quoted(text: string): void {
    if (!isPlain(text)) {
      this.json(JSON.stringify(text));
      return;
    }
    this.#room(text.length + 2);
    this.#buffer[this.#at++] = QUOTE;
    this.#at += this.#buffer.write(text, this.#at, 'latin1');
    this.#buffer[this.#at++] = QUOTE;
  }

  time(ms: number): void {
    const second = Math.floor(ms / 1000);
    this.piece(secondPiece(second));
    this.#room(MICROS_DIGITS + 1);
    let rest = microsOf(ms, second);
    for (let i = this.#at + MICROS_DIGITS - 1; i >= this.#at; i--) {
      const tens = Math.floor(rest / 10);
      this.#buffer[i] = ZERO + rest - tens * 10;
      rest = tens;
    }
    this.#at += MICROS_DIGITS;
    this.#buffer[this.#at++] = Z;
  }

  /** Removes and returns all lines, in order. Each result must be given to `release` after its last use. */
  take(): readonly Lines[] {
    if (this.#count > 0) {
      this.#close();
      this.#buffer = NOTHING;
      this.#end = 0;
      this.#at = 0;
    }
    const all = this.#full;
    this.#full = [];
    return all;
  }

  release({ bytes }: Lines): void {
    if (bytes.buffer.byteLength === CHUNK_BYTES && this.#free.length < FREE_MAX)
      this.#free.push(Buffer.from(bytes.buffer as ArrayBuffer, 0, CHUNK_BYTES));
  }

  /** Makes room in the buffer, or begins another with what is written of the line. */
  #room(bytes: number): void {
    if (this.#at + bytes > this.#buffer.length) this.#next(bytes);
  }

  #next(bytes: number): void {
    const begun = this.#buffer.subarray(this.#end, this.#at);
    // A long line in many parts must not be copied for each of them.
    const needed = begun.length * 2 + bytes;
    this.#close();
    this.#buffer =
      (needed > CHUNK_BYTES ? Buffer.allocUnsafeSlow(needed) : this.#free.pop()) ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
    begun.copy(this.#buffer);
    this.#end = 0;
    this.#at = begun.length;
  }

  /** Puts the lines of the buffer, if there are any, to those of full buffers. */
  #close(): void {
    if (this.#count > 0) this.#full.push({ bytes: this.#buffer.subarray(0, this.#end), count: this.#count });
    this.#count = 0;
  }
}

const LINE_BREAK = 0x0a;
const QUOTE = 0x22;
const ZERO = 0x30;
const Z = 0x5a;
const MICROS_DIGITS = 6;
