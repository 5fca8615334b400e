import { invariant, type Revision } from '../../base/index.js';
import type { Compare, Op, Txn } from '../keyspace.js';
import { isAscii } from './bytes.js';

/**
 * The commands in the log. The bytes are the same on every peer, and so is their effect: decoding is total, and for a version that
 * was written to a log, the accepted bytes must never change. A new form gets a new version byte, and is proposed only when every
 * member reads it.
 *
 *     entry    = version(1) kind body
 *     txn      = 1  count compare*  count op*
 *     compare  = key revision
 *     op       = 1 key value | 2 key expiresAt value | 3 key
 *     compact  = 2  revision
 *     check    = 3
 *     key, value = length bytes; counts, lengths and numbers are unsigned LEB128 in their shortest form, below 2^53
 */
export type Entry =
  | { readonly kind: 'txn'; readonly txn: Txn }
  /** Compacts history below `revision`. */
  | { readonly kind: 'compact'; readonly revision: Revision }
  /** Changes nothing; its result is the state hash at this entry, which peers compare. */
  | { readonly kind: 'check' };

export type Malformed = { readonly kind: 'malformed'; readonly message: string };

const version = 1;
const kinds = { txn: 1, compact: 2, check: 3 } as const;
const opKinds = { put: 1, putExpiring: 2, delete: 3 } as const;

/** Structural limits, part of the format: lengths and sequence numbers are stored in sixteen bits. */
export const entryKeyBytesMax = 0xffff;
export const entryOpsMax = 0xffff;

/** Throws `InvariantError` on an invalid transaction: keys that are empty, too long or not ASCII, or a key in two ops. */
export function encodeEntry(entry: Entry): Buffer {
  const bytes = Buffer.allocUnsafe(entryBytes(entry));
  bytes[0] = version;
  bytes[1] = kinds[entry.kind];
  let at = 2;
  if (entry.kind === 'compact') at = writeNumber(bytes, entry.revision, at);
  if (entry.kind === 'txn') {
    const { compares, ops } = entry.txn;
    invariant(ops.length <= entryOpsMax, 'a transaction has too many operations');
    at = writeNumber(bytes, compares.length, at);
    for (const { key, modRevision } of compares) {
      at = writeKey(bytes, key, at);
      at = writeNumber(bytes, modRevision, at);
    }
    at = writeNumber(bytes, ops.length, at);
    for (const op of ops) {
      const expires = op.kind === 'put' ? op.expiresAt : undefined;
      bytes[at++] = op.kind === 'delete' ? opKinds.delete : expires === undefined ? opKinds.put : opKinds.putExpiring;
      at = writeKey(bytes, op.key, at);
      if (op.kind === 'delete') continue;
      if (expires !== undefined) at = writeNumber(bytes, expires, at);
      at = writeNumber(bytes, op.value.length, at);
      bytes.set(op.value, at);
      at += op.value.length;
    }
    invariant(distinct(ops), 'a key occurs in two operations of one transaction');
  }
  invariant(at === bytes.length, 'an entry was measured wrongly');
  return bytes;
}

/** The length of the result of `encodeEntry`; cheap. */
export function entryBytes(entry: Entry): number {
  if (entry.kind === 'check') return 2;
  if (entry.kind === 'compact') return 2 + numberBytes(entry.revision);
  const { compares, ops } = entry.txn;
  let n = 2 + numberBytes(compares.length) + numberBytes(ops.length);
  for (const { key, modRevision } of compares) n += keyBytes(key) + numberBytes(modRevision);
  for (const op of ops) {
    n += 1 + keyBytes(op.key);
    if (op.kind === 'delete') continue;
    n += numberBytes(op.value.length) + op.value.length;
    if (op.expiresAt !== undefined) n += numberBytes(op.expiresAt);
  }
  return n;
}

/** Total: never throws, and returns the same for the same bytes on every peer. Values are views of `data`. */
export function decodeEntry(data: Buffer): Entry | Malformed {
  const reader = new Reader(data);
  const entry = readEntry(reader);
  if (reader.broken !== undefined) return { kind: 'malformed', message: reader.broken };
  if (!reader.atEnd) return { kind: 'malformed', message: 'bytes after the end of the entry' };
  return entry;
}

function readEntry(reader: Reader): Entry {
  if (reader.byte() !== version) reader.break('unknown entry version');
  const kind = reader.byte();
  if (kind === kinds.check) return { kind: 'check' };
  if (kind === kinds.compact) return { kind: 'compact', revision: reader.number() as Revision };
  if (kind !== kinds.txn) reader.break('unknown entry kind');
  const compares: Compare[] = [];
  for (let n = reader.count(2); n > 0; n--) {
    compares.push({ key: reader.key(), modRevision: reader.number() as Revision });
  }
  const ops: Op[] = [];
  let n = reader.count(2);
  if (n > entryOpsMax) reader.break('too many operations');
  for (; n > 0 && reader.broken === undefined; n--) ops.push(readOp(reader));
  if (reader.broken === undefined && !distinct(ops)) reader.break('a key occurs in two operations');
  return { kind: 'txn', txn: { compares, ops } };
}

function readOp(reader: Reader): Op {
  const kind = reader.byte();
  const key = reader.key();
  if (kind === opKinds.delete) return { kind: 'delete', key };
  if (kind === opKinds.put) return { kind: 'put', key, value: reader.value() };
  if (kind !== opKinds.putExpiring) reader.break('unknown operation');
  const expiresAt = reader.number();
  return { kind: 'put', key, value: reader.value(), expiresAt };
}

/** Keeps the first error; from then on it returns zeros and empty strings. */
class Reader {
  readonly #data: Buffer;
  #at = 0;
  broken: string | undefined;

  constructor(data: Buffer) {
    this.#data = data;
  }

  get atEnd(): boolean {
    return this.#at === this.#data.length;
  }

  break(why: string): void {
    this.broken ??= why;
    this.#at = this.#data.length;
  }

  byte(): number {
    if (this.#at < this.#data.length) return this.#data[this.#at++]!;
    this.break('the entry is cut short');
    return 0;
  }

  number(): number {
    let n = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      n += (byte & 0x7f) * scale;
      if (!Number.isSafeInteger(n)) return this.#badNumber();
      if (byte < 0x80) return byte === 0 && scale > 1 ? this.#badNumber() : n;
      scale *= 0x80;
    }
  }

  #badNumber(): number {
    this.break('a number is not in its shortest form or too large');
    return 0;
  }

  /** Reads a count of items of at least `bytesEach`. A count that cannot fit is an error at once. */
  count(bytesEach: number): number {
    const n = this.number();
    if (n * bytesEach <= this.#data.length - this.#at) return n;
    this.break('the entry is cut short');
    return 0;
  }

  key(): string {
    const length = this.count(1);
    if (length === 0 || length > entryKeyBytesMax) this.break('a key is empty or too long');
    const start = this.#at;
    if (this.broken !== undefined) return '';
    this.#at += length;
    if (!isAscii(this.#data, start, this.#at)) this.break('a key is not ASCII');
    return this.#data.toString('latin1', start, start + length);
  }

  value(): Buffer {
    const length = this.count(1);
    const start = this.#at;
    this.#at += length;
    return this.#data.subarray(start, start + length);
  }
}

function distinct(ops: readonly Op[]): boolean {
  if (ops.length < 2) return true;
  if (ops.length === 2) return ops[0]!.key !== ops[1]!.key;
  return new Set(ops.map((op) => op.key)).size === ops.length;
}

function numberBytes(n: number): number {
  let bytes = 1;
  for (; n >= 0x80; n = Math.floor(n / 0x80)) bytes++;
  return bytes;
}

function writeNumber(into: Buffer, n: number, at: number): number {
  invariant(Number.isSafeInteger(n) && n >= 0, `${n} is not a safe non-negative integer`);
  for (; n >= 0x80; n = Math.floor(n / 0x80)) into[at++] = (n % 0x80) | 0x80;
  into[at++] = n;
  return at;
}

function keyBytes(key: string): number {
  return numberBytes(key.length) + key.length;
}

function writeKey(into: Buffer, key: string, at: number): number {
  invariant(key.length > 0 && key.length <= entryKeyBytesMax, 'a key is empty or too long');
  at = writeNumber(into, key.length, at);
  const end = at + into.write(key, at, 'latin1');
  invariant(isAsciiText(key), 'a key is not ASCII');
  return end;
}

function isAsciiText(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}
