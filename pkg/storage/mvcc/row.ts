import { crc32 } from '../checksum.js';
import { isAscii, readInteger, writeInteger } from './bytes.js';

/**
 * A row is one change of one key: the new version, and the place of the previous one.
 *
 *     engine key   'v' revision(8) sequence(2)          11 bytes; rows sort in the order in which changes happened
 *     engine value kind(1) createRevision(8) previousRevision(8) previousSequence(2) expiresAt(8)
 *                  keyLength(2) key value crc32(4)
 *
 * `sequence` is the place of the change within its entry. The checksum covers the value and is seeded with the
 * engine key, so a row under another key is detected like one with a flipped bit.
 */
export const rowKinds = { put: 1, delete: 2 } as const;
export type RowKind = (typeof rowKinds)[keyof typeof rowKinds];

const rowPrefix = 0x76;
export const rowKeyBytes = 11;
export const rowHeaderBytes = 29;
const crcBytes = 4;

/** The place of a row. Revision 0: none. */
export interface RowAt {
  readonly revision: number;
  readonly sequence: number;
}

export interface Row {
  readonly kind: RowKind;
  readonly createRevision: number;
  readonly previous: RowAt;
  /** 0: never. */
  readonly expiresAt: number;
  readonly key: string;
  /** A view of the bytes that were decoded. */
  readonly value: Buffer;
  readonly crc: number;
}

/** The bytes of a row, including its engine key. They follow from the key and the value's length. */
export function rowBytes(keyLength: number, valueLength: number): number {
  return rowKeyBytes + rowHeaderBytes + keyLength + valueLength + crcBytes;
}

export function rowKey(revision: number, sequence: number): Buffer {
  return writeRowKey(Buffer.allocUnsafe(rowKeyBytes), revision, sequence);
}

export function writeRowKey(into: Buffer, revision: number, sequence: number): Buffer {
  into[0] = rowPrefix;
  writeInteger(into, revision, 1);
  into.writeUInt16BE(sequence, 9);
  return into;
}

/** Undefined for a key that does not belong to a row. */
export function readRowKey(key: Buffer): RowAt | undefined {
  if (key.length !== rowKeyBytes || key[0] !== rowPrefix) return undefined;
  const revision = readInteger(key, 1);
  return Number.isNaN(revision) ? undefined : { revision, sequence: key.readUInt16BE(9) };
}

/** The range of all rows of revisions above `after` and not above `through`. */
export function rowRange(after: number, through: number): { readonly gte: Buffer; readonly lt: Buffer } {
  return { gte: rowKey(after + 1, 0), lt: rowKey(through + 1, 0) };
}

/** The key after the last possible row. */
export const rowsEnd = Buffer.of(rowPrefix + 1);

/**
 * Scratch space of the writer: the engine copies its arguments, so one buffer serves all rows except very large ones.
 */
const scratch = Buffer.allocUnsafeSlow(64 << 10);

export interface WrittenRow {
  /** Valid until the next call. */
  readonly bytes: Buffer;
  readonly crc: number;
}

export function writeRow(
  at: RowAt,
  kind: RowKind,
  createRevision: number,
  previous: RowAt,
  expiresAt: number,
  key: string,
  value: Uint8Array,
): WrittenRow {
  const length = rowHeaderBytes + key.length + value.length + crcBytes;
  const bytes = length <= scratch.length ? scratch.subarray(0, length) : Buffer.allocUnsafeSlow(length);
  bytes[0] = kind;
  writeInteger(bytes, createRevision, 1);
  writeInteger(bytes, previous.revision, 9);
  bytes.writeUInt16BE(previous.sequence, 17);
  writeInteger(bytes, expiresAt, 19);
  bytes.writeUInt16BE(key.length, 27);
  bytes.write(key, rowHeaderBytes, 'latin1');
  bytes.set(value, rowHeaderBytes + key.length);
  const crc = crc32(bytes.subarray(0, length - crcBytes), seed(at));
  bytes.writeUInt32BE(crc, length - crcBytes);
  return { bytes, crc };
}

/** Undefined if the bytes are not those that `writeRow` wrote for that place. */
export function readRow(at: RowAt, bytes: Buffer): Row | undefined {
  if (bytes.length < rowHeaderBytes + crcBytes) return undefined;
  const end = bytes.length - crcBytes;
  const crc = bytes.readUInt32BE(end);
  if (crc !== crc32(bytes.subarray(0, end), seed(at))) return undefined;
  const kind = bytes[0]!;
  const valueStart = rowHeaderBytes + bytes.readUInt16BE(27);
  if ((kind !== rowKinds.put && kind !== rowKinds.delete) || valueStart > end) return undefined;
  if (!isAscii(bytes, rowHeaderBytes, valueStart)) return undefined;
  return {
    kind,
    createRevision: readInteger(bytes, 1),
    previous: { revision: readInteger(bytes, 9), sequence: bytes.readUInt16BE(17) },
    expiresAt: readInteger(bytes, 19),
    key: bytes.toString('latin1', rowHeaderBytes, valueStart),
    value: bytes.subarray(valueStart, end),
    crc,
  };
}

function seed({ revision, sequence }: RowAt): number {
  return ((revision >>> 0) ^ (sequence << 16)) >>> 0;
}
