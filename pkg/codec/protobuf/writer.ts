const FIRST_SIZE = 64 * 1024;
/** A scratch buffer larger than this is not reused. */
const KEPT_SIZE = 4 * 1024 * 1024;
const BYTES_64 = 2n ** 64n;

/** A buffer that no writer currently uses. */
let scratch: Buffer | undefined;

function takeScratch(): Buffer {
  const taken = scratch ?? Buffer.allocUnsafeSlow(FIRST_SIZE);
  scratch = undefined;
  return taken;
}

/**
 * Writes a protobuf message from its end to its beginning. The length of a nested message is then known when its prefix
 * is written, and no value is measured twice. Callers write fields in descending order, values before tags.
 */
export class BackwardWriter {
  #buffer = takeScratch();
  #at = this.#buffer.length;

  /** Number of bytes written so far; `length() - mark` is the length of what was written since `mark`. */
  length(): number {
    return this.#buffer.length - this.#at;
  }

  finish(): Buffer {
    const done = Buffer.from(this.#buffer.subarray(this.#at));
    if (this.#buffer.length <= KEPT_SIZE) scratch = this.#buffer;
    return done;
  }

  byte(value: number): void {
    if (this.#at === 0) this.#grow(1);
    this.#buffer[--this.#at] = value;
  }

  /** Writes an integer from 0 to 2^53. */
  varint(value: number): void {
    if (value < 0x80) {
      this.byte(value);
      return;
    }
    let size = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) size++;
    const buffer = this.#room(size);
    let at = this.#at;
    for (; value >= 0x80; value = Math.floor(value / 128)) buffer[at++] = (value % 128) | 0x80;
    buffer[at] = value;
  }

  /** Writes an int64 or int32; negative ones take ten bytes. */
  signed(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0) {
      this.varint(value);
      return;
    }
    let rest = BigInt(value);
    if (rest < 0n) rest += BYTES_64;
    const groups: number[] = [];
    do {
      groups.push(Number(rest & 0x7fn));
      rest >>= 7n;
    } while (rest > 0n);
    for (let i = groups.length - 1; i >= 0; i--) this.byte(groups[i]! | (i === groups.length - 1 ? 0 : 0x80));
  }

  double(value: number): void {
    this.#room(8).writeDoubleLE(value, this.#at);
  }

  bytes(value: Uint8Array): void {
    this.#room(value.length).set(value, this.#at);
  }

  /** Writes a string as UTF-8. */
  utf8(value: string): void {
    const n = value.length;
    if (n <= 32 && this.#shortAscii(value, n)) return;
    const size = Buffer.byteLength(value);
    this.#room(size).write(value, this.#at, size, 'utf8');
  }

  #shortAscii(value: string, n: number): boolean {
    const buffer = this.#room(n);
    for (let i = 0; i < n; i++) {
      const c = value.charCodeAt(i);
      if (c >= 0x80) {
        this.#at += n;
        return false;
      }
      buffer[this.#at + i] = c;
    }
    return true;
  }

  #room(size: number): Buffer {
    if (this.#at < size) this.#grow(size);
    this.#at -= size;
    return this.#buffer;
  }

  #grow(size: number): void {
    const used = this.length();
    const grown = Buffer.allocUnsafeSlow(Math.max(2 * this.#buffer.length, used + size));
    grown.set(this.#buffer.subarray(this.#at), grown.length - used);
    this.#at = grown.length - used;
    this.#buffer = grown;
  }
}
