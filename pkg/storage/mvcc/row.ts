import { crc32 } from '../checksum.js';
import { isAscii, readInteger, writeInteger } from './bytes.js';

/**
 * A row is one change of one key: what it became, and where its previous version lies.
 *
 *     engine key   'v' revision(8) sequence(2)          11 bytes; rows sort in the order in which changes happened
 *     engine value kind(1) createRevision(8) previousRevision(8) previousSequence(2) expiresAt(8)
 *                  keyLength(2) key value crc32(4)
 *
 * `sequence` is the place of the change within its entry. The checksum covers the value and is seeded with the
 * engine key, so a row that turns up under another key is as bad as one with a flipped bit.
 */
export const rowKinds = { put: 1, delete: 2 } as const;
export type RowKind = (typeof rowKinds)[keyof typeof rowKinds];

const rowPrefix = 0x76;
export const rowKeyBytes = 11;
export const rowHeaderBytes = 29;
const crcBytes = 4;

/** Where a row lies. Revision 0 says: nowhere. */
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

/** Bytes that a row takes, its engine key included. Whoever knows the key and the value's length knows it. */
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

/** Undefined for a key that is no row's. */
export function readRowKey(key: Buffer): RowAt | undefined {
  if (key.length !== rowKeyBytes || key[0] !== rowPrefix) return undefined;
  const revision = readInteger(key, 1);
  return Number.isNaN(revision) ? undefined : { revision, sequence: key.readUInt16BE(9) };
}

/** All rows of revisions above `after` and not above `through`. */
export function rowRange(after: number, through: number): { readonly gte: Buffer; readonly lt: Buffer } {
  return { gte: rowKey(after + 1, 0), lt: rowKey(through + 1, 0) };
}

/** Past the last possible row. */
export const rowsEnd = Buffer.of(rowPrefix + 1);

/** Scratch space of the writer: the engine copies what it is given, so one buffer serves all rows but huge ones. */
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

/** Undefined where the bytes are not what `writeRow` made for that place. */
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
