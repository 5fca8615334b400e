/**
 * CRC-32C (Castagnoli, reflected polynomial 0x82F63B78; RFC 3720 appendix B.4), eight table look-ups for eight bytes.
 * One flat table: row k holds the checksum of a byte that is followed by k zero bytes.
 */
const table = new Uint32Array(8 * 256);

for (let byte = 0; byte < 256; byte++) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  table[byte] = crc >>> 0;
}
for (let row = 1; row < 8; row++) {
  for (let byte = 0; byte < 256; byte++) {
    const previous = table[(row - 1) * 256 + byte]!;
    table[row * 256 + byte] = (table[previous & 0xff]! ^ (previous >>> 8)) >>> 0;
  }
}

/**
 * Returns the checksum of `bytes[start, end)`, continued from `seed`: an earlier result, or any 32-bit number that
 * writer and reader share.
 */
export function crc32c(bytes: Uint8Array, seed = 0, start = 0, end = bytes.length): number {
  const t = table;
  let crc = ~seed;
  let at = start;
  for (const last = end - 7; at < last; at += 8) {
    const low = crc ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
    crc =
      t[1792 + (low & 0xff)]! ^
      t[1536 + ((low >>> 8) & 0xff)]! ^
      t[1280 + ((low >>> 16) & 0xff)]! ^
      t[1024 + (low >>> 24)]! ^
      t[768 + bytes[at + 4]!]! ^
      t[512 + bytes[at + 5]!]! ^
      t[256 + bytes[at + 6]!]! ^
      t[bytes[at + 7]!]!;
  }
  for (; at < end; at++) crc = t[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
}
