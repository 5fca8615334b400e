/** Lines in UTF-8 that are written together. */
export interface Lines {
  readonly bytes: Buffer;
  /** Number of lines. */
  readonly count: number;
}

interface Chunk {
  readonly buffer: Buffer;
  length: number;
  count: number;
}

const CHUNK_BYTES = 512 * 1024;
/** Lines are encoded together from this number of characters on: one call for each line would cost more than its bytes. */
const ENCODED_CHARACTERS = 16 * 1024;
/** Chunks that are kept for further lines. The memory of a new chunk costs more than its lines. */
const FREE_MAX = 2;
/** Bytes of one character of a string. */
const UTF8_BYTES_MAX = 3;

/**
 * Collects lines in buffers that are used again after `release`. Lines are encoded a few at a time, and not as one long string, because
 * that string and its bytes would be new memory for each write.
 */
export class LineBuffer {
  /** Lines that are not encoded yet, and their number. */
  #text = '';
  #count = 0;
  #full: Chunk[] = [];
  #filling: Chunk | undefined;
  readonly #free: Buffer[] = [];

  /** Appends a text and a line break. */
  add(line: string): void {
    this.#text += `${line}\n`;
    this.#count++;
    if (this.#text.length >= ENCODED_CHARACTERS) this.#encode();
  }

  /** Removes and returns all lines, in order. Each result must be given to `release` after its last use. */
  take(): readonly Lines[] {
    if (this.#count > 0) this.#encode();
    const all = this.#filling === undefined ? this.#full : [...this.#full, this.#filling];
    this.#full = [];
    this.#filling = undefined;
    return all.map(({ buffer, length, count }) => ({ bytes: buffer.subarray(0, length), count }));
  }

  release({ bytes }: Lines): void {
    if (bytes.buffer.byteLength === CHUNK_BYTES && this.#free.length < FREE_MAX)
      this.#free.push(Buffer.from(bytes.buffer as ArrayBuffer, 0, CHUNK_BYTES));
  }

  #encode(): void {
    const chunk = this.#withRoom(this.#text.length * UTF8_BYTES_MAX);
    chunk.length += chunk.buffer.write(this.#text, chunk.length);
    chunk.count += this.#count;
    this.#text = '';
    this.#count = 0;
  }

  #withRoom(bytes: number): Chunk {
    const chunk = this.#filling;
    if (chunk !== undefined) {
      if (chunk.length + bytes <= chunk.buffer.length) return chunk;
      this.#full.push(chunk);
    }
    const buffer = bytes > CHUNK_BYTES ? Buffer.allocUnsafeSlow(bytes) : this.#free.pop();
    this.#filling = { buffer: buffer ?? Buffer.allocUnsafeSlow(CHUNK_BYTES), length: 0, count: 0 };
    return this.#filling;
  }
}
