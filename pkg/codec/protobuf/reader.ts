import type { JsonObject } from '../../api/index.js';
import type { Steps } from '../../base/index.js';
import { utf8At } from '../json/text.js';
import { codecLimits, tooManyKeys, tooManyValues } from '../limits.js';

/**
 * The error for malformed input, with the message of kube-apiserver. It is thrown inside pkg/codec and returned as a
 * value by `decodeProtobuf`.
 */
export class ProtobufFailure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

export const UNEXPECTED_END = 'unexpected EOF';

/** Fields that are read in one step. */
const FIELDS_AT_ONCE = 1_000;

/** The rest of a message, which a later step reads. */
interface Rest {
  readonly at: number;
  readonly end: number;
  readonly depth: number;
  readonly read: () => Steps<void> | undefined;
}

/**
 * A position in a message. Each length is checked against the remaining bytes before an allocation.
 *
 * `steps` reads in steps: when `isStepOver`, each message that is being read puts off its rest and returns, the innermost one first. The rests are
 * read in this order, so the fields are read in the order of the bytes.
 */
export class Reader {
  readonly buffer: Buffer;
  at: number;
  end: number;
  #depth = 0;
  #values = 0;
  /** Fields until the end of the step. */
  #left = Number.POSITIVE_INFINITY;
  #rests: Rest[] = [];
  /** The entries of maps, counted once the message has many values. */
  readonly #entries = new Map<JsonObject, number>();

  constructor(buffer: Buffer) {
    this.buffer = buffer;
    this.at = 0;
    this.end = buffer.length;
  }

  fail(message: string): never {
    throw new ProtobufFailure(message);
  }

  /** Counts a value of the message. */
  count(): void {
    if (++this.#values > codecLimits.valuesMax) this.fail(tooManyValues('message'));
  }

  /** Counts an entry of a map. */
  countEntry(map: JsonObject): void {
    if (this.#values <= codecLimits.keysMax) return;
    const entries = (this.#entries.get(map) ?? 0) + 1;
    if (entries > codecLimits.keysMax) this.fail(tooManyKeys('message'));
    this.#entries.set(map, entries);
  }

  /** Counts a field, and reports whether the fields of this step are used up. */
  isStepOver(): boolean {
    return --this.#left < 0;
  }

  /** Ends the step. A later one calls `read` at the position of this call. */
  putOff(read: () => Steps<void> | undefined): void {
    this.#left = 0;
    this.#rests.push({ at: this.at, end: this.end, depth: this.#depth, read });
  }

  /** Calls `read`, and then what it put off, in steps. */
  *steps(read: () => void): Steps<void> {
    const pending: Rest[] = [];
    this.#left = FIELDS_AT_ONCE;
    read();
    for (;;) {
      for (let i = this.#rests.length - 1; i >= 0; i--) pending.push(this.#rests[i]!);
      this.#rests = [];
      const next = pending.pop();
      if (next === undefined) return;
      yield;
      this.#left = FIELDS_AT_ONCE;
      this.at = next.at;
      this.end = next.end;
      this.#depth = next.depth;
      const inner = next.read();
      if (inner !== undefined) yield* inner;
    }
  }

  /** Exact up to 2^53; use `int64` for larger values. */
  varint(): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 10; i++) {
      if (this.at >= this.end) this.fail(UNEXPECTED_END);
      const b = this.buffer[this.at++]!;
      value += (b & 0x7f) * scale;
      if (b < 0x80) return value;
      scale *= 128;
    }
    return this.fail('proto: integer overflow');
  }

  int64(): number | bigint {
    const start = this.at;
    const value = this.varint();
    if (value <= Number.MAX_SAFE_INTEGER) return value;
    let exact = 0n;
    for (let i = this.at - 1; i >= start; i--) exact = (exact << 7n) | BigInt(this.buffer[i]! & 0x7f);
    const signed = BigInt.asIntN(64, exact);
    const small = Number(signed);
    return Number.isSafeInteger(small) ? small : signed;
  }

  /** Keeps the low 32 bits, as a Go conversion does. */
  int32(): number {
    const value = this.int64();
    return typeof value === 'number' ? value | 0 : Number(BigInt.asIntN(32, value));
  }

  double(): number {
    if (this.end - this.at < 8) this.fail(UNEXPECTED_END);
    this.at += 8;
    return this.buffer.readDoubleLE(this.at - 8);
  }

  /** Returns the end of a length-delimited value that begins here. */
  limit(): number {
    const length = this.varint();
    if (length > this.end - this.at)
      this.fail(length >= 2 ** 63 ? 'proto: negative length found during unmarshaling' : UNEXPECTED_END);
    return this.at + length;
  }

  bytes(): Buffer {
    const end = this.limit();
    const value = this.buffer.subarray(this.at, end);
    this.at = end;
    return value;
  }

  text(): string {
    const end = this.limit();
    const value = utf8At(this.buffer, this.at, end);
    this.at = end;
    return value;
  }

  /** Enters a nested message: `end` is its end until `leave`, which takes the result of this call. */
  enter(): number {
    const outer = this.end;
    this.end = this.limit();
    if (++this.#depth > codecLimits.binaryDepthMax) this.fail('proto: exceeded max recursion depth');
    return outer;
  }

  leave(outer: number): void {
    this.#depth--;
    this.at = this.end;
    this.end = outer;
  }

  /** Skips the value after `tag`. */
  skip(tag: number): void {
    switch (tag % 8) {
      case 0:
        this.varint();
        return;
      case 1:
        this.#advance(8);
        return;
      case 2:
        this.at = this.limit();
        return;
      case 3:
        this.#skipGroup();
        return;
      case 5:
        this.#advance(4);
        return;
      default:
        this.fail(tag % 8 === 4 ? 'proto: wiretype end group for non-group' : `proto: illegal wireType ${tag % 8}`);
    }
  }

  #skipGroup(): void {
    for (let open = 1; open > 0; ) {
      const tag = this.varint();
      if (tag % 8 === 3) open++;
      else if (tag % 8 === 4) open--;
      else this.skip(tag);
    }
  }

  #advance(size: number): void {
    if (this.end - this.at < size) this.fail(UNEXPECTED_END);
    this.at += size;
  }
}
