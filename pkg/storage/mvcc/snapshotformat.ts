import type { Meta } from './meta.js';

/**
 * A snapshot is the whole state at one applied index as a stream of bytes, for a peer that is too far behind and
 * for backups.
 *
 *     stream  = block*         one header, any number of rows, any number of times (rows and an update), one end
 *     block   = type(1) length(4) body crc32(4)      the checksum goes over type, length and body
 *     header  = 'H'  "trireme snapshot\n" meta row
 *     rows    = 'R'  (row key(11) length(4) row)*
 *     update  = 'U'  meta row: with the rows since the last one the state is now that of this meta row
 *     end     = 'E'  crc32 over the checksums of all blocks before (4)
 *
 * Like any byte stream, blocks may be split and joined in transit.
 *
 * Updates let a slowly sent snapshot end near the current state. A row is a change, and rows are in the order of changes, so changes
 * that were applied while the first rows were sent are further rows after the last one; then those applied while these were sent;
 * fewer each time. A worked example, with a meta row written as applied/swept:
 *
 *     H 1000/400, rows up to 1000      taken at 1000; meanwhile 200 more entries are applied
 *     rows 1001 to 1200, U 1200/400    meanwhile 10 more
 *     rows 1201 to 1210, U 1210/400, E
 *
 * Meanwhile the sender does not sweep rows above 1000. Rows below that it sweeps stay in the copy, so the copy records the swept
 * revision of the first rows: each peer sweeps independently.
 */
export const magic = Buffer.from('trireme snapshot\n');
export const blockTypes = { header: 0x48, rows: 0x52, update: 0x55, end: 0x45 } as const;
export const blockOverhead = 9;

/** A meta row, as it is and decoded. */
export interface Header {
  readonly meta: Meta;
  readonly metaBytes: Buffer;
}
