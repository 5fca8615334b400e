import type { RowAt } from './row.js';

const noRows = '0'.repeat(16);

const hex = (n: number): string => n.toString(16).padStart(8, '0');

/**
 * The running hash of all applied entries: two 32-bit lanes. Each step mixes the row's checksum (which covers revision,
 * key, value and the rest) invertibly into the lane. A difference never disappears, so peers with equal hashes at equal
 * index have made the same changes in the same order, except with a probability of about 2^-64. It detects bugs and
 * memory errors, not malice.
 */
export class StateHash {
  #a: number;
  #b: number;

  constructor(from: string) {
    this.#a = Number.parseInt(from.slice(0, 8), 16);
    this.#b = Number.parseInt(from.slice(8), 16);
  }

  add(revision: number, word: number): void {
    this.#a = (Math.imul(this.#a ^ word, 0x9e3779b1) + revision) | 0;
    this.#b = (Math.imul((this.#b << 13) | (this.#b >>> 19), 0x85ebca6b) ^ (this.#a + word)) | 0;
  }

  toString(): string {
    return hex(this.#a >>> 0) + hex(this.#b >>> 0);
  }
}

/**
 * A sum over rows, one word for each: rows may be added and removed in any order, and a removed row leaves no trace.
 */
class RowSum {
  #a: number;
  #b: number;

  constructor(from: string) {
    this.#a = Number.parseInt(from.slice(0, 8), 16) | 0;
    this.#b = Number.parseInt(from.slice(8), 16) | 0;
  }

  count({ revision, sequence }: RowAt, word: number, sign: 1 | -1): void {
    const place = scramble(revision ^ Math.imul(Math.floor(revision / 2 ** 32) + sequence * 0x10001, 0x9e3779b1));
    this.#a = (this.#a + sign * place) | 0;
    this.#b = (this.#b + sign * scramble(place ^ word)) | 0;
  }

  /** 16 hexadecimal digits. */
  toString(): string {
    return hex(this.#a >>> 0) + hex(this.#b >>> 0);
  }
}

/**
 * A sum over the checksums of rows. It is never stored, but computed from the rows at each start. So it detects a row
 * that was replaced by another one with a valid checksum, which the running hash does not.
 */
export class ContentSum {
  readonly #sum: RowSum;

  constructor(of?: ContentSum) {
    this.#sum = new RowSum(of === undefined ? noRows : of.toString());
  }

  add(at: RowAt, crc: number): void {
    this.#sum.count(at, crc, 1);
  }

  remove(at: RowAt, crc: number): void {
    this.#sum.count(at, crc, -1);
  }

  toString(): string {
    return this.#sum.toString();
  }
}

/**
 * The number of rows in the store, their bytes and a sum over their places and sizes. A sum does not depend on the
 * order of rows. At every start the rows found must give the same values: a file that disappeared or reappeared is
 * detected before anything is served. (The content of a row is covered by its own checksum.)
 */
export class Tally {
  rows: number;
  bytes: number;
  readonly #sum: RowSum;

  constructor(from: { readonly rows: number; readonly bytes: number; readonly tally: string }) {
    this.rows = from.rows;
    this.bytes = from.bytes;
    this.#sum = new RowSum(from.tally);
  }

  add(at: RowAt, bytes: number): void {
    this.#count(at, bytes, 1);
  }

  remove(at: RowAt, bytes: number): void {
    this.#count(at, bytes, -1);
  }

  /** The sum as 16 hexadecimal digits. */
  toString(): string {
    return this.#sum.toString();
  }

  #count(at: RowAt, bytes: number, sign: 1 | -1): void {
    this.rows += sign;
    this.bytes += sign * bytes;
    this.#sum.count(at, bytes, sign);
  }
}

/** A bijection of 32-bit words that spreads every bit (the finalizer of a well-known multiplicative hash). */
function scramble(n: number): number {
  n = Math.imul(n ^ (n >>> 16), 0x85ebca6b);
  n = Math.imul(n ^ (n >>> 13), 0xc2b2ae35);
  return (n ^ (n >>> 16)) | 0;
}
