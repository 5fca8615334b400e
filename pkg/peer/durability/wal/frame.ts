import { invariant } from '../../../base/index.js';
import { getUint, putUint, WAL_LIMITS } from '../../common/index.js';
import { crc32c } from './crc32c.js';

/**
 * A segment is a preamble of one sector followed by frames, each made by one write and one sync:
 *
 *     0  u32  checksum of bytes 4..20, seeded with the segment's nonce
 *     4  u32  checksum of the body, seeded likewise
 *     8  u32  length of the body
 *     12 u64  number of the frame: 1, 2, 3 ... over the whole life of the log
 *     20      body (records)
 *             zeros up to a multiple of the sector size, of which the last byte is END_MARK
 *
 * Recovery relies on these invariants (see scan.ts):
 *  1. Frame n+1 is written only after frame n was synced. So everything before a frame was durable.
 *  2. No two frames share a sector, so writing one cannot damage another.
 *  3. Space after the last frame is zero.
 *  4. Every segment has a new random nonce: neither the bytes of an old segment nor bytes that a client stored can be taken for a
 *     frame.
 */
export const SECTOR = 512;
export const FRAME_HEADER = 20;
const END_MARK = 0xa5;

export interface FrameHeader {
  readonly bodyChecksum: number;
  readonly bodyLength: number;
  readonly number: number;
}

/** The bytes on disk of a frame with a body of this length. */
export function frameExtent(bodyLength: number): number {
  return Math.ceil((FRAME_HEADER + bodyLength + 1) / SECTOR) * SECTOR;
}

/** Completes a frame whose body is already at `FRAME_HEADER` of `frame`, a buffer of exactly its extent. */
export function sealFrame(frame: Buffer, bodyLength: number, number: number, nonce: number): void {
  invariant(frame.length === frameExtent(bodyLength), 'a frame buffer must have the extent of its frame');
  frame.fill(0, FRAME_HEADER + bodyLength);
  frame[frame.length - 1] = END_MARK;
  frame.writeUInt32LE(crc32c(frame, nonce, FRAME_HEADER, FRAME_HEADER + bodyLength), 4);
  frame.writeUInt32LE(bodyLength, 8);
  putUint(frame, 12, number);
  frame.writeUInt32LE(crc32c(frame, nonce, 4, FRAME_HEADER), 0);
}

/** Returns the header in these bytes, if it belongs to the segment with this nonce. */
export function readHeader(bytes: Buffer, nonce: number): FrameHeader | undefined {
  if (bytes.length < FRAME_HEADER || bytes.readUInt32LE(0) !== crc32c(bytes, nonce, 4, FRAME_HEADER)) return undefined;
  const bodyLength = bytes.readUInt32LE(8);
  const number = getUint(bytes, 12);
  if (bodyLength > WAL_LIMITS.frameBytesMax || !Number.isSafeInteger(number)) return undefined;
  return { bodyChecksum: bytes.readUInt32LE(4), bodyLength, number };
}

/** Reports whether all bytes of the frame are unchanged. */
export function frameIsWhole(frame: Buffer, header: FrameHeader, nonce: number): boolean {
  return (
    frame.length === frameExtent(header.bodyLength) &&
    frame[frame.length - 1] === END_MARK &&
    crc32c(frame, nonce, FRAME_HEADER, FRAME_HEADER + header.bodyLength) === header.bodyChecksum
  );
}

/**
 * Reports whether an incomplete frame is the result of an interrupted write: some sector of it was never written and is
 * still zero. A frame with all sectors written and a wrong checksum was damaged later. (A frame that contains a sector
 * of zeros and is damaged elsewhere counts as interrupted. This is used for the very last frame of the log only.)
 */
export function writeWasInterrupted(frame: Buffer, header: FrameHeader): boolean {
  if (frame.length < frameExtent(header.bodyLength) || frame[frame.length - 1] === 0) return true;
  for (let at = SECTOR; at < frame.length; at += SECTOR) {
    if (isZero(frame, at, at + SECTOR)) return true;
  }
  return false;
}

export function isZero(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] !== 0) return false;
  return true;
}

const PREAMBLE_MAGIC = 'trireme-wal\n';
export const WAL_FORMAT = 1;

/** The first sector of a segment. `firstFrame` is the number of the checkpoint frame that follows it. */
export interface Preamble {
  readonly sequence: number;
  readonly nonce: number;
  readonly firstFrame: number;
}

/** magic 12 bytes | format u32 | nonce u32 | sequence u64 | first frame u64 | checksum u32 of all before */
export function encodePreamble(preamble: Preamble): Buffer {
  const bytes = Buffer.alloc(SECTOR);
  bytes.write(PREAMBLE_MAGIC, 0, 'latin1');
  bytes.writeUInt32LE(WAL_FORMAT, 12);
  bytes.writeUInt32LE(preamble.nonce, 16);
  putUint(bytes, 20, preamble.sequence);
  putUint(bytes, 28, preamble.firstFrame);
  bytes.writeUInt32LE(crc32c(bytes, 0, 0, 36), 36);
  return bytes;
}

/** Undefined when the sector is not a preamble of this format. */
export function decodePreamble(bytes: Buffer): Preamble | undefined {
  if (bytes.length < SECTOR || bytes.toString('latin1', 0, 12) !== PREAMBLE_MAGIC) return undefined;
  if (bytes.readUInt32LE(12) !== WAL_FORMAT || bytes.readUInt32LE(36) !== crc32c(bytes, 0, 0, 36)) return undefined;
  return { nonce: bytes.readUInt32LE(16), sequence: getUint(bytes, 20), firstFrame: getUint(bytes, 28) };
}
