import { revision } from '../../base/index.js';
import { getUint, putUint } from '../common/index.js';

/**
 * Messages between the threads are flat bytes in one transferred ArrayBuffer: objects need no structured clone, and all
 * operations of a turn of the event loop share one message. Both ends are the same build, so messages have no version.
 */
const FIRST_BYTES = 4096;

export class SlabWriter {
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #next = FIRST_BYTES;

  get length(): number {
    return this.#at;
  }

  #room(n: number): void {
    if (this.#at + n <= this.#bytes.length) return;
    const grown = Buffer.from(new ArrayBuffer(Math.max(this.#next, 2 * this.#bytes.length, this.#at + n)));
    this.#bytes.copy(grown, 0, 0, this.#at);
    this.#bytes = grown;
  }

  u8(n: number): void {
    this.#room(1);
    this.#bytes[this.#at++] = n;
  }

  /** A safe integer >= 0. */
  uint(n: number): void {
    this.#room(8);
    putUint(this.#bytes, this.#at, n);
    this.#at += 8;
  }

  bytes(value: Uint8Array): void {
    this.#room(4 + value.length);
    this.#bytes.writeUInt32LE(value.length, this.#at);
    this.#bytes.set(value, this.#at + 4);
    this.#at += 4 + value.length;
  }

  text(value: string): void {
    // Three bytes hold any UTF-16 unit. Keys are ASCII and short.
    this.#room(4 + 3 * value.length);
    const n = this.#bytes.write(value, this.#at + 4, 'utf8');
    this.#bytes.writeUInt32LE(n, this.#at);
    this.#at += 4 + n;
  }

  /** Returns the written slab and starts a new one of about the same size. */
  take(): ArrayBuffer {
    const slab = this.#bytes.buffer as ArrayBuffer;
    this.#next = Math.min(64 * 1024, Math.max(FIRST_BYTES, this.#at));
    this.#bytes = Buffer.alloc(0);
    this.#at = 0;
    return slab;
  }
}

export class SlabReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at = 0;

  constructor(slab: ArrayBuffer, end: number) {
    this.#bytes = Buffer.from(slab);
    this.#end = end;
  }

  get done(): boolean {
    return this.#at >= this.#end;
  }

  u8(): number {
    return this.#bytes[this.#at++]!;
  }

  uint(): number {
    this.#at += 8;
    return getUint(this.#bytes, this.#at - 8);
  }

  revision() {
    return revision(this.uint());
  }

  /** A view of the slab, which keeps the whole slab alive. */
  view(): Buffer {
    const length = this.#bytes.readUInt32LE(this.#at);
    this.#at += 4 + length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** A copy, for bytes that may be kept for a long time. */
  copy(): Uint8Array {
    return ownBytes(this.view());
  }

  text(): string {
    const length = this.#bytes.readUInt32LE(this.#at);
    this.#at += 4 + length;
    return this.#bytes.toString('utf8', this.#at - length, this.#at);
  }
}

/** Copies bytes to memory of their own. `slice` of a `Buffer` does not copy. */
export const ownBytes = (view: Buffer): Uint8Array => Uint8Array.prototype.slice.call(view);
