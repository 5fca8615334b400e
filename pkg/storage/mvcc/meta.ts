import { crc32 } from '../checksum.js';
import { readInteger, writeInteger } from './bytes.js';

/**
 * The meta row: the applied index of the state and the sums over its rows. It is the last put of every engine batch, so it always describes
 * exactly the rows beside it.
 *
 *     engine key 'm'
 *     value      format(1) applied(8) compacted(8) swept(8) chain(8) rows(8) bytes(8) tally(8) crc32(4)
 */
export interface Meta {
  /** Index of the last entry whose effects are in the store. */
  readonly applied: number;
  /** History below this revision has been compacted. */
  readonly compacted: number;
  /** The rows that changes up to this revision superseded have been deleted. Never above `compacted`. */
  readonly swept: number;
  /** Hash over all applied entries (`StateHash`), as 16 hexadecimal digits. Equal on all peers at equal `applied`. */
  readonly chain: string;
  /** Rows in the store, their bytes, and a sum over their places and sizes (`Tally`), as 16 hexadecimal digits. */
  readonly rows: number;
  readonly bytes: number;
  readonly tally: string;
}

export const metaFormat = 1;
export const metaKey = Buffer.from('m');
export const emptyMeta: Meta = {
  applied: 0,
  compacted: 0,
  swept: 0,
  chain: '0'.repeat(16),
  rows: 0,
  bytes: 0,
  tally: '0'.repeat(16),
};
const metaBytes = 1 + 7 * 8 + 4;

export function writeMeta(meta: Meta): Buffer {
  const bytes = Buffer.allocUnsafe(metaBytes);
  bytes[0] = metaFormat;
  writeInteger(bytes, meta.applied, 1);
  writeInteger(bytes, meta.compacted, 9);
  writeInteger(bytes, meta.swept, 17);
  bytes.write(meta.chain, 25, 'hex');
  writeInteger(bytes, meta.rows, 33);
  writeInteger(bytes, meta.bytes, 41);
  bytes.write(meta.tally, 49, 'hex');
  bytes.writeUInt32BE(crc32(bytes.subarray(0, metaBytes - 4), 0), metaBytes - 4);
  return bytes;
}

/** `newer`: a format of a newer release. `damaged`: other bytes than were written. */
export function readMeta(bytes: Buffer): Meta | 'newer' | 'damaged' {
  if (bytes.length > 4 && bytes[0]! > metaFormat) return 'newer';
  if (bytes.length !== metaBytes || bytes[0] !== metaFormat) return 'damaged';
  if (bytes.readUInt32BE(metaBytes - 4) !== crc32(bytes.subarray(0, metaBytes - 4), 0)) return 'damaged';
  return {
    applied: readInteger(bytes, 1),
    compacted: readInteger(bytes, 9),
    swept: readInteger(bytes, 17),
    chain: bytes.toString('hex', 25, 33),
    rows: readInteger(bytes, 33),
    bytes: readInteger(bytes, 41),
    tally: bytes.toString('hex', 49, 57),
  };
}
